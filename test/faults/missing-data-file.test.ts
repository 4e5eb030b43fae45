import { cp, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  freePort,
  launchServer,
  rpcClients,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { EventLoad } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";

const WAIT = { interval: 100, timeout: 30_000 };

describe("a server that starts without its data file", () => {
  const { owner, release } = sharedOwner();
  afterAll(release);
  let sound = "";

  beforeAll(async () => {
    sound = join(await temporaryDirectory(owner), "store");
    const server = await startServer({ directory: sound, owner });
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    await server.end("SIGTERM");
  });

  const ways: ["missing" | "empty", (file: string) => Promise<void>][] = [
    ["missing", (file) => rm(file)],
    ["empty", (file) => truncate(file)],
  ];

  it.each(ways)(
    "makes no new store: refuses events with 503 while the file is %s, and serves when it is back",
    async (state, lose) => {
      const directory = join(await temporaryDirectory(), "store");
      await cp(sound, directory, { recursive: true });
      await lose(join(directory, "data.mdb"));
      const port = await freePort();
      const facadeUrl = `http://127.0.0.1:${port}`;
      const { ready, output } = launchServer({ directory, flags: ["--facade-port", String(port)] });
      const statusOf = async (path: string) => (await fetch(`${facadeUrl}${path}`).catch(() => undefined))?.status;
      await expect.poll(() => statusOf("/healthz"), WAIT).toBe(200);
      expect(await statusOf("/readyz")).toBe(503);
      const told = await new EventLoad().post(facadeUrl);
      expect(told.kind === "refused" && told.by instanceof Response && told.by.status).toBe(503);
      await cp(join(sound, "data.mdb"), join(directory, "whole.mdb"));
      await rename(join(directory, "whole.mdb"), join(directory, "data.mdb"));
      await ready;
      const named = new RegExp(`data\\.mdb is ${state}, but store-id is there`);
      await expectServesAgain({ facadeUrl, output }, named);
    },
    120_000,
  );
});
