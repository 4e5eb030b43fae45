import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { App } from "../domain/app.js";
import { checkFilter } from "../domain/check-filter.js";
import type { Now } from "../domain/clock.js";
import { check, checkAll, InvalidArgument, NotFound } from "../domain/errors.js";
import { DEFAULT_FRAME, DEFAULT_FRAME_ID, type FrameConfiguration } from "../domain/frame.js";
import type { ShownList } from "../domain/frame-exposure.js";
import { type VisitorIds, type VisitorKey, visitorKeys } from "../domain/ids.js";
import { refusesProfile } from "../domain/privacy-signals.js";
import type { Product } from "../domain/product.js";
import { versionText } from "../domain/version-text.js";
import { isTrusted, type Visitor } from "../domain/visitor.js";
import type { ServingModel } from "../learning/sources/source.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ContactStore } from "../store/ports/contact-store.js";
import type { InteractionStore } from "../store/ports/interaction-store.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { usesOf } from "./frames/rotation.js";
import type { Shown } from "./frames/shown.js";
import { frameOfVariant, splittingKey, variantOf } from "./frames/variants.js";
import type { CountedPopularity } from "./gather/counted-popularity.js";
import type { WatchedCatalog } from "./products/catalog.js";
import type { LiveLayer } from "./products/new-product-watch.js";
import type { Recommender } from "./recommend.js";
import { withKnownIds } from "./request/id-lists.js";
import type { RecommendAnswer, RecommendQuery } from "./request/query.js";

/** Most interactions of a visitor that are read from the store. */
const MAX_KNOWN = 400;
const MAX_CURRENT = 100;
const MAX_COUNT = 100;
/** Frames of one page. */
const MAX_PAGE_FRAMES = 20;
/** Different frames looked up for one request; further ones count for the default frame. */
const MAX_FRAMES = 100;

export interface AnswerVisitorDependencies {
  readonly apps: Pick<AppStore, "get" | "getFrame">;
  readonly visitors: VisitorStore;
  readonly contacts: Pick<ContactStore, "get">;
  readonly interactions: Pick<InteractionStore, "recent">;
  /** Records that these ids belong to one visitor, and returns the visitors of whom something may be known. */
  readonly joinVisitors: (appId: string, ids: VisitorIds) => Promise<readonly Visitor[]>;
  /** Waits for what the store knows of a visitor; rejects when the answer should be made without it. */
  readonly historyInTime?: <T>(read: () => Promise<T>) => Promise<T>;
  readonly catalogOf: (appId: string) => Promise<WatchedCatalog>;
  /** Products and events newer than the model. */
  readonly liveOf: LiveLayer["of"];
  /** The model that serves and its version text. */
  readonly modelOf: (appId: string) => Promise<{ readonly model: ServingModel; readonly version: string } | undefined>;
  /** Popularity of an app without a model. */
  readonly countedOf: CountedPopularity["of"];
  readonly recommend: Recommender;
  /** 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Hard to guess. */
  readonly newRequestId: () => string;
  /** Called for each frame filled for a visitor with an id, previews excepted. */
  readonly shown?: (shown: Shown) => void;
  /** What frames showed a visitor before. */
  readonly shownTo?: (appId: string, visitorKey: VisitorKey) => Promise<readonly ShownList[]>;
  readonly now: Now;
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}

/** The use of an answer. Only `show` writes: that ids belong to one visitor, and what the frame showed. */
export type AnswerUse = "show" | "preview";

export interface IdentifiedAnswer extends RecommendAnswer {
  readonly requestId: string;
}

/** Answers of what is known of app, visitor and catalogue. */
export interface AnswerVisitor {
  one(query: RecommendQuery, use: AnswerUse): Promise<IdentifiedAnswer>;
  /** With reasons; writes nothing. `frame` takes the place of the one that the query names. */
  explain(query: RecommendQuery, frame: FrameConfiguration | undefined): Promise<IdentifiedAnswer>;
  /**
   * Fills the 1 to 20 frames of a page in order. Later frames do not repeat a product of earlier ones, nor its variants.
   * Ignores the query's own `frameId`.
   */
  page(query: RecommendQuery, frameIds: readonly string[], use: AnswerUse): Promise<readonly IdentifiedAnswer[]>;
}

