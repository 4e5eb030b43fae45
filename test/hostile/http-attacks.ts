/** Hostile senders of the REST interface. */
import { type Attack, type Sending, siege, type Target } from "./attack.js";

const MIB = 1024 * 1024;
const FORM = "application/x-www-form-urlencoded";

const facade = ({ facadePort }: Target) => facadePort;

/** A whole request of HTTP/1.1. */
export function post(path: string, contentType: string, body: string | Uint8Array, more = ""): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\n${more}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** The beginning of a request whose body is announced and does not come. */
const announced = (bytes: number) =>
  `POST /trace HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nContent-Length: ${bytes}\r\n\r\n`;

const repeated = (times: number, of: (n: number) => string) => Array.from({ length: times }, (_, n) => of(n)).join("");

/** Connections that hold a place and let others wait. */
export const IDLERS: readonly Attack[] = [
  idler("silent", "500 connections that never send a byte", {}),
  idler("slow headers", "500 connections that send a header line each second", {
    first: () => "POST /trace HTTP/1.1\r\nHost: localhost\r\n",
    again: { everyMs: 1000, bytes: () => "x-a: b\r\n" },
  }),
  idler("slow bodies", "500 connections that send 100 bytes of 1 MiB each second", {
    first: () => announced(MIB),
    again: { everyMs: 1000, bytes: () => "a=".repeat(50) },
  }),
  idler("large bodies that stall", "500 connections that send 1 MiB but for its last byte", {
    first: () => `${announced(MIB)}${"a=1&".repeat(MIB / 4).slice(1)}`,
  }),
];

function idler(name: string, what: string, sending: Pick<Sending, "first" | "again">): Attack {
  return siege(name, what, { port: facade, connections: 500, ...sending });
}

/** The shapes of requests that proxies and servers have read differently. Each is refused, or read as one request. */
export const SMUGGLING: Readonly<Record<string, string>> = {
  "a length and chunks": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "chunks and a length": "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
  "two lengths that differ": "Content-Length: 0\r\nContent-Length: 40\r\n\r\n",
  "two lengths that agree": "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
  "a list of lengths": "Content-Length: 0, 0\r\n\r\n",
  "a length with a sign": "Content-Length: +0\r\n\r\n",
  "a length below zero": "Content-Length: -1\r\n\r\n",
  "a length in hex": "Content-Length: 0x0\r\n\r\n",
  "a length without end": "Content-Length: 99999999999999999999\r\n\r\n",
  "an encoding that ends in chunked": "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  "an encoding behind chunked": "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
  "two encodings": "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
  "a space before the colon": "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
  "a folded encoding": "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
  "a folded header": "X-A: a\r\n b\r\n\r\n",
  "a bare line feed": "X-A: a\nContent-Length: 40\r\n\r\n",
  "a bare carriage return": "X-A: a\rContent-Length: 40\r\n\r\n",
  "a NUL": "X-A: a\0b\r\n\r\n",
  "a header without a name": ": a\r\n\r\n",
  "a chunk below zero": "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
  "a chunk beyond all numbers": "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n",
  "chunks with bare line feeds": "Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
};

/** Requests that cost more to read than to send, as the limits let them through or stop them. */
const HEAVY: Readonly<Record<string, (target: Target) => Buffer>> = {
  "100,000 form keys": ({ appId }) =>
    post("/trace", FORM, `app_id=${appId}&action_type=other&${repeated(100_000, (n) => `k${n}=1&`)}`),
  "100,000 names that are no UTF-8": ({ appId }) =>
    post("/trace", FORM, `app_id=${appId}&action_type=other&${repeated(100_000, () => "%ff=%z&")}`),
  "names that are numbers": ({ appId }) =>
    post("/trace", FORM, `app_id=${appId}&action_type=other&${repeated(100_000, (n) => `${n}=1&`)}`),
  "10,000 parts": ({ appId }) => {
    const parts = ["app_id", "action_type", ...Array.from({ length: 10_000 }, (_, n) => `k${n}`)];
    const body = parts.map(
      (name) =>
        `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name === "app_id" ? appId : "other"}\r\n`,
    );
    return post("/trace", "multipart/form-data; boundary=X", `${body.join("")}--X--\r\n`);
  },
  "lists of 65,000 places": ({ appId }) =>
    post(
      "/trace",
      FORM,
      `app_id=${appId}&action_type=product_view&product_ids=1&product_titles=${"|".repeat(65_000)}&product_category_ids=${"1~".repeat(30_000)}`,
    ),
  "JSON nested 500,000 deep": () => post("/recommend", "application/json", "[".repeat(500_000) + "]".repeat(500_000)),
  "JSON of 100,000 names": ({ appId }) =>
    post(
      "/recommend",
      "application/json",
      `{"appId":"${appId}","productInteractions":[],${repeated(80_000, (n) => `"k${n}":1,`)}"z":1}`,
    ),
  "500,000 current ids": ({ appId }) =>
    post(
      "/recommend",
      "application/json",
      `{"appId":"${appId}","productInteractions":[],"currentProductIds":"${"1,".repeat(500_000)}"}`,
    ),
};

