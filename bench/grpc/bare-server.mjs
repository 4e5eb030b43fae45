// The least that a server of Node's HTTP/2 does for a unary gRPC call: it reads the request, in the turn after its headers as
// Aisle does, and answers with bytes that it read at its start.
//
//   bare-server.mjs DIRECTORY
//
// DIRECTORY has one file for each method, as for the server in Go. Prints the port it listens on.
import { readFileSync } from "node:fs";
import { createServer } from "node:http2";
import { join } from "node:path";

const HEADERS = { ":status": 200, "content-type": "application/grpc+proto" };
const bodies = new Map();

/** The answer to calls of the path, with its prefix. */
function bodyOf(path) {
  if (!bodies.has(path)) {
    const message = readFileSync(join(process.argv[2], `${path.split("/").at(-1)}.bin`));
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    bodies.set(path, Buffer.concat([prefix, message]));
  }
  return bodies.get(path);
}

const server = createServer({ settings: { enablePush: false, initialWindowSize: 1024 * 1024 } });
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  setImmediate(() => {
    stream.resume().once("end", () => {
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.respond(HEADERS, { waitForTrailers: true });
      stream.end(bodyOf(headers[":path"]));
    });
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
