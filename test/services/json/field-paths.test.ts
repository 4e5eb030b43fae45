/** Refusals name a field by its full path, in the spelling of the sender's format. */
import { create, createRegistry, type DescMessage, fromJsonString, toBinary } from "@bufbuild/protobuf";
import { ConnectError, type ConnectRouter, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, it } from "vitest";
import { InvalidArgument } from "../../../src/domain/errors.js";
import { AppService, UpdateAppRequestSchema } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../../src/gen/aisle/v1/catalog_service_pb.js";
import {
  EventService,
  RecordEventRequestSchema,
  RecordEventsRequestSchema,
} from "../../../src/gen/aisle/v1/event_service_pb.js";
import { RecommendationService } from "../../../src/gen/aisle/v1/recommendation_service_pb.js";
import {
  GetContactRequestSchema,
  SetSubscriptionRequestSchema,
  SubscriptionService,
} from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  file_google_rpc_error_details,
} from "../../../src/gen/google/rpc/error_details_pb.js";
import { statusOf, toConnectError } from "../../../src/services/errors/errors.js";
import { createNamingDecoder } from "../../../src/services/json/json-messages.js";
import { inNamesOfCaller } from "../../../src/services/json/json-names.js";
import { unknownEnumNumber } from "../../../src/services/json/known-enums.js";
import { createRpcListener } from "../../../src/services/wire/rpc-listener.js";
import { createFixtureRoutes } from "../wire/rpc-fixture.js";

const registry = createRegistry(file_google_rpc_error_details);

/** A number that no enum has. */
const UNKNOWN: number = 99;

/** The field that the violation of JSON names. */
function fieldOf(desc: DescMessage, json: object): string | undefined {
  try {
    createNamingDecoder(desc).decode(Buffer.from(JSON.stringify(json)));
    return undefined;
  } catch (error) {
    return ConnectError.from(error).findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field;
  }
}

describe("a violation in JSON", () => {
  it.each([
    [RecordEventRequestSchema, { event: { eventTime: "yesterday" } }, "event.eventTime"],
    [RecordEventRequestSchema, { event: { event_time: "yesterday" } }, "event.event_time"],
    [RecordEventsRequestSchema, { events: [{}, { event_time: "2026-02-30T00:00:00Z" }] }, "events[1].event_time"],
    [UpdateAppRequestSchema, { updateMask: ["x"] }, "updateMask"],
    [UpdateAppRequestSchema, { update_mask: 5 }, "update_mask"],
    [UpdateAppRequestSchema, { app: { privacy: { retention: "a year" } } }, "app.privacy.retention"],
    [
      RecordEventRequestSchema,
      { event: { products: [{}, {}, { price: { units: 1 } }] } },
      "event.products[2].price.units",
    ],
    [RecordEventRequestSchema, { event: { products: [{}, { quantity: 2 ** 40 }] } }, "event.products[1].quantity"],
    [RecordEventsRequestSchema, { events: [{}, { products: [{ quantity: "x" }] }] }, "events[1].products[0].quantity"],
    [RecordEventRequestSchema, { event: { extraFields: { "ada@example.com": 1 } } }, "event.extraFields[*]"],
    [SetSubscriptionRequestSchema, { emailState: "SUBSCRIPTION_STATE_SUBSCRIBED", email_state: 3 }, "email_state"],
    [GetContactRequestSchema, { email: "a@shop.example", phone: "+48123456789" }, "phone"],
    [UpdateAppRequestSchema, { app: { privacy: { signals: 1, ["__proto__"]: 1 } } }, "app.privacy.__proto__"],
  ])("has the full path as the sender wrote it: %# %j", (desc, json, path) => {
    expect(fieldOf(desc, json)).toBe(path);
  });
});

it.each([
  ['{"etag":"a","etag":"b"}', "etag"],
  ['{"app":{"linkTrust":1,"linkTrust":2}}', "linkTrust"],
])("a name that JSON has twice is named: %s", (json, name) => {
  const decode = () => createNamingDecoder(UpdateAppRequestSchema).decode(Buffer.from(json));
  expect(decode).toThrow(`Invalid field: ${name}, accepted is one value; the field is given twice`);
});

it.each([
  "displayName,privacy.rejectedRetention",
  "display_name,privacy.rejected_retention",
  "displayName,privacy.rejected_retention",
])("a field mask in JSON may be spelt %s", (updateMask) => {
  const json = createNamingDecoder(UpdateAppRequestSchema).decode(Buffer.from(JSON.stringify({ updateMask })));
  expect(fromJsonString(UpdateAppRequestSchema, json).updateMask?.paths).toEqual([
    "display_name",
    "privacy.rejected_retention",
  ]);
});

