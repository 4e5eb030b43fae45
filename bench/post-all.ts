import { connect } from "node:net";

/**
 * Posts each body once, over so many connections, one request at a time on each. The load of a pass is then the same
 * however busy the machine is, and costs little itself. Rejects at an answer other than 200.
 */
export function postAll(url: string, contentType: string, bodies: readonly string[], connections: number) {
  const { hostname, port, pathname } = new URL(url);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: ${contentType}\r\nContent-Length: `;
  return new Promise<void>((resolve, reject) => {
    let next = 0;
    let open = connections;
    for (let n = 0; n < connections; n++) {
      const socket = connect(Number(port), hostname).setNoDelay(true);
      let answer = "";
      const send = () => {
        const body = bodies[next++];
        answer = "";
        if (body !== undefined) {
          socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
          return;
        }
        socket.end();
        if (--open === 0) resolve();
      };
      socket.on("connect", send).on("error", reject);
      socket.on("data", (chunk) => {
        answer += chunk.toString("latin1");
        const end = answer.indexOf("\r\n\r\n");
        if (end === -1) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
        if (!answer.startsWith("HTTP/1.1 200") || length === undefined) reject(new Error(answer.slice(0, end)));
        else if (answer.length >= end + 4 + Number(length)) send();
      });
    }
  });
}
