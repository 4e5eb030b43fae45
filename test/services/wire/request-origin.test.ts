import { type ClientHttp2Session, connect as openHttp2 } from "node:http2";
import { connect as openSocket } from "node:net";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { createGate, hashOf } from "../../../src/services/access/authorization.js";
import { openListener } from "./rpc-fixture.js";

const GET_APP = "/aisle.v1.AppService/GetApp";
/** A call that a page can make by a mere `<script src>`. */
const AS_SCRIPT = `${GET_APP}?connect=v1&encoding=json&message=%7B%22appId%22%3A%22none%22%7D`;

const PAGES = {
  files: new Map([
    ["index.html", { contentType: "text/html; charset=utf-8", body: Buffer.from("<!doctype html>") }],
    ["assets/index.js", { contentType: "text/javascript; charset=utf-8", body: Buffer.from("1") }],
  ]),
  storefrontUrl: undefined,
  anyPeer: false,
};

async function listener() {
  const metrics = { contentType: "text/plain", text: async () => "up 1" };
  return openListener({ metrics, console: PAGES, allowedHosts: ["rpc.shop.example"] });
}

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** Sends header lines as they are over HTTP/1.1. */
async function send(port: number, path: string, lines: readonly string[], method = "GET"): Promise<Answer> {
  const socket = openSocket(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.end([`${method} ${path} HTTP/1.1`, ...lines, "connection: close", "", ""].join("\r\n"));
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  const [first = "", ...head] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
  const headers = head.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 2),
  ]);
  return {
    status: Number(first.split(" ")[1]),
    headers: new Map(headers.map(([name = "", value = ""]) => [name, value])),
  };
}

