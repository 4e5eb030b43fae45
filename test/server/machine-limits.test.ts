import { spawnSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  connectionsWithin,
  limitsRefusal,
  type MachineLimits,
  readMachineLimits,
} from "../../src/server/machine-limits.js";
import { expectServesAgain } from "../faults/expect-recovery.js";
import { AISLE, rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const NONE: MachineLimits = {
  heapBytes: 4 * GIB,
  openFiles: Number.POSITIVE_INFINITY,
  addressBytes: Number.POSITIVE_INFINITY,
  hasPlainWasm: false,
};

describe("the checks of machine limits", () => {
  it("reject too low limits, and say what is needed", () => {
    const refusal = (change: Partial<MachineLimits>) => limitsRefusal("serve", { ...NONE, ...change });
    expect(refusal({})).toBeUndefined();
    expect(refusal({ heapBytes: 255 * MIB })).toMatch(/heap is limited to 255 MiB; a server needs 256/);
    expect(refusal({ openFiles: 255 })).toMatch(/open files are limited to 255; a server needs 256/);
    expect(refusal({ addressBytes: 39 * GIB })).toMatch(
      /address space is limited to 39 GiB; a server reserves up to 40/,
    );
    expect(refusal({ addressBytes: 8 * GIB, hasPlainWasm: true })).toBeUndefined();
    expect(refusal({ addressBytes: 7 * GIB, hasPlainWasm: true })).toMatch(
      /limited to 7 GiB; a server reserves up to 8/,
    );
    expect(limitsRefusal("app", { ...NONE, openFiles: 128, heapBytes: 64 * MIB, addressBytes: GIB })).toBeUndefined();
    expect(limitsRefusal("app", { ...NONE, openFiles: 127 })).toMatch(/128 are needed/);
  });

  it("reduce the connections to the open files, and log how many files are needed for all", () => {
    const lines: string[] = [];
    const most = { rest: 10_000, rpc: 2_000 };
    const within = (openFiles: number) => connectionsWithin(openFiles, most, (line) => lines.push(line));
    expect([within(12_128), lines]).toEqual([most, []]);
    expect(within(256)).toEqual({ rest: 106, rpc: 21 });
    expect(lines).toEqual([
      expect.stringMatching(/limited to 256: 106 .* REST .* 21 .* RPC .* 10000 and 2000 .* 12128$/),
    ]);
  });
});

/** The limits are those that a shell sets, as Linux shows them. */
describe.skipIf(process.platform !== "linux")("a process under a limit of the shell (needs Linux)", () => {
  it.each([
    ["ulimit -n 72", ["serve"], /open files are limited to 72; a server needs 256/],
    ["ulimit -n 255", ["serve"], /open files are limited to 255; a server needs 256/],
    ["ulimit -n 72", ["app", "list"], /open files are limited to 72; 128 are needed/],
    ["ulimit -v 4194304", ["serve"], /address space is limited to 4 GiB; a server reserves up to 40/],
    ["ulimit -v 16777216", ["serve"], /address space is limited to 16 GiB; a server reserves up to 40/],
    ["export NODE_OPTIONS=--max-old-space-size=64", ["serve"], /heap is limited to \d+ MiB; a server needs 256/],
  ])("%s: %j exits with one line that says what is needed", (limit, args, line) => {
    const command = `${limit}; exec "$@"`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", command, "bash", process.execPath, AISLE, ...args], {
      encoding: "utf8",
      timeout: 60_000,
    });
    expect([status, stdout, stderr.split("\n")]).toEqual([1, "", [expect.stringMatching(line), ""]]);
  });

  it("reads its own limits", () => {
    const { openFiles, heapBytes } = readMachineLimits();
    expect(openFiles).toBe(Number(spawnSync("bash", ["-c", "ulimit -n"], { encoding: "utf8" }).stdout));
    expect(heapBytes).toBeGreaterThan(64 * MIB);
  });

  it("with 256 open files and 400 connections continues, and serves once they are gone", async () => {
    const directory = await temporaryDirectory();
    const under = ["bash", "-c", 'ulimit -n 256; exec "$@"', "bash"];
    const server = await startServer({ directory, under });
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const { port, hostname } = new URL(server.facadeUrl);
    const sockets: Socket[] = [];
    onTestFinished(() => void sockets.map((socket) => socket.destroy()));
    for (let n = 0; n < 400; n++) {
      const socket = connect(Number(port), hostname, () => socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"));
      socket.on("error", () => undefined);
      socket.resume();
      sockets.push(socket);
    }
    await pause(2_000);
    for (const socket of sockets) socket.destroy();
    await expectServesAgain(server, /open files are limited to 256: 106 connections for the REST port/);
    expect(server.output()).not.toMatch(/EMFILE/);
  }, 120_000);
});
