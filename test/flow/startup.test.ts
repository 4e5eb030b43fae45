import { chmod, readdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FORMAT_NUMBER } from "../../src/store/lmdb/format.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { trained } from "../fixtures/operations.js";
import { freePort, rpcClients, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { writeFormat } from "../fixtures/store-format.js";

/** A port that is taken until the test ends. */
async function takenPort(): Promise<number> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void holder.close());
  return (holder.address() as AddressInfo).port;
}

const serve = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const directory = await temporaryDirectory();
  return runAisle(["serve", "--store", `embedded:${directory}/store`, ...flags], { env });
};

it("the log keeps what started, on which store and ports, and when it stopped", async () => {
  const directory = await temporaryDirectory();
  const server = await startServer({ directory });
  expect(await server.end("SIGTERM")).toBe(0);
  const line = (message: string): unknown => {
    const text = server
      .output()
      .split("\n")
      .find((one) => one.includes(`"msg":"${message}"`));
    return JSON.parse(text ?? "null");
  };
  expect(line("started")).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    role: "all",
    store: `embedded:${directory}`,
    facadePort: Number(new URL(server.facadeUrl).port),
    rpcPort: Number(new URL(server.rpcUrl).port),
  });
  expect(line("stopped")).toMatchObject({ version: expect.any(String), servedSeconds: expect.any(Number) });
});

describe("a failed start of aisle serve", () => {
  it.each([
    ["a flag", ["--facade-port", "http"], {}, "--facade-port"],
    ["a variable", [], { AISLE_TRAIN_EVERY: "often" }, "AISLE_TRAIN_EVERY"],
    ["a store of a kind that is not there", ["--store", "redis://localhost"], {}, "embedded:DIR"],
    ["an address with a password that is not encoded", ["--store", "mongodb://a:s3c@ret@h/x"], {}, "written %XX"],
    ["an address with an option nobody knows", ["--store", "mongodb://a:s3cret@h/x?color=s3c"], {}, "option color"],
    ["an RPC port open to other machines", ["--rpc-host", "0.0.0.0"], {}, "--insecure-rpc"],
  ] as const)("reports in one line what is wrong with %s, and exits with 2", async (_, flags, env, text) => {
    const { code, stdout, stderr } = await serve(flags, env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/s3c|ret@/);
  });

  const serveAt = async (path: string, text: string) => {
    const { code, stdout, stderr } = await serve(["--store", `embedded:${path}`, "--facade-port", "0"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: --store \(AISLE_STORE\): .*\n$/);
    expect(stderr).toContain(text);
  };

  it.each([
    ["is a file", "/file", "a directory is needed instead of the file"],
    ["lies below a file", "/file/store", "a directory is needed instead of the file"],
    ["has too long a name", `/${"a".repeat(300)}`, "a name is too long"],
  ])("reports in one line that the data directory %s, and exits with 1", async (_, path, text) => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, "file"), "");
    await serveAt(folder + path, text);
  });

  it.skipIf(process.getuid?.() === 0)("reports in one line that another user owns the data directory", async () => {
    const folder = await temporaryDirectory();
    await chmod(folder, 0o500);
    await serveAt(join(folder, "store"), "directory");
  });

  it.each([
    ["--facade-port", "--rpc-port"],
    ["--rpc-port", "--facade-port"],
  ])("reports in one line that the port of %s is taken, and exits with 1", async (flag, other) => {
    const port = await takenPort();
    const { code, stdout, stderr } = await serve([flag, String(port), other, "0"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(flag);
    expect(stderr).toContain(`port ${port} is taken`);
  });

  it.each([
    ["--host", "--facade-port"],
    ["--rpc-host", "--rpc-port"],
  ])("reports in one line that %s is no address of this machine", async (flag, port) => {
    const { code, stderr } = await serve([flag, "192.0.2.1", port, "0", "--insecure-rpc", "--facade-port", "0"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: ${flag} .*no address of this machine\\n$`));
  });

  it("reports a taken port before it sets up a demo", async () => {
    const { code, stdout } = await serve(["--facade-port", String(await takenPort()), "--rpc-port", "0", "--demo"]);
    expect([code, stdout]).toEqual([1, ""]);
  });

  it("reports a store of a newer format in one line", async () => {
    const directory = await temporaryDirectory();
    await (await openEmbeddedStore({ directory, now: Date.now })).close();
    await writeFormat(directory, FORMAT_NUMBER + 1);
    const flags = ["--store", `embedded:${directory}`, "--facade-port", "0", "--rpc-port", "0"];
    const { code, stdout, stderr } = await runAisle(["serve", ...flags]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^error: .*format ${FORMAT_NUMBER}.*newer version.*\\n$`));
  });
});