describe("an answer of the RPC port", () => {
  it.each([
    ["a call that succeeds", "GET", "/healthz", 200],
    ["a call that fails", "GET", AS_SCRIPT, 404],
    ["the metrics", "GET", "/metrics", 200],
    ["the console", "GET", "/console/", 200],
    ["a file of the console", "GET", "/console/assets/index.js", 200],
    ["an unknown path", "GET", "/nothing", 404],
    ["a wrong method", "DELETE", "/metrics", 405],
  ])("has headers against other origins, sniffing and caches: %s", async (_, method, path, status) => {
    const { port } = await listener();
    const answer = await send(port, path, ["host: localhost"], method);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
  });

  it.each([
    ["gRPC", createGrpcTransport],
    ["Connect over HTTP/2", (options: { baseUrl: string }) => createConnectTransport({ ...options, httpVersion: "2" })],
  ])("has these headers for callers with and without a token (%s)", async (_, create) => {
    const tokens = new Map([[hashOf("good"), { name: "x", scopes: new Set(["admin"] as const) }]]);
    const gate = createGate({ tokens: () => tokens, now: Date.now, onRefused: () => undefined });
    const { url } = await openListener({ gate });
    const { createApp, getApp } = createClient(AppService, create({ baseUrl: url }));
    for (const token of ["good", "bad"]) {
      let seen = new Headers();
      const options = {
        headers: { authorization: `Bearer ${token}` },
        onHeader: (headers: Headers) => {
          seen = headers;
        },
      };
      if (token === "good") await createApp({ app: { appId: "shop" } }, options);
      else
        await getApp({ appId: "shop" }, options).catch((error: unknown) => {
          seen = ConnectError.from(error).metadata;
        });
      expect(seen.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(seen.get("cache-control")).toBe("no-store");
      expect(seen.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("a page of another origin", () => {
  it.each([
    ["a script of another site", ["sec-fetch-site: cross-site", "sec-fetch-mode: no-cors", "sec-fetch-dest: script"]],
    ["another port of this host", ["sec-fetch-site: same-site", "sec-fetch-mode: no-cors", "sec-fetch-dest: image"]],
    [
      "a link from another site",
      ["sec-fetch-site: cross-site", "sec-fetch-mode: navigate", "sec-fetch-dest: document"],
    ],
    ["a form of another site", ["origin: https://evil.example"]],
    ["a file or a sandboxed frame", ["origin: null"]],
    ["another port by its origin", ["origin: http://localhost:1"]],
    ["another scheme", ["origin: chrome-extension://localhost"]],
  ])("is refused: %s", async (_, lines) => {
    const { port } = await listener();
    for (const path of [AS_SCRIPT, "/metrics", "/console/assets/index.js", "/healthz"])
      expect([path, (await send(port, path, [`host: localhost:${port}`, ...lines])).status]).toEqual([path, 403]);
  });

  it("learns nothing from the difference of two answers", async () => {
    const { port, url } = await listener();
    await createClient(AppService, createGrpcTransport({ baseUrl: url })).createApp({ app: { appId: "some" } });
    const known = AS_SCRIPT.replace("none", "some");
    expect((await send(port, known, ["host: localhost"])).status).toBe(200);
    for (const path of [known, AS_SCRIPT])
      expect((await send(port, path, ["host: localhost", "sec-fetch-site: cross-site"])).status).toBe(403);
  });

  it("may link to the console, and may not frame it", async () => {
    const { port } = await listener();
    const open = async (dest: string, path = "/console/") =>
      (
        await send(port, path, [
          "host: localhost",
          "sec-fetch-site: cross-site",
          "sec-fetch-mode: navigate",
          `sec-fetch-dest: ${dest}`,
        ])
      ).status;
    expect([await open("document"), await open("document", "/console")]).toEqual([200, 308]);
    expect([await open("iframe"), await open("object")]).toEqual([403, 403]);
  });
});

describe("the console's own page", () => {
  it.each([
    ["at the port itself", "localhost:8081", "http://localhost:8081"],
    ["behind a proxy with TLS", "rpc.shop.example", "https://rpc.shop.example"],
    ["with the default port in its host", "rpc.shop.example:443", "https://rpc.shop.example"],
  ])("may call: %s", async (_, host, origin) => {
    const { port } = await listener();
    const lines = [`host: ${host}`, `origin: ${origin}`, "sec-fetch-site: same-origin", "sec-fetch-mode: cors"];
    expect((await send(port, AS_SCRIPT, lines)).status).toBe(404);
  });

  it("can be opened by its address or a bookmark", async () => {
    const { port } = await listener();
    const lines = ["sec-fetch-site: none", "sec-fetch-mode: navigate", "sec-fetch-dest: document"];
    expect((await send(port, "/console/", ["host: localhost", ...lines])).status).toBe(200);
  });
});

describe("a request that names two hosts", () => {
  it.each([
    ["different ones", ["host: localhost", "host: rpc.shop.example"]],
    ["the same one twice", ["host: localhost", "Host: localhost"]],
  ])("is refused over HTTP/1.1: %s", async (_, lines) => {
    const { port } = await listener();
    expect((await send(port, "/healthz", lines)).status).toBe(400);
    expect((await send(port, "/healthz", lines.slice(1))).status).toBe(200);
  });

  it("is refused over HTTP/2 unless the host repeats the authority", async () => {
    const { url, port } = await listener();
    const session = openHttp2(url);
    onTestFinished(() => session.destroy());
    const own = `127.0.0.1:${port}`;
    expect(await statusOf(session, { ":authority": own, host: "localhost" })).toBe(400);
    expect(await statusOf(session, { ":authority": own, host: own })).toBe(200);
    expect(await statusOf(session, { ":authority": own })).toBe(200);
  });
});

function statusOf(session: ClientHttp2Session, headers: Record<string, string>): Promise<unknown> {
  const stream = session.request({ ":path": "/healthz", ...headers });
  return new Promise((resolve, reject) => {
    stream.once("response", (answer) => resolve(answer[":status"]));
    stream.once("error", reject);
    stream.resume();
  });
}