export function createAnswerVisitor(deps: AnswerVisitorDependencies): AnswerVisitor {
  const { historyInTime = (read) => read() } = deps;
  /** Undefined when the frame is missing or unreadable; the default frame then answers. */
  const getFrame = async (appId: string, frameId: string): Promise<FrameConfiguration | undefined> => {
    try {
      return await deps.apps.getFrame(appId, frameId);
    } catch (error) {
      deps.metrics.count("recommend_frame_failures");
      deps.reportFailure("frame", error);
      return undefined;
    }
  };

  const frameOf = async (query: Pick<RecommendQuery, "appId" | "frameId">): Promise<FrameConfiguration> => {
    const wanted = query.frameId || DEFAULT_FRAME_ID;
    const frame = await getFrame(query.appId, wanted);
    if (frame !== undefined || wanted === DEFAULT_FRAME_ID) return frame ?? DEFAULT_FRAME;
    deps.metrics.count("recommend_unknown_frames");
    return (await getFrame(query.appId, DEFAULT_FRAME_ID)) ?? DEFAULT_FRAME;
  };

  const visitorsOf = ({ appId, visitor }: RecommendQuery, keys: readonly VisitorKey[], use: AnswerUse) =>
    use === "show" ? deps.joinVisitors(appId, visitor) : deps.visitors.find(appId, keys);

  const knownOf = async (app: App, query: RecommendQuery, use: AnswerUse) => {
    if (refusesProfile(app.privacy.signals, query.signals)) return [];
    const keys = visitorKeys(query.visitor);
    if (keys.length === 0 && query.contactId === "") return [];
    try {
      return await historyInTime(async () => {
        const visitors = keys.length === 0 ? [] : await visitorsOf(query, keys, use);
        const historyIds = await historyIdsOf(app, visitors, query.contactId);
        return historyIds.length === 0 ? [] : deps.interactions.recent(query.appId, historyIds, MAX_KNOWN);
      });
    } catch (error) {
      // What the request itself carries still makes an answer.
      deps.metrics.count("recommend_history_failures");
      deps.reportFailure("visitor_history", error);
      return [];
    }
  };

  /** The visitors' own histories, those of their contacts and `contactId`, and those of other visitors of these contacts. */
  const historyIdsOf = async (app: App, visitors: readonly Visitor[], contactId: string): Promise<string[]> => {
    const own = visitors.flatMap(({ members }) => members);
    const linked = visitors.filter((visitor) => visitor.contactId !== "" && isTrusted(app, visitor));
    if (linked.length === 0 && contactId === "") return own;
    const contactIds = [...new Set([contactId, ...linked.map((visitor) => visitor.contactId)])].filter(
      (id) => id !== "",
    );
    const contacts = await Promise.all(contactIds.map((id) => deps.contacts.get(app.appId, id)));
    const known = new Set(visitors.map(({ visitorId }) => visitorId));
    const otherIds = contacts.flatMap((contact) => contact?.visitorIds ?? []).filter((id) => !known.has(id));
    const others = otherIds.length === 0 ? [] : await deps.visitors.get(app.appId, otherIds);
    // A visitor may have been linked to another address since.
    const shared = others.filter((other) => contactIds.includes(other.contactId) && isTrusted(app, other));
    return [...own, ...contactIds, ...shared.flatMap(({ members }) => members)];
  };

  const shownBefore = async (app: App, query: RecommendQuery): Promise<readonly ShownList[]> => {
    const visitorKey = splitBy(app, query);
    if (deps.shownTo === undefined || visitorKey === undefined || query.frameInteractions.length === 0) return [];
    const { shownTo } = deps;
    try {
      return await historyInTime(() => shownTo(query.appId, visitorKey));
    } catch (error) {
      deps.metrics.count("recommend_history_failures");
      deps.reportFailure("visitor_history", error);
      return [];
    }
  };

  const answerFrames = async (
    sent: RecommendQuery,
    frameIds: readonly string[],
    use: AnswerUse,
    explained?: { readonly frame: FrameConfiguration | undefined },
  ): Promise<IdentifiedAnswer[]> => {
    checkQuery(sent);
    const app = await deps.apps.get(sent.appId);
    if (app === undefined) throw new NotFound("app");
    const [frames, known, shownLists, catalog, serving] = await Promise.all([
      Promise.all(frameIds.map(async (frameId) => explained?.frame ?? frameOf({ ...sent, frameId }))),
      knownOf(app, sent, use),
      shownBefore(app, sent),
      deps.catalogOf(sent.appId),
      deps.modelOf(sent.appId),
    ]);
    const frameInteractions = await knownFrames(getFrame, sent);
    const model = serving?.model ?? (await deps.countedOf(sent.appId, catalog));
    const query = withKnownIds(sent, catalog, model, app.groups);
    const visitorKey = splitBy(app, query);
    const shown: Product[] = [];
    return frames.map((whole, i) => {
      const variant = variantOf(query.appId, whole, visitorKey);
      const frame = variant === undefined ? whole : frameOfVariant(whole, variant);
      const answer = deps.recommend(
        {
          query: { ...query, frameId: frameIds[i]!, frameInteractions },
          frame,
          variant: variant?.name ?? "",
          shown,
          shownLists,
          known,
          catalog,
          model,
          version: serving?.version ?? firstVersion(app),
          live: serving && deps.liveOf(query.appId, catalog, serving.model),
          filters: [query.filter, frame.filter],
          app,
          random: deps.random,
          now: deps.now(),
        },
        explained !== undefined,
      );
      const requestId = deps.newRequestId();
      const products = [...answer.recommended, ...answer.alternative];
      if (visitorKey !== undefined && use === "show")
        deps.shown?.({
          appId: query.appId,
          frameId: frame.frameId,
          variant: variant?.name ?? "",
          explored: answer.explored,
          rotates: frame.rotation && frame.rotationRate > 0,
          experimentAt: variant === undefined ? 0 : whole.experimentAt,
          visitorKey,
          visitorKeys: visitorKeys(query.visitor),
          recommendationId: query.tracksClicks ? requestId : "",
          productIds: products.map(({ productId }) => productId),
          variantGroupIds: products.map(({ variantGroupId }) => variantGroupId).filter((groupId) => groupId !== ""),
          usedAt: usesOf(frame.frameId, frameInteractions, deps.now()).at(-1) ?? 0,
        });
      shown.push(...products);
      return { ...answer, requestId };
    });
  };

  return {
    one: async (query, use) => {
      const [answer] = await answerFrames(query, [query.frameId], use);
      return answer!;
    },
    explain: async (query, frame) => {
      const [answer] = await answerFrames(query, [query.frameId], "preview", { frame });
      return answer!;
    },
    page: async (query, frameIds, use) => {
      if (frameIds.length === 0) throw new InvalidArgument("frame_ids", "missing");
      if (frameIds.length > MAX_PAGE_FRAMES)
        throw new InvalidArgument("frame_ids", "invalid", `at most ${MAX_PAGE_FRAMES}`);
      return answerFrames(query, frameIds, use);
    },
  };
}

