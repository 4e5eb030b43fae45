# syntax=docker/dockerfile:1
# The server and its command line:  docker build -t aisle .
# One process over a directory:     docker run -d -p 8080:8080 -v aisle-data:/var/lib/aisle aisle

# The base images are build arguments. A tag moves; pin both to what you tested, by digest:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg BUILD_IMAGE=node:24-bookworm@sha256:… --build-arg BASE_IMAGE=node:24-bookworm-slim@sha256:… -t aisle .
# No digest stands here: one that nobody renews keeps the known holes of its day.
ARG BUILD_IMAGE=node:24-bookworm
ARG BASE_IMAGE=node:24-bookworm-slim

# The image that is not slim has Python 3, make and a C++ compiler, which compile hnswlib-node.
FROM ${BUILD_IMAGE} AS build
WORKDIR /aisle
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# esbuild only builds.
RUN npm run build && rm -rf node_modules/esbuild node_modules/@esbuild

FROM ${BASE_IMAGE}
WORKDIR /aisle
COPY --from=build /aisle/package.json /aisle/LICENSE ./
COPY --from=build /aisle/node_modules node_modules
COPY --from=build /aisle/bin bin
COPY --from=build /aisle/dist dist
COPY --from=build /aisle/web/demo web/demo
COPY --from=build /aisle/deploy/health-check.mjs deploy/
# The directory exists and belongs to the user, so that a new volume does, too.
RUN ln -s /aisle/bin/aisle.js /usr/local/bin/aisle && install -d -o node -g node /var/lib/aisle
ENV NODE_ENV=production \
    AISLE_STORE=embedded:/var/lib/aisle \
    AISLE_HOST=0.0.0.0
# The root file system may be read-only: only the volume is written to, and /tmp while a large index is made or loaded.
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/aisle/deploy/health-check.mjs"]
# No shell between: SIGTERM reaches node, which drains for at most 10 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/aisle/bin/aisle.js"]
CMD ["serve"]