describe("an unknown number of an enum", () => {
  let url = "";
  beforeAll(async () => {
    const listener = createRpcListener({ routes: createFixtureRoutes(), host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${(await listener.listen()).port}`;
    return () => listener.close(0);
  });

  const transports = [
    ["gRPC", () => createGrpcTransport({ baseUrl: url })],
    ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" })],
    ["Connect", () => createConnectTransport({ baseUrl: url, httpVersion: "2" })],
  ] as const;

  it.each(transports)("is refused by name in a binary message by %s", async (_, transport) => {
    const call = createClient(AppService, transport()).createApp({ app: { appId: "shop", linkTrust: UNKNOWN } });
    await expect(call).rejects.toThrow("[invalid_argument] Invalid field: app.link_trust, accepted are LINK_TRUST_");
  });

  it.each(transports)("is refused by name in a later message of a stream by %s", async (_, transport) => {
    async function* batches() {
      yield { appId: "shop", events: [{}] };
      yield { appId: "shop", events: [{}, { senderType: UNKNOWN }] };
    }
    const call = createClient(EventService, transport()).recordEvents(batches());
    await expect(call).rejects.toThrow("[invalid_argument] Invalid field: events[1].sender_type, accepted are ");
  });

  it("is found in fields of their own and below others, and known numbers pass", () => {
    const wrong = create(SetSubscriptionRequestSchema, { emailState: UNKNOWN });
    expect(unknownEnumNumber(SetSubscriptionRequestSchema, wrong)?.field).toBe("email_state");
    expect(toBinary(SetSubscriptionRequestSchema, wrong).length).toBeGreaterThan(0);
    const right = create(SetSubscriptionRequestSchema, { emailState: 1 });
    expect(unknownEnumNumber(SetSubscriptionRequestSchema, right)).toBeUndefined();
  });
});

describe("a field that a service refuses", () => {
  let url = "";
  beforeAll(async () => {
    const fault = () => {
      const others = [
        { field: "app.privacy.rejected_retention", fault: "missing", accepted: "" },
        { field: "page_token", fault: "invalid", accepted: "the next_page_token of an answer, no made_up_word" },
      ] as const;
      return toConnectError(new InvalidArgument("update_mask", "invalid", "some of app_id, page_size", others));
    };
    const frameFault = toConnectError(
      new InvalidArgument("request.frame_id", "invalid", "none: frame_ids names the frames"),
    );
    const routes = (router: ConnectRouter) => {
      router.service(AppService, {
        updateApp: () => Promise.reject(fault()),
        getApp: () => Promise.reject(fault()),
      });
      router.service(RecommendationService, {
        batchRecommend: (_, { values }) => ({
          results: [{ result: { case: "error", value: statusOf(inNamesOfCaller(frameFault, values)) } }],
        }),
      });
      const refusal = () => ({
        field: "event.order.order_id",
        reason: "is not accepted: one of app_id, no made_up_word",
      });
      router.service(EventService, {
        batchRecordEvents: () => ({ refused: [refusal()] }),
        listRejectedEvents: () => ({ rejectedEvents: [{ ...refusal(), event: { actionType: "a_b" } }] }),
        replayRejectedEvents: () => ({ refused: [refusal()] }),
      });
      router.service(CatalogService, { updateProducts: () => ({ results: [refusal()] }) });
      router.service(SubscriptionService, {
        importContacts: () => Promise.resolve({ refused: [refusal()] }),
        // biome-ignore lint/correctness/useYield: it fails before its first answer
        async *verifyLedger() {
          throw fault();
        },
      });
    };
    const listener = createRpcListener({ routes, host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${(await listener.listen()).port}`;
    return () => listener.close(0);
  });

  const http = () => ({ baseUrl: url, httpVersion: "1.1", jsonOptions: { registry } }) as const;
  const JSON_TEXT =
    "Invalid field: updateMask, some of appId, pageSize; Missing required field: app.privacy.rejectedRetention; Invalid field: pageToken, the nextPageToken of an answer, no made_up_word";
  const PROTO_TEXT =
    "Invalid field: update_mask, some of app_id, page_size; Missing required field: app.privacy.rejected_retention; Invalid field: page_token, the next_page_token of an answer, no made_up_word";

  it.each([
    ["Connect with JSON", JSON_TEXT, () => createConnectTransport({ ...http(), useBinaryFormat: false })],
    [
      "Connect with JSON by GET",
      JSON_TEXT,
      () => createConnectTransport({ ...http(), useHttpGet: true, useBinaryFormat: false }),
    ],
    ["gRPC-Web with JSON", JSON_TEXT, () => createGrpcWebTransport({ ...http(), useBinaryFormat: false })],
    ["Connect with binary messages", PROTO_TEXT, () => createConnectTransport({ ...http(), useBinaryFormat: true })],
    ["gRPC", PROTO_TEXT, () => createGrpcTransport({ baseUrl: url })],
  ] as const)("has the name that its sender writes: %s", async (_, text, transport) => {
    const apps = createClient(AppService, transport());
    const ledger = createClient(SubscriptionService, transport());
    const stream = () => ledger.verifyLedger({})[Symbol.asyncIterator]().next();
    for (const call of [() => apps.updateApp({}), () => apps.getApp({}), stream]) {
      const error: ConnectError | undefined = await call().then(() => undefined, ConnectError.from);
      expect(error?.rawMessage).toBe(text);
      expect(
        error
          ?.findDetails(BadRequestSchema)[0]
          ?.fieldViolations.map(({ field }) => field)
          .join("; "),
      ).toBe(text.replaceAll(/(Invalid|Missing required) field: |, [^;]*/g, ""));
      expect(error?.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "INVALID_FIELDS" }]);
    }
    const { results } = await createClient(RecommendationService, transport()).batchRecommend({});
    const [one, many] = text === JSON_TEXT ? ["frameId", "frameIds"] : ["frame_id", "frame_ids"];
    expect(results.map(({ result }) => result.case === "error" && result.value.message)).toEqual([
      `Invalid field: request.${one}, none: ${many} names the frames`,
    ]);
    const events = createClient(EventService, transport());
    const { rejectedEvents } = await events.listRejectedEvents({});
    const refused = [
      (await events.batchRecordEvents({})).refused,
      rejectedEvents,
      (await events.replayRejectedEvents({})).refused,
      (await createClient(CatalogService, transport()).updateProducts({})).results,
      (await ledger.importContacts(none())).refused,
    ];
    const [orderId, appId] = text === JSON_TEXT ? ["orderId", "appId"] : ["order_id", "app_id"];
    const named = [`event.order.${orderId}`, `is not accepted: one of ${appId}, no made_up_word`];
    expect(refused.flat().map(({ field, reason }) => [field, reason])).toEqual(refused.map(() => named));
    expect(rejectedEvents[0]?.event?.actionType).toBe("a_b");
  });
});

