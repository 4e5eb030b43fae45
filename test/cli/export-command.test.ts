import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AppService, type ExportAppRequest, ExportKind } from "../../src/gen/aisle/v1/app_service_pb.js";
import { temporaryDirectory } from "../fixtures/server.js";
import { openListener } from "../services/wire/rpc-fixture.js";
import { runCommand } from "./run-command.js";

const MESSAGES = [
  { kind: ExportKind.PRODUCTS, products: [{ productId: "p1" }, { productId: "p2" }] },
  { kind: ExportKind.EVENTS, events: [{ eventId: "e1" }] },
  { kind: ExportKind.EVENTS, events: [{ eventId: "e2" }] },
];

/** A server whose streams break off after each message, which has its number as token. */
async function openServer(messages = MESSAGES) {
  const requests: ExportAppRequest[] = [];
  const { url } = await openListener({
    routes: (router) =>
      void router.service(AppService, {
        async *exportApp(request) {
          requests.push(request);
          const next = Number(request.resumeToken);
          const message = messages[next];
          if (message === undefined) return;
          yield { ...message, resumeToken: String(next + 1) };
          throw new ConnectError("the server is shutting down", Code.Unavailable);
        },
      }),
  });
  const run = (...args: string[]) => runCommand(["export", "--app", "shop", "--server", url, ...args]);
  return { requests, run };
}

it("writes a file of JSON lines for each kind, each record once though the stream breaks off, for its owner alone", async () => {
  const { run } = await openServer();
  const out = join(await temporaryDirectory(), "new");
  const { exitCode, stdout } = await run("--out", out);
  expect([exitCode, stdout]).toEqual([
    0,
    "2 products, 0 contacts, 0 subscription changes, 0 visitors, 0 orders, 2 events exported\n",
  ]);
  expect((await readdir(out)).sort()).toEqual(
    ["contacts", "events", "orders", "products", "subscription-changes", "visitors"].map((name) => `${name}.jsonl`),
  );
  expect(await readFile(join(out, "products.jsonl"), "utf8")).toBe('{"productId":"p1"}\n{"productId":"p2"}\n');
  expect(await readFile(join(out, "events.jsonl"), "utf8")).toBe('{"eventId":"e1"}\n{"eventId":"e2"}\n');
  expect(await readFile(join(out, "orders.jsonl"), "utf8")).toBe("");
  expect((await stat(join(out, "events.jsonl"))).mode & 0o777).toBe(0o600);
});

it("overwrites no file and leaves none behind", async () => {
  const { run, requests } = await openServer();
  const out = await temporaryDirectory();
  await writeFile(join(out, "orders.jsonl"), "mine\n");
  const { exitCode, stderr } = await run("--out", out);
  expect([exitCode, stderr]).toEqual([2, "error: --out: a writable directory without orders.jsonl is accepted\n"]);
  expect(await readdir(out)).toEqual(["orders.jsonl"]);
  expect(await readFile(join(out, "orders.jsonl"), "utf8")).toBe("mine\n");
  expect(requests).toEqual([]);
});

it("writes one kind to stdout, of the time that is asked for", async () => {
  const { run, requests } = await openServer(MESSAGES.slice(1));
  const times = ["--since", "2026-11-01", "--before", "2026-11-01T12:00:00"];
  const { exitCode, stdout, stderr } = await run("--kind", "events", ...times);
  expect([exitCode, stdout, stderr]).toEqual([0, '{"eventId":"e1"}\n{"eventId":"e2"}\n', "2 events exported\n"]);
  expect(requests[0]).toMatchObject({
    kinds: [ExportKind.EVENTS],
    startTime: timestampFromMs(Date.UTC(2026, 10, 1)),
    endTime: timestampFromMs(Date.UTC(2026, 10, 1, 12)),
  });
});

it("needs a directory or a kind, and a time that is one", async () => {
  const { run } = await openServer();
  expect(await run()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--out or --kind") });
  for (const since of ["soon", "2026-02-30", "2026-02-30T10:00:00Z", "2026-13-01"])
    expect(await run("--kind", "events", "--since", since)).toMatchObject({ exitCode: 2 });
});

it("says that the files are incomplete when the export fails for good", async () => {
  const { url } = await openListener({
    routes: (router) =>
      void router.service(AppService, {
        async *exportApp() {
          yield { ...MESSAGES[0], resumeToken: "1" };
          throw new ConnectError("There is no such app", Code.NotFound);
        },
      }),
  });
  const out = await temporaryDirectory();
  const { exitCode, stderr } = await runCommand(["export", "--app", "shop", "--server", url, "--out", out]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`The files in ${out} are incomplete\nerror: `)]);
});
