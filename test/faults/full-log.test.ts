import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

/** A file on which every write finds no space; only Linux has it. */
const FULL = "/dev/full";

it.skipIf(!existsSync(FULL))("a server serves on while the disk of its log is full", async () => {
  const directory = await temporaryDirectory();
  const under = ["sh", "-c", `exec "$@" 2>${FULL}`, "sh"];
  const server = await startServer({ directory, under, flags: ["--log-level", "debug"] });
  const { apps } = rpcClients(server.rpcUrl);
  for (const appId of ["one", "two", "three"]) await apps.createApp({ app: { appId } });
  expect((await apps.listApps({})).apps.map(({ appId }) => appId)).toEqual(["one", "three", "two"]);
  expect(server.child.exitCode).toBeNull();
  expect(await server.end("SIGTERM")).toBe(0);
});