async function* none(): AsyncGenerator<never, void, undefined> {}

describe("a read by GET", () => {
  let url = "";
  beforeAll(async () => {
    const listener = createRpcListener({ routes: createFixtureRoutes(), host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${(await listener.listen()).port}/aisle.v1.AppService/GetApp`;
    return () => listener.close(0);
  });

  it.each([
    ["connect=v1&encoding=json&message=%7B%7D&lang=de", "Invalid field: lang, accepted are connect, encoding, base64"],
    ["encoding=json&message=%7B%7D&ada%40x.example=1", "Invalid field: a parameter that is unknown, accepted are"],
    ["connect=v2&encoding=json&message=%7B%7D", "Invalid field: connect, accepted is v1"],
    ["encoding=xml&message=%7B%7D", "Invalid field: encoding, accepted are json and proto"],
    ["message=%7B%7D", "Missing required field: encoding"],
    ["encoding=json", "Missing required field: message"],
    ["encoding=json&message=%7B%7D&message=%7B%7D", "Invalid field: message, accepted once"],
    ["encoding=json&message=%7B", "Invalid field: message, accepted is JSON of aisle.v1.GetAppRequest"],
    ["encoding=json&message=", "Invalid field: message, accepted is JSON of aisle.v1.GetAppRequest"],
    ["encoding=proto&base64=1&message=%21", "Invalid field: message, accepted is base64"],
    ["encoding=json&message=%7B%7D&compression=zstd", "Invalid field: compression, accepted are gzip, br and identity"],
    ["encoding=json&message=%7B%22appId%22%3A5%7D", "Invalid field: appId, accepted is a text"],
  ])("is INVALID_ARGUMENT that names the parameter: %s", async (query, text) => {
    const answer = await fetch(`${url}?${query}`);
    const { code, message }: { code?: string; message?: string } = JSON.parse(await answer.text());
    expect([answer.status, code]).toEqual([400, "invalid_argument"]);
    expect(message).toContain(text);
  });

  it.each(["connect=v1&encoding=json&message=%7B%22appId%22%3A%22x%22%7D", "encoding=proto&base64=1&message="])(
    "goes on as before: %s",
    async (query) => {
      expect((await fetch(`${url}?${query}`)).status).toBe(404);
    },
  );
});
