import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { MAX_CONNECTIONS, SERVER_LIMITS } from "../../src/facade/server-limits.js";
import { openFacade } from "./fixture.js";

/** Sends bytes to a listening facade and gives all it answers until it closes the connection. */
async function talk(bytes: string): Promise<string> {
  const { facade } = openFacade();
  await facade.listen({ host: "127.0.0.1", port: 0 });
  const { port } = facade.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  socket.on("error", () => {});
  socket.write(bytes);
  await once(socket, "close");
  return answer;
}

const CLOSE = "Host: x\r\nConnection: close\r\n";

describe("the HTTP server of the facade", () => {
  it("answers 431 in JSON to a header over 16 KiB", async () => {
    const answer = await talk(`GET /healthz HTTP/1.1\r\n${CLOSE}x: ${"x".repeat(17_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(answer).toContain('{"error":"Request header too large"}');
  });

  it("answers 400 in JSON to bytes that are not HTTP", async () => {
    const answer = await talk("hello\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('{"error":"Bad request"}');
  });

  it("answers 404 in JSON to a path that cannot be decoded", async () => {
    const answer = await talk(`GET /%zz HTTP/1.1\r\n${CLOSE}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    expect(answer).toMatch(/\{"error":"Not found"\}$/);
    expect(answer).toContain("cache-control: no-store");
  });

  it("answers a body declared over 1 MiB before it comes", async () => {
    const answer = await talk(`POST /trace HTTP/1.1\r\n${CLOSE}Content-Length: 1048577\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('{"error":"Request body too large"}');
  });

  it("accepts a chunked body", async () => {
    const chunks = "b\r\napp_id=shop\r\n12\r\n&action_type=other\r\n0\r\n\r\n";
    const answer = await talk(`POST /trace HTTP/1.1\r\n${CLOSE}Transfer-Encoding: chunked\r\n\r\n${chunks}`);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it("answers 400 in JSON without a Host or with two, except HTTP/1.0 without one", async () => {
    const head = (version: string, hosts: string) =>
      `GET /healthz HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`;
    for (const hosts of ["", "Host: a\r\nHOST: a\r\n"]) {
      const answer = await talk(head("1.1", hosts));
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('{"error":"Bad request"}');
    }
    expect(await talk(head("1.0", ""))).toMatch(/^HTTP\/1.1 200 /);
  });

  it("ignores an unknown Expect header", async () => {
    expect(await talk(`GET /healthz HTTP/1.1\r\n${CLOSE}Expect: the-unexpected\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  });

  it("has a time limit for every wait", () => {
    const { facade } = openFacade();
    const { server } = facade;
    expect(server.headersTimeout).toBe(SERVER_LIMITS.http.headersTimeout);
    expect(server.requestTimeout).toBe(SERVER_LIMITS.requestTimeout);
    expect(server.keepAliveTimeout).toBe(SERVER_LIMITS.keepAliveTimeout);
    expect(server.timeout).toBe(SERVER_LIMITS.connectionTimeout);
    expect(server.maxConnections).toBe(MAX_CONNECTIONS);
  });
});
