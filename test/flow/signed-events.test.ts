import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/domain/signature.js";
import { LinkTrust } from "../../src/gen/aisle/v1/app_pb.js";
import { SenderType } from "../../src/gen/aisle/v1/event_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

/** Nobody's network: only a signature makes what it posts the shop's word. */
const ELSEWHERE = "203.0.113.9";
const FORM = "application/x-www-form-urlencoded";
const UNKNOWN = '{"error":"Unknown signature in header: X-Aisle-Signature"}';
const EXPIRED = '{"error":"Expired header: X-Aisle-Timestamp, within 5 minutes is accepted"}';

const stores = await storeKinds();

describe.each(stores)("signed events: $name", ({ openStore }) => {
  async function shop() {
    const aisle = await openAisle(openStore);
    const { rpc, facade, now } = aisle;
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const newSecret = async () => (await rpc.apps.createSigningSecret({ appId: "shop" })).secret;
    const send = async (payload: string, headers: Record<string, string> = {}, type = FORM) => {
      const answer = await facade.inject({
        method: "POST",
        url: "/trace",
        remoteAddress: ELSEWHERE,
        headers: { "content-type": type, ...headers },
        payload,
      });
      const { statusCode: status, body } = answer;
      return { status, body, eventId: String(answer.headers["x-service-event-id"] ?? ""), headers: answer.headers };
    };
    const signed = (secret: string, body: string, { id = "evt_1", at = now() } = {}) => {
      const timestamp = String(Math.floor(at / 1000));
      return {
        "x-aisle-id": id,
        "x-aisle-timestamp": timestamp,
        "x-aisle-signature": sign(secret, { id, timestamp, body }),
      };
    };
    const events = async () => (await rpc.events.listEvents({ appId: "shop" })).events;
    return { ...aisle, newSecret, send, signed, events };
  }

  const ORDER = "app_id=shop&action_type=order&sender_type=server&order_id=1&product_ids=p1%7Cp2";

  it("are accepted with every kind of body, and only as they were signed", async () => {
    const { newSecret, send, signed, events } = await shop();
    const secret = await newSecret();
    const multipart = (order: number) =>
      [
        ["app_id", "shop"],
        ["action_type", "order"],
        ["order_id", String(order)],
        ["product_ids", "p1|p2"],
      ]
        .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join("")
        .concat("--b--\r\n");
    const bodies: [string, string][] = [
      [FORM, ORDER],
      ["text/plain;charset=UTF-8", `\ufeff${ORDER.replace("order_id=1", "order_id=2&city=%C5%BDilina+ž")}\r\n`],
      ["multipart/form-data; boundary=b", multipart(3)],
      ["", ORDER.replace("order_id=1", "order_id=4")],
    ];
    for (const [n, [type, body]] of bodies.entries()) {
      const headers = signed(secret, body, { id: `evt_${n}` });
      expect(await send(`${body} `, headers, type)).toMatchObject({ status: 401, body: UNKNOWN });
      expect(await send(body, headers, type)).toMatchObject({ status: 200 });
    }
    expect((await events()).map(({ order }) => order?.orderId)).toEqual(["1", "2", "3", "4"]);
  });

  it("count as the shop's own from any network: they prove a link, which unsigned ones do not", async () => {
    const { newSecret, send, signed, rpc, status, now } = await shop();
    await rpc.apps.updateApp({ app: { appId: "shop", linkTrust: LinkTrust.STRICT } });
    for (const email of ["ada@shop.example", "bea@shop.example"])
      await rpc.subscriptions.setSubscription({ appId: "shop", email, emailState: SubscriptionState.SUBSCRIBED });
    now.at += 60_000;
    const order = (name: string) => `${ORDER}-${name}&email=${name}%40shop.example&fp_ccid=fp-${name}`;
    const body = order("ada");
    expect(await send(body, signed(await newSecret(), body))).toMatchObject({ status: 200 });
    expect(await send(order("bea"))).toMatchObject({ status: 200 });
    expect(await status("shop", "fp-ada")).toMatchObject({ identified: true, status: true });
    expect(await status("shop", "fp-bea")).toMatchObject({ status: null });
  });

  it("have a rate limit that no stranger can use up, also on the same network", async () => {
    const { newSecret, send, signed } = await shop();
    const secret = await newSecret();
    const spam = await Promise.all(Array.from({ length: 150 }, () => send(ORDER)));
    expect(spam.filter(({ status }) => status === 429)).toHaveLength(50);
    const real = Array.from({ length: 30 }, (_, n) => send(ORDER, signed(secret, ORDER, { id: `evt_${n}` })));
    expect((await Promise.all(real)).map(({ status }) => status)).toEqual(new Array<number>(30).fill(200));
  });

  it("are stored once when repeated, whatever key or cookie is added", async () => {
    const { newSecret, send, signed, events, now } = await shop();
    const headers = signed(await newSecret(), ORDER);
    const first = await send(ORDER, headers);
    now.at += 299_000;
    expect(await send(ORDER, headers)).toMatchObject({ status: 200, eventId: first.eventId });
    expect(await send(ORDER, { ...headers, "idempotency-key": "other" })).toMatchObject({ eventId: first.eventId });
    expect(await send(ORDER, { ...headers, cookie: "fp_ccid=stranger" })).toMatchObject({ eventId: first.eventId });
    expect(await events()).toHaveLength(1);
    now.at += 2_000;
    expect(await send(ORDER, headers)).toMatchObject({ status: 401, body: EXPIRED });
  });

  it("are rejected with an error that names the wrong header, and not stored", async () => {
    const { newSecret, send, signed, events, now, rpc } = await shop();
    const secret = await newSecret();
    const good = signed(secret, ORDER);
    const without = (name: keyof typeof good) =>
      Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
    const missing = (name: string) => ({ status: 400, body: `{"error":"Missing required header: ${name}"}` });
    const invalid = (name: string) => ({ status: 400, body: `{"error":"Invalid header: ${name}"}` });
    const cases: [Record<string, string>, { status: number; body: string }][] = [
      [without("x-aisle-id"), missing("X-Aisle-Id")],
      [without("x-aisle-timestamp"), missing("X-Aisle-Timestamp")],
      [without("x-aisle-signature"), missing("X-Aisle-Signature")],
      [{ ...good, "x-aisle-signature": "" }, missing("X-Aisle-Signature")],
      [{ ...good, "x-aisle-id": "evt.1" }, invalid("X-Aisle-Id")],
      [{ ...good, "x-aisle-id": "x".repeat(256) }, invalid("X-Aisle-Id")],
      [{ ...good, "x-aisle-timestamp": "0001" }, invalid("X-Aisle-Timestamp")],
      [{ ...good, "x-aisle-timestamp": new Date(now()).toISOString() }, invalid("X-Aisle-Timestamp")],
      [{ ...good, "x-aisle-signature": "abc" }, invalid("X-Aisle-Signature")],
      [
        { ...good, "x-aisle-signature": "v1,AAAA" },
        { status: 401, body: UNKNOWN },
      ],
      [
        { ...good, "x-aisle-signature": good["x-aisle-signature"].replace("v1,", "v2,") },
        { status: 401, body: UNKNOWN },
      ],
      [
        { ...good, "x-aisle-id": "evt_2" },
        { status: 401, body: UNKNOWN },
      ],
      [signed(secret, ORDER, { at: now() - 301_000 }), { status: 401, body: EXPIRED }],
      [signed(secret, ORDER, { at: now() + 301_000 }), { status: 401, body: EXPIRED }],
      [signed(`whsec_${Buffer.alloc(32).toString("base64")}`, ORDER), { status: 401, body: UNKNOWN }],
    ];
    for (const [headers, answer] of cases) expect(await send(ORDER, headers)).toMatchObject(answer);
    expect((await send(ORDER, { ...good, "x-aisle-id": "evt_2" })).headers["www-authenticate"]).toBe("Aisle-Signature");
    expect(await events()).toEqual([]);
    expect((await rpc.events.listRejectedEvents({ appId: "shop" })).rejectedEvents).toEqual([]);
    expect(
      await send(ORDER, { ...good, "x-aisle-signature": `v1a,zz v1,AAAA ${good["x-aisle-signature"]}` }),
    ).toMatchObject({
      status: 200,
    });
  });

  it("are rejected for an app without a secret, another app and an unknown one; unsigned ones are accepted as before", async () => {
    const { newSecret, send, signed, rpc } = await shop();
    await rpc.apps.createApp({ app: { appId: "other" } });
    expect(await send(ORDER, signed("whsec_", ORDER))).toMatchObject({ status: 401, body: UNKNOWN });
    expect(await send(ORDER)).toMatchObject({ status: 200 });
    const secret = await newSecret();
    const toOther = ORDER.replace("shop", "other");
    expect(await send(toOther, signed(secret, toOther))).toMatchObject({ status: 401, body: UNKNOWN });
    const toNone = ORDER.replace("shop", "none");
    expect(await send(toNone, signed(secret, toNone))).toMatchObject({
      status: 400,
      body: '{"error":"Invalid app_id"}',
    });
  });

  it("are valid with both secrets during a rotation, and with no removed one", async () => {
    const { send, signed, rpc } = await shop();
    const make = (replaceOldest = false) => rpc.apps.createSigningSecret({ appId: "shop", replaceOldest });
    let n = 0;
    const statusOf = async (secret: string) => (await send(ORDER, signed(secret, ORDER, { id: `evt_${n++}` }))).status;
    const [one, two] = [await make(), await make()];
    expect([await statusOf(one.secret), await statusOf(two.secret)]).toEqual([200, 200]);
    await expect(make()).rejects.toMatchObject({ code: Code.FailedPrecondition });
    const three = await make(true);
    expect([await statusOf(one.secret), await statusOf(two.secret), await statusOf(three.secret)]).toEqual([
      401, 200, 200,
    ]);
    const listed = await rpc.apps.listSigningSecrets({ appId: "shop" });
    expect(listed.signingSecrets.map(({ secretId }) => secretId)).toEqual(
      [two, three].map(({ signingSecret }) => signingSecret?.secretId),
    );
    expect(JSON.stringify(listed, (_, value) => (typeof value === "bigint" ? Number(value) : value))).not.toContain(
      "whsec_",
    );
    const { secretId = "" } = two.signingSecret ?? {};
    await rpc.apps.deleteSigningSecret({ appId: "shop", secretId });
    await expect(rpc.apps.deleteSigningSecret({ appId: "shop", secretId })).rejects.toMatchObject({
      code: Code.NotFound,
    });
    expect([await statusOf(two.secret), await statusOf(three.secret)]).toEqual([401, 200]);
    await expect(rpc.apps.createSigningSecret({ appId: "none" })).rejects.toMatchObject({ code: Code.NotFound });
  });

  it("are checked by the services, which do not trust a facade's claim", async () => {
    const { newSecret, signed, rpc } = await shop();
    const secret = await newSecret();
    const headers = signed(secret, ORDER);
    const signature = {
      id: headers["x-aisle-id"],
      timestamp: headers["x-aisle-timestamp"],
      signatures: headers["x-aisle-signature"],
      body: Buffer.from(ORDER),
    };
    const event = { actionType: "other", senderType: SenderType.SERVER };
    const publicSender = { network: "203.0.113.0/24" };
    const record = (body: Buffer) =>
      rpc.events.recordEvent({ appId: "shop", event, publicSender, signature: { ...signature, body } });
    await expect(record(Buffer.from("app_id=other"))).rejects.toMatchObject({ code: Code.Unauthenticated });
    const { eventId } = await record(signature.body);
    expect(await record(signature.body)).toMatchObject({ eventId, deduplicated: true });
  });
});
