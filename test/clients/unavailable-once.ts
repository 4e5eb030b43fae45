import { once } from "node:events";
import { connect, constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Owner } from "../fixtures/server.js";

/** What a program sent: the bodies of each attempt, by path. */
export type Attempts = ReadonlyMap<string, readonly Buffer[]>;

const CONNECTION_HEADERS = ["connection", "keep-alive", "transfer-encoding"];

/** A gRPC proxy that refuses the first call of each of `paths` with UNAVAILABLE, unseen by the server behind it. */
export async function unavailableOnce(
  upstream: string,
  paths: readonly string[],
  owner: Owner,
): Promise<{ url: string; attempts: Attempts }> {
  const attempts = new Map<string, Buffer[]>();
  const session = connect(upstream);
  const forward = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: Buffer) => {
    const request = session.request({ ...headers, ":authority": new URL(upstream).host });
    let trailers: IncomingHttpHeaders = {};
    request.on("trailers", (received) => {
      trailers = received;
    });
    request.on("response", (received, flags) => {
      const kept = Object.fromEntries(Object.entries(received).filter(([name]) => !CONNECTION_HEADERS.includes(name)));
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(kept, endStream ? { endStream } : { waitForTrailers: true });
      if (!endStream) request.pipe(stream);
    });
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    request.on("error", () => stream.close());
    stream.on("error", () => request.close());
    request.end(body);
  };
  const server = createServer();
  server.on("stream", async (stream, headers) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const path = headers[":path"] ?? "";
    const earlier = attempts.get(path) ?? [];
    attempts.set(path, [...earlier, Buffer.concat(chunks)]);
    if (earlier.length === 0 && paths.includes(path))
      stream.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "14" }, { endStream: true });
    else forward(stream, headers, Buffer.concat(chunks));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  owner(async () => {
    session.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a proxy listens on a port");
  return { url: `http://127.0.0.1:${address.port}`, attempts };
}