describe("aisle serve", () => {
  it("reads its settings from the environment", async () => {
    const directory = await temporaryDirectory();
    const [facadePort, rpcPort] = [await freePort(), await freePort()];
    const env = {
      AISLE_STORE: `embedded:${directory}/of-the-environment`,
      AISLE_FACADE_PORT: String(facadePort),
      AISLE_RPC_PORT: String(rpcPort),
      AISLE_HOST: "127.0.0.1",
      AISLE_RPC_HOST: "127.0.0.1",
      AISLE_PUBLIC_URL: "https://aisle.shop.example",
    };
    const server = await startServer({ directory, env, defaults: false });
    expect(server.facadeUrl).toBe("https://aisle.shop.example");
    expect(server.rpcUrl).toBe(`http://127.0.0.1:${rpcPort}`);
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const local = `http://127.0.0.1:${facadePort}`;
    const answer = await fetch(`${local}/subscription_status?app_id=shop&fpcid=f1`);
    expect(answer.headers.get("set-cookie")).toContain("Secure");
    expect(await server.end("SIGTERM")).toBe(0);
    const store = await openEmbeddedStore({ directory: `${directory}/of-the-environment`, now: Date.now });
    expect((await store.apps.get("shop"))?.appId).toBe("shop");
    await store.close();
  });

  it("prefers a flag to its variable", async () => {
    const directory = await temporaryDirectory();
    const env = { AISLE_STORE: `embedded:${directory}/of-the-variable`, AISLE_FACADE_PORT: "none" };
    const flags = ["--store", `embedded:${directory}/of-the-flag`];
    expect((await startServer({ directory, env, flags })).facadeUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await readdir(directory)).toEqual(["of-the-flag"]);
  });

  it("answers health, readiness and metrics", async () => {
    const server = await startServer({ directory: await temporaryDirectory() });
    const get = async (url: string) => {
      const answer = await fetch(url);
      return [answer.status, await answer.text()];
    };
    expect(await get(`${server.facadeUrl}/healthz`)).toEqual([200, '{"status":"ok"}']);
    expect(await get(`${server.facadeUrl}/readyz`)).toEqual([200, '{"status":"ready"}']);
    expect(await get(`${server.rpcUrl}/healthz`)).toEqual([200, '{"status":"ok"}']);
    const { apps, events } = rpcClients(server.rpcUrl);
    await apps.createApp({ app: { appId: "shop" } });
    await events.recordEvent({ appId: "shop", event: { actionType: "other", visitor: { clientId: "c1" } } });
    expect(await get(`${server.rpcUrl}/metrics`)).toEqual([
      200,
      expect.stringMatching(/^aisle_events_stored_total\{action="other"\} 1$/m),
    ]);
  });

  it("serves the model of the run before at once, without another training", async () => {
    const directory = await temporaryDirectory();
    const first = await startServer({ directory });
    const clients = rpcClients(first.rpcUrl);
    await makeShop(clients, "shop");
    await trained(clients, "shop");
    const request = { appId: "shop", currentProductIds: ["p0"] };
    const before = await clients.recommendations.recommend(request);
    expect(before.recommended.map((card) => card.productId)).toContain("p1");
    expect(await first.end("SIGTERM")).toBe(0);

    const again = rpcClients((await startServer({ directory })).rpcUrl);
    const after = await again.recommendations.recommend(request);
    expect([after.modelId, after.version]).toEqual([before.modelId, before.version]);
    expect(after.recommended).toEqual(before.recommended);
    expect((await again.models.listModels({ appId: "shop" })).models).toHaveLength(1);
  });
});
