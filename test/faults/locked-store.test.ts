import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { launchServer, rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { EventLoad } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";

const WAIT = { interval: 100, timeout: 30_000 };

/** A server whose next commit holds the write lock for so long. */
async function serverThatHoldsTheLock(directory: string, ms: number) {
  const store = join(directory, "store");
  const fault = join(directory, "fault");
  const server = await startServer({ directory: store, env: shimEnvironment({ directory: store, fault }) });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  await writeFile(fault, `sync stall${ms} once`);
  const stalled = new EventLoad().post(server.facadeUrl);
  return { server, store, stalled };
}

describeWithShim("a store whose write lock another process holds", () => {
  it("is opened when the lock is released, and the log names the process that held it", async () => {
    const { server, store, stalled } = await serverThatHoldsTheLock(await temporaryDirectory(), 15_000);
    const [holder] = server.pids();
    const second = launchServer({ directory: store });
    await expect
      .poll(() => second.output(), WAIT)
      .toMatch(new RegExp(`process ${holder} \\([a-z ]+\\) holds the write lock of .+ since 20[^"]+; waiting for it`));
    await stalled;
    await expectServesAgain(await second.ready, /waiting for it/);
    await expectServesAgain(server, /the disk of the store stalls/);
  }, 120_000);

  it("ends the start with a reason and exit code 1 after a minute", async () => {
    const { server, store } = await serverThatHoldsTheLock(await temporaryDirectory(), 110_000);
    const [holder] = server.pids();
    const second = launchServer({ directory: store });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(
      new RegExp(
        `error: --store \\(AISLE_STORE\\): process ${holder} \\(.+\\) holds the write lock .+ gave up after 60 s`,
      ),
    );
    await server.end("SIGKILL");
  }, 150_000);
});
