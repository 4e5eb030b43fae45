import { createServer, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneAtATime } from "../../src/http/pipelining.js";
import { openRaw, talk } from "../hostile/raw-socket.js";

/** A server that answers each request with its body in the next turn, and knows how many it answered at a time. */
async function open(more: RequestListener = () => undefined) {
  let underWay = 0;
  const seen = { most: 0, answered: 0 };
  const server = createServer(
    oneAtATime((request, response) => {
      more(request, response);
      seen.most = Math.max(seen.most, ++underWay);
      response.once("close", () => underWay--);
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () =>
        setImmediate(() => {
          seen.answered++;
          response.end(`[${body}]`);
        }),
      );
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  return { seen, port: typeof address === "object" && address !== null ? address.port : 0 };
}

const post = (body: string, more = "") =>
  `POST / HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const bodiesIn = (answers: string) => [...answers.matchAll(/\[(.*?)\]/g)].map(([, body]) => body);

describe("pipelined requests", () => {
  it("are answered one at a time and in order", async () => {
    const { port, seen } = await open();
    const requests = numbers(500).map((n) => post(`${n}`));
    const answers = await talk(port, `${requests.join("")}${post("last", "Connection: close\r\n")}`);
    expect(bodiesIn(answers)).toEqual([...numbers(500).map(String), "last"]);
    expect(seen.most).toBe(1);
  });

  it("are all answered when the last body comes late", async () => {
    const { port } = await open();
    const peer = openRaw(port, `${post("a")}${post("b")}${post("cd", "Connection: close\r\n").slice(0, -1)}`);
    await peer.until((received) => received.includes("[b]"));
    peer.socket.write("d");
    expect(bodiesIn((await peer.closed).toString())).toEqual(["a", "b", "cd"]);
  });

  it("let requests of another connection between", async () => {
    const { port, seen } = await open();
    const peer = openRaw(
      port,
      numbers(1000)
        .map((n) => post(`${n}`))
        .join(""),
    );
    await peer.until((received) => received.includes("[0]"));
    expect(bodiesIn(await talk(port, post("between", "Connection: close\r\n")))).toEqual(["between"]);
    expect(seen.answered).toBeLessThan(1000);
  });

  it("close their connection when more than 2,000 are unanswered", async () => {
    const { port, seen } = await open((request) => void request.socket.cork());
    const peer = openRaw(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50_000));
    await peer.closed;
    expect(seen.answered).toBeLessThan(2000);
  });
});
