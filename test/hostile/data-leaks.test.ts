import { type DescField, type DescMessage, type DescMethod, type DescService, ScalarType } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { TRACE_FIELDS } from "../../src/facade/trace-fields.js";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { PrivacyService } from "../../src/gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { Health } from "../../src/gen/grpc/health/v1/health_pb.js";
import { createLog } from "../../src/server/log.js";
import { openFacade } from "../facade/fixture.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const SERVICES: readonly DescService[] = [
  AppService,
  CatalogService,
  EventService,
  ModelService,
  PrivacyService,
  RecommendationService,
  SubscriptionService,
  Health,
];

/** In everything that is sent, and to be found nowhere. */
const MARK = "zq7mark";
/** With what breaks lines and steers terminals; headers cannot carry it. */
const DIRTY = `${MARK}\r\n{"level":60,"msg":"forged"}\u001b[2J\u2028`;

const HEADERS = {
  "user-agent": MARK,
  referer: `https://${MARK}.example/${MARK}`,
  cookie: `fp_ccid=${MARK}; ${MARK}=${MARK}; CustomerSubscribedChecked_shop=${MARK}`,
  "idempotency-key": MARK,
  "x-forwarded-for": MARK,
  "x-real-ip": MARK,
  forwarded: `for=${MARK}`,
  traceparent: MARK,
  "accept-language": MARK,
  authorization: `Bearer ${MARK}`,
  [MARK]: MARK,
};

/** The text of an answer that is an error; "" for others, which may tell callers their own. */
async function errorOf(answer: Response): Promise<string> {
  const text = await answer.text();
  return answer.ok ? "" : `${answer.status} ${text}`;
}

/** A message in which every text is a mark, but for the app's id. */
function marked(message: DescMessage, appId: string, depth = 0): Record<string, unknown> {
  const fields = message.fields.filter((field) => depth < 4 || field.fieldKind === "scalar");
  const isChosen = (field: DescField) => field.oneof === undefined || field.oneof.fields[0] === field;
  return Object.fromEntries(
    fields
      .filter(isChosen)
      .map((field) => [field.jsonName, field.name === "app_id" ? appId : fieldValue(field, appId, depth)]),
  );
}

function fieldValue(field: DescField, appId: string, depth: number): unknown {
  if (field.fieldKind === "map")
    return { [DIRTY]: field.mapKind === "message" ? marked(field.message, appId, depth + 1) : scalar(field.scalar) };
  const one = () => {
    if (field.message?.typeName === "google.protobuf.Timestamp") return "2026-03-01T10:00:00Z";
    if (field.message?.typeName === "google.protobuf.Duration") return "1s";
    if (field.message !== undefined) return marked(field.message, appId, depth + 1);
    return scalar(field.scalar);
  };
  return field.fieldKind === "list" ? [one()] : one();
}

function scalar(type: ScalarType | undefined): unknown {
  if (type === ScalarType.STRING) return DIRTY;
  if (type === ScalarType.BOOL) return true;
  return type === ScalarType.BYTES ? Buffer.from(DIRTY).toString("base64") : 1;
}

/** Calls a method by Connect with marks in all it takes, and gives the text of its error. */
async function callMarked(rpcUrl: string, method: DescMethod, appId: string): Promise<string> {
  const url = `${rpcUrl}/${method.parent.typeName}/${method.name}?${MARK}=${MARK}`;
  const json = Buffer.from(JSON.stringify(marked(method.input, appId)));
  const isUnary = method.methodKind === "unary";
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...HEADERS, "content-type": isUnary ? "application/json" : "application/connect+json" },
    body: isUnary ? json : Buffer.concat([head, json]),
    signal: AbortSignal.timeout(10_000),
  });
  if (isUnary) return `${method.name} ${await errorOf(answer)}`;
  // The last envelope of a stream holds its error.
  const text = await answer.text();
  return `${method.name} ${text.slice(text.lastIndexOf('{"error"'))}`;
}

