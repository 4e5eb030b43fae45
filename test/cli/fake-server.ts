import { createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { App } from "../../src/gen/aisle/v1/app_pb.js";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService, ProductUpdateOutcome } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { type Event, EventSchema } from "../../src/gen/aisle/v1/event_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import type { FrameConfiguration, FrameVersionSchema } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import type { FrameReportSchema } from "../../src/gen/aisle/v1/frame_report_pb.js";
import { type EvaluateModelRequest, ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import type { OperationSchema } from "../../src/gen/aisle/v1/operation_pb.js";
import { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";
import type { Product } from "../../src/gen/aisle/v1/product_pb.js";
import {
  type ExplainRecommendationResponseSchema,
  RecommendationService,
  type RecommendRequest,
} from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import type { RefusedItemSchema } from "../../src/gen/aisle/v1/refused_item_pb.js";
import {
  type GetStatusRequest,
  type GetStatusResponseSchema,
  SubscriptionService,
} from "../../src/gen/aisle/v1/subscription_service_pb.js";

/** What the fake server was told and what it answers. Tests read and change it. */
export interface FakeState {
  readonly apps: App[];
  readonly frames: FrameConfiguration[];
  frameVersions: MessageInitShape<typeof FrameVersionSchema>[];
  frameReports: MessageInitShape<typeof FrameReportSchema>[];
  /** Of the last frame that was set. */
  etag: string | undefined;
  readonly products: Product[];
  /** Of updates of products. */
  readonly masks: (readonly string[])[];
  /** Full feeds that came to their end. */
  readonly feeds: { readonly ids: string[]; readonly force: boolean; readonly incomplete: boolean }[];
  readonly events: Event[];
  readonly keys: string[];
  readonly recommendRequests: RecommendRequest[];
  readonly statusRequests: GetStatusRequest[];
  answer: MessageInitShape<typeof ExplainRecommendationResponseSchema>;
  status: MessageInitShape<typeof GetStatusResponseSchema>;
  /** What a training is seen as, one after the other. */
  training: MessageInitShape<typeof OperationSchema>[];
  readonly evaluateRequests: EvaluateModelRequest[];
  evaluation: MessageInitShape<typeof OperationSchema>[];
}

export interface FakeServer {
  readonly url: string;
  readonly state: FakeState;
  close(): Promise<void>;
}

/** Ids of the fake server's events: UUIDv7 of this time and number. */
export function eventIdOf(ms: number, number: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(number).padStart(12, "0")}`;
}

/**
 * A server of gRPC over h2c that knows the app `shop` and keeps what it is told. It refuses products with an id over
 * 255 characters and events with a type over 64, as the real one does.
 */
export async function startFakeServer(onPort = 0): Promise<FakeServer> {
  const state: FakeState = {
    apps: [],
    frames: [],
    frameVersions: [],
    frameReports: [],
    etag: undefined,
    products: [],
    masks: [],
    feeds: [],
    events: [],
    keys: [],
    recommendRequests: [],
    statusRequests: [],
    answer: {},
    status: {},
    training: [],
    evaluateRequests: [],
    evaluation: [],
  };
  const known = (appId: string) => {
    if (appId !== "shop") throw new ConnectError("There is no such app", Code.NotFound);
  };

  const handler = connectNodeAdapter({
    routes(router) {
      router.service(AppService, {
        createApp({ app }) {
          if (app?.appId === "shop") throw new ConnectError("The app exists already", Code.AlreadyExists);
          if (app) state.apps.push(app);
          return app ? { app } : {};
        },
        listApps({ pageToken }) {
          // One app a page, so that a client which forgets the token shows only one.
          const at = Number(pageToken || "0");
          const more = at + 1 < state.apps.length;
          return { apps: state.apps.slice(at, at + 1), nextPageToken: more ? String(at + 1) : "" };
        },
        setFrameConfiguration({ appId, frameConfiguration, etag }) {
          state.etag = etag;
          known(appId);
          if (frameConfiguration) state.frames.push(frameConfiguration);
          return frameConfiguration ? { frameConfiguration } : {};
        },
        deleteFrameConfiguration({ appId, frameId }) {
          known(appId);
          state.frames.splice(0, state.frames.length, ...state.frames.filter((frame) => frame.frameId !== frameId));
          return {};
        },
        listFrameVersions({ appId }) {
          known(appId);
          return { versions: state.frameVersions };
        },
        getFrameReport({ appId, frameId }) {
          known(appId);
          return { frames: state.frameReports.filter((frame) => frameId === "" || frame.frameId === frameId) };
        },
        getFrameConfiguration({ appId, frameId }) {
          known(appId);
          const frameConfiguration = state.frames.find((frame) => frame.frameId === frameId);
          return frameConfiguration ? { frameConfiguration } : {};
        },
        listFrameConfigurations({ appId }) {
          known(appId);
          return { frameConfigurations: state.frames };
        },
      });
      router.service(CatalogService, {
        async upsertProducts(requests) {
          const refused: MessageInitShape<typeof RefusedItemSchema>[] = [];
          let index = 0;
          let accepted = 0;
          for await (const { appId, products } of requests) {
            known(appId);
            for (const product of products) {
              if (product.productId.length > 255) {
                refused.push({ index, field: "product_id", reason: "at most 255 bytes" });
              } else {
                state.products.push(product);
                accepted += 1;
              }
              index += 1;
            }
          }
          return { accepted, refused, refusedTotal: refused.length };
        },
        updateProducts({ appId, updates }) {
          known(appId);
          const results = updates.map(({ product, updateMask, allowMissing }) => {
            const productId = product?.productId ?? "";
            state.masks.push(updateMask?.paths ?? []);
            if (productId.length > 255) {
              const fault = { field: "product_id", reason: "at most 255 bytes" };
              return { productId, outcome: ProductUpdateOutcome.INVALID, ...fault };
            }
            const isKnown = state.products.some((one) => one.productId === productId);
            if (!isKnown && !allowMissing) return { productId, outcome: ProductUpdateOutcome.NOT_FOUND };
            if (product) state.products.push(product);
            return { productId, outcome: isKnown ? ProductUpdateOutcome.UPDATED : ProductUpdateOutcome.CREATED };
          });
          return { results };
        },
        listProducts: ({ appId }) => {
          known(appId);
          return { products: state.products };
        },
        async replaceCatalog(requests) {
          const feed = { ids: new Set<string>(), force: false, incomplete: false };
          let ended = false;
          for await (const { listedIds, force, incomplete, last } of requests) {
            ended = last;
            for (const id of listedIds) feed.ids.add(id);
            feed.force ||= force;
            feed.incomplete ||= incomplete;
          }
          if (!ended) throw new ConnectError("last (missing)", Code.InvalidArgument);
          state.feeds.push({ ...feed, ids: [...feed.ids] });
          if (feed.incomplete && !feed.force) return { hidden: 0, unlisted: 7 };
          if (feed.ids.size < 2 && !feed.force) {
            throw new ConnectError("The feed does not list 9 of the 10 products", Code.FailedPrecondition);
          }
          return { hidden: 7, unlisted: 7 };
        },
      });
      router.service(EventService, {
        async recordEvents(requests) {
          const refused: MessageInitShape<typeof RefusedItemSchema>[] = [];
          let index = 0;
          let accepted = 0;
          let deduplicated = 0;
          for await (const { appId, events, idempotencyKeys } of requests) {
            known(appId);
            events.forEach((event, at) => {
              const key = idempotencyKeys[at] ?? "";
              if (event.actionType.length > 64) {
                refused.push({ index, field: "action_type", reason: "at most 64 characters" });
              } else if (key !== "" && state.keys.includes(key)) deduplicated += 1;
              else {
                state.events.push(event);
                if (key !== "") state.keys.push(key);
                accepted += 1;
              }
              index += 1;
            });
          }
          return { accepted, deduplicated, refused, refusedTotal: refused.length };
        },
        listEvents({ appId, pageSize, pageToken, newestFirst, visitor }) {
          known(appId);
          const matching = state.events.filter(
            (event) => !visitor || event.visitor?.fingerprintId === visitor.fingerprintId,
          );
          const ordered = newestFirst ? matching.reverse() : matching;
          const from = Number(pageToken || "0");
          const events = ordered.slice(from, from + pageSize);
          const more = from + events.length < ordered.length;
          return { events, nextPageToken: more ? String(from + events.length) : "" };
        },
        // Breaks off after each message. The token has the events that were sent.
        async *watchEvents({ appId, start, resumeToken }) {
          known(appId);
          const sent = new Set(resumeToken === "" ? [] : resumeToken.split(","));
          const past = start.case === "pastEventCount" ? start.value : state.events.length;
          if (resumeToken === "")
            for (const { eventId } of state.events.slice(0, Math.max(0, state.events.length - past))) sent.add(eventId);
          const events = state.events.filter(({ eventId }) => !sent.has(eventId));
          yield { events, resumeToken: [...sent, ...events.map(({ eventId }) => eventId)].join(",") || "," };
          throw new ConnectError("the server is stopping", Code.Unavailable);
        },
      });
      router.service(ModelService, {
        trainModel({ appId }) {
          known(appId);
          return { operation: { appId, operationId: "training" } };
        },
        evaluateModel(request) {
          known(request.appId);
          state.evaluateRequests.push(request);
          return { operation: { appId: request.appId, operationId: "evaluation" } };
        },
      });
      router.service(OperationService, {
        async *watchOperation({ appId, operationId }) {
          known(appId);
          const said = operationId === "training" ? state.training : state.evaluation;
          for (const operation of said) yield { operation: { appId, operationId, ...operation } };
        },
      });
      router.service(RecommendationService, {
        recommend(request) {
          known(request.appId);
          state.recommendRequests.push(request);
          return state.answer.response ?? {};
        },
        recommendPage({ request, frameIds }) {
          known(request?.appId ?? "");
          if (request) state.recommendRequests.push(request);
          return { frames: frameIds.map((frameId) => ({ ...state.answer.response, frameId, variant: "calm" })) };
        },
        explainRecommendation({ request }) {
          known(request?.appId ?? "");
          if (request) state.recommendRequests.push(request);
          return state.answer;
        },
      });
      router.service(SubscriptionService, {
        getStatus(request) {
          known(request.appId);
          state.statusRequests.push(request);
          return state.status;
        },
      });
    },
  });

  const server = createServer(handler);
  const sessions = new Set<Http2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(onPort, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    state,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An event of the fake store. */
export function storedEvent(init: MessageInitShape<typeof EventSchema>): Event {
  return create(EventSchema, init);
}
