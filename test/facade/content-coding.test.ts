import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { FORM, openFacade } from "./fixture.js";

const EVENT = "app_id=shop&action_type=product_view&product_ids=1";
const ASKED = JSON.stringify({ appId: "shop", productInteractions: [] });
const PAGE = JSON.stringify({ appId: "shop", productInteractions: [], frames: ["below"] });

/** Every POST that reads its body, and the call that a good body makes. */
const POSTS = [
  ["/trace", FORM["content-type"], EVENT, "recordEvent"],
  ["/trace.php", FORM["content-type"], EVENT, "recordEvent"],
  ["/recommend", "application/json", ASKED, "recommend"],
  ["/recommend_page", "application/json", PAGE, "recommendPage"],
] as const;

const CODINGS: readonly [name: string, encode: (body: Buffer) => Buffer][] = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["identity", (body) => body],
  ["", (body) => body],
  ["identity, gzip", gzipSync],
  ["deflate, br", (body) => brotliCompressSync(deflateSync(body))],
];

const COMPRESSING = CODINGS.filter(([name]) => !["", "identity"].includes(name));

const UNSUPPORTED = { error: "Unsupported Content-Encoding: accepted are gzip, deflate, br and identity" };
const BROKEN = { error: "Invalid body: it cannot be decoded by its Content-Encoding" };
const TOO_LARGE = { error: "Request body too large" };

async function post(url: string, type: string, coding: string, payload: Buffer) {
  const { facade, calls } = openFacade();
  const headers = { "content-type": type, "content-encoding": coding };
  const answer = await facade.inject({ method: "POST", url, headers, payload });
  return { answer, calls };
}

describe.each(POSTS)("a body of POST %s", (url, type, body, call) => {
  it.each(CODINGS)("is decoded from the coding %j (%#)", async (coding, encode) => {
    const { answer, calls } = await post(url, type, coding, encode(Buffer.from(body)));
    expect([answer.statusCode, calls.map(({ name }) => name)]).toEqual([200, [call]]);
  });

  it.each(["zstd", "compress", "gzip, zstd", "zstd, gzip", "gzip;q=1", "gzip, gzip, gzip", "*", "\u00fcber"])(
    "is refused with the coding %j, and the answer says which are accepted",
    async (coding) => {
      const { answer, calls } = await post(url, type, coding, gzipSync(body));
      expect([answer.statusCode, answer.json(), answer.headers["accept-encoding"]]).toEqual([
        415,
        UNSUPPORTED,
        "gzip, deflate, br",
      ]);
      expect(calls).toEqual([]);
    },
  );

  it.each(COMPRESSING)(
    "is refused when it is cut, followed by more, changed or empty, in the coding %j (%#)",
    async (coding, encode) => {
      const whole = encode(Buffer.from(body));
      const bodies = [
        whole.subarray(0, whole.length - 1),
        whole.subarray(0, 1),
        Buffer.concat([whole, Buffer.from("more")]),
        Buffer.concat([whole, Buffer.alloc(3)]),
        Buffer.from(body),
        Buffer.alloc(0),
      ];
      for (const broken of bodies) {
        const { answer, calls } = await post(url, type, coding, broken);
        expect([answer.statusCode, answer.json()]).toEqual([400, BROKEN]);
        expect(calls).toEqual([]);
      }
    },
  );
});

it.each(COMPRESSING)(
  "a body of more than 1 MiB once decoded is refused in the coding %j (%#)",
  async (coding, encode) => {
    for (const size of [1024 * 1024 + 1, 8 * 1024 * 1024]) {
      const bomb = encode(Buffer.alloc(size, 0x20));
      for (const [url, type] of POSTS.filter(([path]) => path === "/trace" || path === "/recommend")) {
        const { answer, calls } = await post(url, type, coding, bomb);
        expect([answer.statusCode, answer.json(), calls]).toEqual([413, TOO_LARGE, []]);
      }
    }
  },
);

it("a link that is followed by POST has its body's coding checked, too", async () => {
  const type = FORM["content-type"];
  const followed = await post("/s/token", type, "gzip", gzipSync("List-Unsubscribe=One-Click"));
  expect([followed.answer.statusCode, followed.calls.map(({ name }) => name)]).toEqual([200, ["followLink"]]);
  const refused = await post("/s/token", type, "zstd", Buffer.from("x"));
  expect([refused.answer.statusCode, refused.answer.json(), refused.calls]).toEqual([415, UNSUPPORTED, []]);
});

it("the fields of a compressed event arrive as sent", async () => {
  const { calls } = await post("/trace", FORM["content-type"], "gzip", gzipSync(`${EVENT}&email=ada%40x.example`));
  expect(calls[0]?.request).toMatchObject({
    event: { contact: { email: "ada@x.example" }, products: [{ productId: "1" }] },
  });
});