/** Values that have broken parsers, logs and headers of others. */
const ODD_VALUES = [
  "a\0b",
  "a\r\nSet-Cookie: x=y",
  "a\u001b[31mb",
  "a\u2028b\u0085c",
  "__proto__",
  "\ud83d\ude00".repeat(50),
  "%00%0d%0a",
  "{{7*7}}",
  "' OR 1=1 --",
  "\u202etxt",
  "[object Object]",
];
const ODD_NAMES = ["__proto__", "constructor", "prototype", "__proto__[x]", "toString", "a\r\nb", "\0", "$where"];
export const CONTENT_TYPES = [
  "application/json\ta",
  " application/json",
  "application/json garbage",
  "APPLICATION/JSON",
  "application/x-www-form-urlencoded\t",
  "application/x-www-form-urlencoded; charset=utf-7",
  'APPLICATION/X-WWW-FORM-URLENCODED;charset="x',
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "text/plain; a=b; a=c",
  "text/plain, application/json",
  ";",
  "*/*",
];

const oddForm = (appId: string, n: number) =>
  new URLSearchParams([
    ["app_id", appId],
    ["action_type", "other"],
    ...ODD_NAMES.map((name, at): [string, string] => [name, ODD_VALUES[(n + at) % ODD_VALUES.length] ?? ""]),
    ...["c_id", "fp_ccid", "email", "phone", "search_query", "product_ids", "coupon"].map(
      (name, at): [string, string] => [name, ODD_VALUES[(n + at) % ODD_VALUES.length] ?? ""],
    ),
  ]).toString();

/** A heavy request each second from each of four connections, all kinds in turn. */
const heavy: Attack = siege(
  "heavy bodies",
  "4 connections, each sends up to 1 MiB of form, multipart or JSON a second",
  {
    port: facade,
    connections: 4,
    again: {
      everyMs: 1000,
      bytes: inTurn(Object.values(HEAVY)),
      afterAnswer: true,
    },
  },
);

/** Made once for a target: what they cost to make is not the attack. */
function inTurn(makers: readonly ((target: Target) => Buffer)[]): (target: Target) => Buffer {
  const made = new Map<number, Buffer>();
  let next = 0;
  return (target) => {
    const at = next++ % makers.length;
    const bytes = made.get(at) ?? makers[at]?.(target) ?? Buffer.alloc(0);
    made.set(at, bytes);
    return bytes;
  };
}

const chatty = (
  name: string,
  what: string,
  connections: number,
  bytes: (target: Target, n: number) => string | Uint8Array,
): Attack =>
  siege(name, what, { port: facade, connections, first: bytes, again: { everyMs: 100, bytes, afterAnswer: true } });

export const HTTP_ATTACKS: readonly Attack[] = [
  ...IDLERS,
  siege("coming and going", "100 connections, reset after 50 ms and opened again", {
    port: facade,
    connections: 100,
    leavesAfterMs: 50,
  }),
  chatty(
    "large headers",
    "20 connections, each sends 17 KiB of header ten times a second",
    20,
    () => `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${"x".repeat(17_000)}: y\r\n\r\n`,
  ),
  chatty("large bodies", "20 connections, each announces or sends more than 1 MiB ten times a second", 20, (_, n) =>
    n % 2 === 0
      ? announced(MIB + 1)
      : `POST /trace HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${(MIB + 1).toString(16)}\r\n${"x".repeat(MIB + 1)}\r\n`,
  ),
  heavy,
  chatty("requests read differently", "20 connections, each sends one of 22 shapes ten times a second", 20, (_, n) => {
    const shapes = Object.values(SMUGGLING);
    return `POST /trace HTTP/1.1\r\nHost: localhost\r\n${shapes[n % shapes.length]}`;
  }),
  chatty(
    "odd fields",
    "20 connections, each sends `__proto__`, NUL, CR/LF and the like ten times a second",
    20,
    ({ appId }, n) => post("/trace", FORM, oddForm(appId, n)),
  ),
  chatty("odd content types", "20 connections, each lies about its content ten times a second", 20, ({ appId }, n) =>
    post(n % 2 === 0 ? "/trace" : "/recommend", CONTENT_TYPES[n % CONTENT_TYPES.length] ?? "", oddForm(appId, n)),
  ),
  siege("unread answers", "20 connections, each asks 20 times a second and reads nothing", {
    port: facade,
    connections: 20,
    unread: true,
    again: {
      everyMs: 500,
      bytes: ({ appId }) =>
        Buffer.concat(
          Array.from({ length: 10 }, () =>
            post("/recommend", "application/json", `{"appId":"${appId}","productInteractions":[]}`),
          ),
        ),
    },
  }),
];
