/** Static files of the facade: the helper for shops' pages, and the demo shop. */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
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
  const addHelper = (path: string, contentType: string, body: Buffer | undefined) => {
    if (body === undefined) return;
    app.get(path, (request, reply) => {
      reply.header("cross-origin-resource-policy", "cross-origin"); // pages of any shop load it
      return sendFile(request, reply, { contentType, body }, `public, max-age=${FRESH_SECONDS}`);
    });
  };
  addHelper("/aisle.js", "text/javascript; charset=utf-8", helperScript);
  addHelper("/aisle.css", "text/css; charset=utf-8", helperStyle);
  if (staticFiles === undefined) return;
  app.get("/demo", (_request, reply) => reply.code(308).header("location", "/demo/").send());
  app.get<{ Params: { "*": string } }>("/demo/*", (request, reply) => {
    const file = staticFiles(`/demo/${request.params["*"]}`);
    // Cached by the browser and revalidated on each request, so that a newer server's files show at once.
    return file ? sendFile(request, reply, file, "no-cache") : sendError(reply, 404, TEXT.notFound);
  });
}

/** Sends a file, or 304 to a browser that has it. */
function sendFile(
  { headers }: Pick<FastifyRequest, "headers">,
  reply: FastifyReply,
  { contentType, body }: StaticFile,
  caching: string,
): FastifyReply {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  reply.header("etag", etag).header("cache-control", caching);
  // RFC 9110, 13.1.2: a list of tags, or `*`; weak comparison.
  const known = headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  if (known.includes(etag) || known.includes("*")) return reply.code(304).send();
  return reply.header("content-type", contentType).send(body);
}
