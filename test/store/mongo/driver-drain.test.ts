import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { patchDriver } from "../../../src/store/mongo/driver-drain.js";

const require = createRequire(import.meta.url);
const { Connection } = require("mongodb/lib/cmap/connection.js");
const { HostAddress, ns } = require("mongodb/lib/utils.js");

it("a command on a destroyed socket fails, where the driver alone would wait for ever", async () => {
  patchDriver();
  const server = createServer((peer) => peer.resume()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const hostAddress = HostAddress.fromHostPort("127.0.0.1", port);
  const connection = new Connection(socket, { id: 1, generation: 0, hostAddress });
  socket.destroy();
  await expect(connection.command(ns("admin.$cmd"), { hello: 1 }, {})).rejects.toThrow(/closed/);
});
