import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { createHttpsFeedSource } from "../../../src/adapters/http/https-feed-source.js";
import { NO_VERSION } from "../../../src/catalog/feed/fetch-feed.js";
import { makeCertificate } from "../../fixtures/certificate.js";
import { temporaryDirectory } from "../../fixtures/server.js";

const HERE = [{ address: "127.0.0.1", family: 4 }];
const FEED = "id,title\n1,Lamp\n";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A host at https://feeds.test on this machine. */
async function host(answer: Answer) {
  const files = makeCertificate(await temporaryDirectory(), "feeds", ["feeds.test", "other.test"]);
  const server = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://feeds.test:${port}/feed.csv`, port, ca: readFileSync(files.cert, "utf8") };
}

const source = (ca: string, more: Partial<Parameters<typeof createHttpsFeedSource>[0]> = {}) =>
  createHttpsFeedSource({ allowPrivate: true, resolve: async () => HERE, ca, ...more });

async function textOf(chunks: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

it("the feed source reads a feed with its size and version, and nothing when the feed is unchanged", async () => {
  const { url, ca } = await host((request, response) => {
    if (request.headers["if-none-match"] === '"v1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"v1"', "content-length": FEED.length }).end(FEED);
  });
  const fetched = await source(ca)(url, NO_VERSION);
  expect(fetched).toMatchObject({ totalBytes: FEED.length, version: { etag: '"v1"', lastModified: "" } });
  expect(await textOf(fetched?.chunks)).toBe(FEED);
  expect(await source(ca)(url, { etag: '"v1"', lastModified: "" })).toBeUndefined();
});

it("the feed source treats a 304 as a failure when it sent no version", async () => {
  const { url, ca } = await host((_, response) => response.writeHead(304).end());
  await expect(source(ca)(url, NO_VERSION)).rejects.toMatchObject({ kind: "refused", status: 304 });
});

it("the feed source follows redirects to https, up to a limit", async () => {
  const { url, ca } = await host(({ url: path }, response) => {
    const left = Number(/\d+$/.exec(path ?? "")?.[0] ?? 0);
    if (left > 0) response.writeHead(302, { location: `/hop${left - 1}` }).end();
    else response.end(FEED);
  });
  const at = (path: string) => new URL(path, url).href;
  expect(await textOf((await source(ca)(at("/hop5"), NO_VERSION))?.chunks)).toBe(FEED);
  await expect(source(ca)(at("/hop6"), NO_VERSION)).rejects.toMatchObject({ kind: "redirected" });
});

it("the feed source checks the address of every redirect", async () => {
  const names: string[] = [];
  const { url, port, ca } = await host((request, response) => {
    if (request.headers.host?.startsWith("feeds.test")) {
      response.writeHead(307, { location: `https://other.test:${port}/` }).end();
    } else response.end(FEED);
  });
  const resolve = async (name: string) => {
    names.push(name);
    return HERE;
  };
  expect(await textOf((await source(ca, { resolve })(url, NO_VERSION))?.chunks)).toBe(FEED);
  expect(names).toEqual(["feeds.test", "other.test"]);
});

it.each(["http://feeds.test/feed", "https://user:pass@feeds.test/feed", "file:///etc/passwd", "no address"])(
  "the feed source does not connect to %s, directly or by a redirect",
  async (target) => {
    await expect(source("")(target, NO_VERSION)).rejects.toMatchObject({ kind: "address_not_allowed" });
    if (target === "no address") return;
    const { url, ca } = await host((_, response) => response.writeHead(302, { location: target }).end());
    await expect(source(ca)(url, NO_VERSION)).rejects.toMatchObject({ kind: "address_not_allowed" });
  },
);

it("the feed source connects to no private address unless that is allowed", async () => {
  const asked: unknown[] = [];
  const { url, ca } = await host((request, response) => {
    asked.push(request.url);
    response.end(FEED);
  });
  await expect(source(ca, { allowPrivate: false })(url, NO_VERSION)).rejects.toMatchObject({
    kind: "address_not_allowed",
  });
  expect(asked).toEqual([]);
});

it("the feed source rejects a feed that declares too large a size, and stops reading one that grows too large", async () => {
  const sizes = [{ "content-length": FEED.length }, {}];
  for (const headers of sizes) {
    const { url, ca } = await host((_, response) => response.writeHead(200, headers).end(FEED));
    const read = source(ca, { limits: { bytes: FEED.length - 1 } })(url, NO_VERSION);
    await expect(read.then((fetched) => textOf(fetched?.chunks))).rejects.toMatchObject({ kind: "too_large" });
  }
});

it("the feed source gives up on a silent host and on a feed that takes too long", async () => {
  const silent = await host(() => undefined);
  await expect(source(silent.ca, { limits: { silenceMs: 50 } })(silent.url, NO_VERSION)).rejects.toMatchObject({
    kind: "timed_out",
  });
  const slow = await host((_, response) => void response.writeHead(200).write("id\n"));
  const read = source(slow.ca, { limits: { totalMs: 300 } })(slow.url, NO_VERSION);
  await expect(read.then((fetched) => textOf(fetched?.chunks))).rejects.toMatchObject({ kind: "timed_out" });
});

it("the feed source reports that a feed broke off", async () => {
  const { url, ca } = await host((_, response) => {
    response.writeHead(200, { "content-length": 100 }).write("id\n1\n", () => response.destroy());
  });
  const read = source(ca)(url, NO_VERSION);
  await expect(read.then((fetched) => textOf(fetched?.chunks))).rejects.toMatchObject({ kind: "broken" });
});

it("the feed source reports a host that refuses, is not found or is not trusted", async () => {
  const { url, ca } = await host((_, response) => response.writeHead(404).end());
  await expect(source(ca)(url, NO_VERSION)).rejects.toMatchObject({ kind: "refused", status: 404 });
  const resolve = async () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
  await expect(source(ca, { resolve })(url, NO_VERSION)).rejects.toMatchObject({ kind: "host_not_found" });
  const strict = createHttpsFeedSource({ allowPrivate: true, resolve: async () => HERE });
  await expect(strict(url, NO_VERSION)).rejects.toMatchObject({ kind: "certificate_refused" });
});

it("the feed source passes compressed feeds on unchanged", async () => {
  const { url, ca } = await host((_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(FEED)),
  );
  const parts: Uint8Array[] = [];
  for await (const chunk of (await source(ca)(url, NO_VERSION))?.chunks ?? []) parts.push(chunk);
  expect(Buffer.concat(parts).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
});