describe("data that callers send", () => {
  it("is in no log, metric or error, whichever field, header, cookie, path or query it came by", async () => {
    const server = await startServer({ directory: await temporaryDirectory(), flags: ["--log-level", "trace"] });
    const { facadeUrl, rpcUrl } = server;
    await rpcClients(rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const errors: string[] = [];
    const ask = async (path: string, init: RequestInit = {}) => {
      errors.push(
        await errorOf(await fetch(`${facadeUrl}${path}`, { ...init, headers: { ...HEADERS, ...init.headers } })),
      );
    };
    const mark = encodeURIComponent(DIRTY);

    for (const path of [
      `/${MARK}`,
      `/${mark}`,
      `/demo/${mark}`,
      `/%zz${MARK}`,
      `/s/${mark}`,
      `/healthz?${mark}`,
      `/subscription_status?${mark}`,
      `/subscription_status?app_id=${mark}`,
      `/subscription_status?app_id=shop&fpcid=${mark}&force=${mark}`,
      `/subscription_status?app_id=shop&fpcid=${MARK}`,
    ])
      await ask(path);
    await ask(`/trace?${mark}`, { method: "PUT", body: MARK });
    const form = (fields: Iterable<string>, appId: string) =>
      new URLSearchParams([
        ["app_id", appId],
        ...[...fields].map((name): [string, string] => [name, DIRTY]),
        [DIRTY, DIRTY],
      ]);
    const names = [...TRACE_FIELDS].filter((name) => name !== "app_id");
    await ask("/trace", { method: "POST", body: form(names, "shop") });
    await ask("/trace", { method: "POST", body: form(names, DIRTY) });
    await ask("/trace", { method: "POST", body: form(["action_type"], "shop") });
    for (const action of ["product_view", "category_view", "order", "subscribe", MARK]) {
      const fields = form(
        names.filter((name) => name !== "action_type"),
        "shop",
      );
      fields.set("action_type", action);
      await ask("/trace", { method: "POST", body: fields });
      await ask("/trace", { method: "POST", body: fields, headers: { origin: `https://${MARK}.example` } });
    }
    await ask("/trace", { method: "POST", body: MARK, headers: { "content-type": `${MARK}/${MARK}` } });
    await ask("/trace", { method: "POST", body: MARK, headers: { "content-type": `multipart/form-data; a=${MARK}` } });
    for (const body of [
      MARK,
      JSON.stringify(DIRTY),
      JSON.stringify({ [DIRTY]: DIRTY }),
      JSON.stringify({ appId: DIRTY, productInteractions: DIRTY }),
    ])
      await ask("/recommend", { method: "POST", body });
    for (const name of [
      "productInteractions",
      "recommendFrameInteractions",
      "currentProductIds",
      "filterByGroups",
      "cId",
      "fpccid",
      "version",
      "marketingMachineFrameConfigurationId",
      "externalCookieGaId",
    ])
      for (const value of [
        DIRTY,
        [DIRTY],
        [{ productInteractionType: DIRTY, utcInteractionDate: DIRTY }],
        { [DIRTY]: DIRTY },
      ])
        await ask("/recommend", {
          method: "POST",
          body: JSON.stringify({ appId: "shop", productInteractions: [], [name]: value }),
        });
    expect(errors.filter((text) => text !== "").length).toBeGreaterThan(20);
    expect(errors.filter((text) => text.includes(MARK))).toEqual([]);

    const rpcErrors: string[] = [];
    for (const method of SERVICES.flatMap((service) => service.methods)) {
      if (method.name === "Watch") continue; // answers for ever
      if (method.name !== "DeleteApp") rpcErrors.push(await callMarked(rpcUrl, method, "shop"));
      rpcErrors.push(await callMarked(rpcUrl, method, DIRTY));
    }
    rpcErrors.push(await errorOf(await fetch(`${rpcUrl}/${mark}`, { method: "POST", headers: HEADERS })));
    expect(rpcErrors.filter((text) => text.includes(MARK))).toEqual([]);

    const metrics = await (await fetch(`${rpcUrl}/metrics`)).text();
    expect(metrics).toContain("aisle_");
    expect(metrics).not.toContain(MARK);
    await server.end("SIGTERM");
    expect(server.output()).toContain("aisle is ready");
    expect(server.output()).not.toContain(MARK);
  }, 120_000);

  it.each<[string, Error]>([
    [
      "the store cannot be reached",
      new ConnectError("down", Code.Unavailable, undefined, undefined, new Error(`read "${DIRTY}"`)),
    ],
    [
      "a driver cites it",
      new ConnectError(
        "internal error",
        Code.Internal,
        undefined,
        undefined,
        new Error(`E11000 dup key: { _id: "shop\0${DIRTY}" }`),
      ),
    ],
    ["a parser cites it", new SyntaxError(`Unexpected token 'z', "${DIRTY}" is not valid JSON`)],
    ["an error carries it", Object.assign(new Error("failed"), { email: DIRTY, request: { body: DIRTY } })],
  ])("is neither logged nor quoted when %s", async (_, error) => {
    const lines: string[] = [];
    const logger = createLog("trace", (line) => void lines.push(line));
    const { facade } = openFacade({ recordEvent: error, getStatus: error, recommend: error }, { logger });
    const answers = [
      await facade.inject({
        method: "POST",
        url: `/trace?${MARK}`,
        headers: HEADERS,
        payload: `app_id=shop&action_type=${MARK}&email=${MARK}`,
      }),
      await facade.inject({ method: "GET", url: `/subscription_status?app_id=shop&fpcid=${MARK}`, headers: HEADERS }),
      await facade.inject({
        method: "POST",
        url: "/recommend",
        headers: HEADERS,
        payload: { appId: "shop", productInteractions: [], cId: MARK },
      }),
    ];
    for (const answer of answers) expect(answer.statusCode).toBeGreaterThanOrEqual(500);
    expect(answers.map(({ body, headers }) => body + JSON.stringify(headers)).join()).not.toContain(MARK);
    expect(lines.join()).not.toContain(MARK);
  });
});