const FIRST_VERSIONS = new WeakMap<App, string>();

/** The version text of an app that has no model yet: its hour of creation. */
export function firstVersion(app: App): string {
  let version = FIRST_VERSIONS.get(app);
  if (version === undefined) {
    version = versionText(app.createdAt, () => false);
    FIRST_VERSIONS.set(app, version);
  }
  return version;
}

/** The visitor's id by which visitors are told apart; undefined for visitors who refuse profiling, and without an id. */
function splitBy(app: App, query: RecommendQuery): VisitorKey | undefined {
  return refusesProfile(app.privacy.signals, query.signals) ? undefined : splittingKey(query.visitor);
}

/** Frame interactions with unknown frames under the empty name, by which they count for the default frame. */
async function knownFrames(getFrame: AppStore["getFrame"], query: RecommendQuery) {
  const names = new Map<string, string>();
  for (const { frameId } of query.frameInteractions) {
    if (names.has(frameId) || names.size === MAX_FRAMES) continue;
    const known = frameId === DEFAULT_FRAME_ID || (await getFrame(query.appId, frameId)) !== undefined;
    names.set(frameId, known ? frameId : "");
  }
  return query.frameInteractions.map((use) => ({ ...use, frameId: names.get(use.frameId) ?? "" }));
}

function checkQuery(query: RecommendQuery): void {
  const lists = [
    ["current_product_ids", query.currentProductIds],
    ["current_skus", query.currentSkus],
    ["current_category_ids", query.currentCategoryIds],
  ] as const;
  const counts = [
    ["recommended_count", query.recommendedCount],
    ["alternative_count", query.alternativeCount],
  ] as const;
  checkAll(
    check(query.appId !== "", "app_id", "missing"),
    ...lists.map(([field, list]) => check(list.length <= MAX_CURRENT, field, "invalid", `at most ${MAX_CURRENT}`)),
    () => checkFilter(query.filter),
    ...counts.map(([field, count]) =>
      check((count ?? 0) >= 0 && (count ?? 0) <= MAX_COUNT, field, "invalid", `0 to ${MAX_COUNT}`),
    ),
  );
}
