import { cp, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trained } from "../fixtures/operations.js";
import {
  launchServer,
  rpcClients,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { expectServesAgain } from "./expect-recovery.js";

const FLAGS = ["--train-every", "off"];
const WAIT = { interval: 100, timeout: 60_000 };
const { owner, release } = sharedOwner();
afterAll(release);
let sound = "";

beforeAll(async () => {
  sound = join(await temporaryDirectory(owner), "store");
  const server = await startServer({ directory: sound, owner, flags: FLAGS });
  const clients = rpcClients(server.rpcUrl);
  await clients.apps.createApp({ app: { appId: "shop" } });
  const products = Array.from({ length: 200 }, (_, n) => ({ productId: `p${n}`, title: `red shoe ${n}` }));
  await clients.catalog.upsertProducts(
    (async function* () {
      yield { appId: "shop", products };
    })(),
  );
  await trained(clients, "shop");
  await server.end("SIGTERM");
}, 120_000);

async function copy(): Promise<string> {
  const directory = join(await temporaryDirectory(), "store");
  await cp(sound, directory, { recursive: true });
  return directory;
}

async function recommend({ facadeUrl }: ServerProcess): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${facadeUrl}/recommend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: "shop", productInteractions: [], currentProductIds: "p1" }),
  });
  return { status: answer.status, text: await answer.text() };
}

describeWithShim("a server whose disk fails to read a file (EIO)", () => {
  it("does not start, and says so in one line", async () => {
    const directory = await copy();
    const fault = join(directory, "../fault");
    await writeFile(fault, "read EIO always");
    const server = launchServer({
      directory,
      flags: FLAGS,
      env: shimEnvironment({ directory: join(directory, "data.mdb"), fault }),
    });
    expect(await server.ended).toBe(1);
    expect(server.output()).toMatch(/^error: --store \(AISLE_STORE\): [^\n]*cannot be opened[^\n]*\n$/);
    await rm(fault);
    expect(await (await startServer({ directory, flags: FLAGS })).end("SIGTERM")).toBe(0);
  });

  it("answers 500 while a model cannot be read, names its file in the log, and serves it afterwards", async () => {
    const directory = await copy();
    const fault = join(directory, "../fault");
    await writeFile(fault, "read EIO always");
    const models = join(directory, "models");
    const server = await startServer({
      directory,
      flags: FLAGS,
      env: shimEnvironment({ directory: models, fault }),
    });
    expect((await recommend(server)).status).toBe(500);
    await expect.poll(() => server.output(), WAIT).toMatch(/The file \S+\/models\/shop\/\S+\.snapshot cannot be read/);
    expect(server.pids()).toHaveLength(1);
    expect((await rpcClients(server.rpcUrl).apps.getApp({ appId: "shop" })).app?.appId).toBe("shop");
    await rm(fault);
    const { status, text } = await recommend(server);
    expect(status).toBe(200);
    expect(text).toContain('"productId":"p1"');
    expect(await server.end("SIGTERM")).toBe(0);
  });

  it.each([
    ["--rpc-tokens", "--rpc-tokens (AISLE_RPC_TOKENS): the file cannot be read"],
    ["--tls-cert", "--tls-cert (AISLE_TLS_CERT): the file cannot be read"],
  ])("does not start without the file of %s, and says so in one line", async (flag, line) => {
    const directory = await copy();
    const fault = join(directory, "../fault");
    const file = join(directory, "../settings");
    await writeFile(fault, "read EIO always");
    await writeFile(file, "");
    const other = flag === "--tls-cert" ? ["--tls-key", join(directory, "../key")] : [];
    const env = shimEnvironment({ directory: file, fault });
    const server = launchServer({ directory, flags: [...FLAGS, flag, file, ...other], env });
    expect(await server.ended).toBe(2);
    expect(server.output()).toMatch(/^error: [^\n]+\n(\(add --help for usage\)\n)?$/);
    expect(server.output()).toContain(line);
  });
});

describe("a store whose file is cut short under a running server", () => {
  it("ends the process by SIGBUS; the next ones refuse the file in one line, after growing pauses, until it is whole", async () => {
    const directory = await copy();
    const server = await startServer({ directory, flags: FLAGS });
    await truncate(join(directory, "data.mdb"), 8192);
    const { catalog } = rpcClients(server.rpcUrl);
    await expect(catalog.listProducts({ appId: "shop" })).rejects.toThrow(); // no page is answered as if it were whole
    const ends = () =>
      server
        .output()
        .split("\n")
        .filter((line) => line.includes("a process ended; replacing it"))
        .map((line): Record<string, unknown> => JSON.parse(line));
    await expect.poll(() => ends().length, WAIT).toBe(3);
    expect(ends()).toMatchObject([{ signal: "SIGBUS" }, { code: 1, delay: 2000 }, { code: 1, delay: 4000 }]);
    const reason = `--store (AISLE_STORE): The file ${directory}/data.mdb is damaged: it is cut short; restore the directory from a backup`;
    expect(ends().slice(1)).toMatchObject([{ reason }, { reason }]);
    await cp(join(sound, "data.mdb"), join(directory, "data.mdb"));
    await expectServesAgain(server, /a process ended; replacing it/);
    expect(await server.end("SIGTERM")).toBe(0);
  }, 120_000);
});
