/** Static files of the facade: the helper for shops' pages, and the demo shop. */
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { TEXT } from "./errors.js";
import { sendError } from "./rest-server.js";

export interface StaticFile {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export interface PublicFiles {
  /** The file at a full path such as `/demo/index.html`, if it is below `/demo/`. */
  readonly staticFiles?: ((path: string) => StaticFile | undefined) | undefined;
  /** The script at `/aisle.js`. */
  readonly helperScript?: Buffer | undefined;
  /** The style sheet at `/aisle.css`. */
  readonly helperStyle?: Buffer | undefined;
}

/** Browsers cache the helper for so long, then ask whether it has changed. */
const FRESH_SECONDS = 3600;

export function addFiles(app: FastifyInstance, { staticFiles, helperScript, helperStyle }: PublicFiles): void {
  addHelperFile(app, "/aisle.js", "text/javascript; charset=utf-8", helperScript);
  addHelperFile(app, "/aisle.css", "text/css; charset=utf-8", helperStyle);
  if (staticFiles !== undefined) {
    app.get("/demo", (_request, reply) => reply.code(308).header("location", "/demo/").send());
    app.get<{ Params: { "*": string } }>("/demo/*", (request, reply) => {
      const file = staticFiles(`/demo/${request.params["*"]}`);
      if (file === undefined) return sendError(reply, 404, TEXT.notFound);
      const etag = etagOf(file.body);
      // Cached by the browser and revalidated on each request, so that a newer server's files show at once.
      reply.header("etag", etag).header("cache-control", "no-cache");
      if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
      return reply.header("content-type", file.contentType).send(file.body);
    });
  }
}

function addHelperFile(app: FastifyInstance, path: string, contentType: string, body: Buffer | undefined): void {
  if (body === undefined) return;
  const etag = etagOf(body);
  app.get(path, (request, reply) => {
    reply.header("etag", etag).header("cache-control", `public, max-age=${FRESH_SECONDS}`);
    reply.header("cross-origin-resource-policy", "cross-origin"); // pages of any shop load it
    if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.header("content-type", contentType).send(body);
  });
}

/** A tag that changes with the content. */
function etagOf(content: string | Buffer): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/** RFC 9110, 13.1.2: a list of tags, or `*`; weak comparison. */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = header?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags !== undefined && (tags.includes(etag) || tags.includes("*"));
}
