import { createClicks } from "./clicks.js";
import { meaningOf } from "./debug.js";
import type { Environment } from "./environment.js";
import { type OrderInput, orderFields, type ProductInput, productFields } from "./events.js";
import { createHistory } from "./history.js";
import { createOutbox, type OnFailure } from "./outbox.js";
import { createRecommend, type Recommendation, type RecommendOptions } from "./recommend.js";
import { createShelf, isObject, type Shelf } from "./shelf.js";
import { askSubscription, type Subscription } from "./subscription.js";
import { createVisitor, type VisitorIds } from "./visitor.js";

export interface HelperOptions {
  readonly appId: string;
  /** Address of the service, for example `https://recs.shop.example`. */
  readonly url: string;
  /** How long recommendations are cached: 60 (the default) to 300 seconds. */
  readonly cacheSeconds?: number;
  /** Store nothing about a visitor and send no events before `consent(true)`. */
  readonly needsConsent?: boolean;
}

export interface SubscribeInput {
  readonly email?: string;
  readonly phone?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/** Aisle in a page of a shop. Only `recommend` rejects when the service fails. */
export interface Helper {
  readonly appId: string;
  visitorIds(): VisitorIds;
  consent(isGiven: boolean): void;
  viewProduct(product: ProductInput): void;
  addToCart(...products: ProductInput[]): void;
  order(order: OrderInput): void;
  viewHomepage(): void;
  /** Broad to narrow. */
  viewCategory(categoryIds: readonly string[], categoryNames?: readonly string[]): void;
  search(query: string): void;
  /** Subscribes to the newsletter. Resolves with true once the service has it, false when it rejects it or a retry follows. Never rejects. */
  subscribe(person: SubscribeInput): Promise<boolean>;
  /** Any other event, with fields of POST /trace. */
  trace(actionType: string, fields?: Readonly<Record<string, string>>): void;
  recommend(options?: RecommendOptions): Promise<Recommendation>;
  /** A product of a frame was clicked; the frame's next answer rotates. `from` is the answer that showed it. */
  useFrame(frame: string, productId?: string, from?: Pick<Recommendation, "recommendationId">): void;
  subscription(options?: { readonly force?: boolean }): Promise<Subscription>;
  /** Sends what failed before. Happens by itself when a page opens and when the browser is online again. */
  sendAgain(): void;
}

/** @throws TypeError for invalid options */
export function createHelper(options: HelperOptions, environment: Environment): Helper {
  const { appId, needsConsent = false, cacheSeconds = 60 } = options;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(appId)) throw new TypeError("appId: 1 to 64 letters, digits, _ or -");
  if (!/^https?:\/\/[^/]/.test(options.url)) throw new TypeError("url: where the service is, http or https");
  if (!(cacheSeconds >= 60 && cacheSeconds <= 300)) throw new TypeError("cacheSeconds: 60 to 300");
  const url = options.url.replace(/\/+$/, "");
  const { fetch, now, report } = environment;
  const onFailure: OnFailure = (status, said) => {
    if (report === undefined) return;
    said.then((answer) => {
      const error = isObject(answer) && typeof answer.error === "string" ? answer.error : "";
      report(meaningOf({ status, error }, appId, url, environment.origin));
    });
  };
  const shelf = createShelf(environment.storage, appId);
  const visitor = createVisitor(shelf, environment, needsConsent);
  const history = createHistory(shelf, now);
  const clicks = createClicks(shelf, now);
  const outboxOn = (kept: Shelf) => createOutbox(kept, `${url}/trace`, environment, onFailure);
  const outbox = outboxOn(shelf);
  // Without consent nothing is stored, also not an address until it has arrived: the page keeps it.
  const outboxOfPage = outboxOn(createShelf(undefined, appId));
  const recommend = createRecommend({
    appId,
    url,
    cacheMs: cacheSeconds * 1000,
    shelf,
    visitor,
    history,
    environment,
    onFailure,
  });

  const send = (actionType: string, fields: Readonly<Record<string, string>>) => {
    const { cId, fpccid } = visitor.ids();
    const form = new URLSearchParams({ app_id: appId, action_type: actionType, platform: "aisle.js" });
    form.set("utc_time", new Date(now()).toISOString());
    if (cId !== "") form.set("c_id", cId);
    if (fpccid !== "") form.set("fp_ccid", fpccid);
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return (visitor.isUnknown ? outboxOfPage : outbox).post(form);
  };
  const trace = (actionType: string, fields: Readonly<Record<string, string>> = {}) => {
    if (!visitor.isUnknown) void send(actionType, fields);
  };
  const remember = (...given: Parameters<typeof history.add>) => {
    if (!visitor.isUnknown) history.add(...given);
  };
  return {
    appId,
    trace,
    visitorIds: () => visitor.ids(),
    consent: (isGiven) => visitor.consent(isGiven),
    viewProduct(product) {
      remember("product_view", [product]);
      trace("product_view", { ...productFields([product]), ...named(clicks.recommendationsOfView(product)) });
    },
    addToCart(...products) {
      remember("add_to_cart", products);
      trace("add_to_cart", productFields(products));
    },
    order(order) {
      remember("order", order.products);
      trace("order", { ...orderFields(order), ...named(clicks.recommendationsOf(order.products)) });
    },
    viewHomepage: () => trace("homepage_view"),
    viewCategory: (categoryIds, categoryNames = []) =>
      trace("category_view", {
        product_category_ids: categoryIds.join("~"),
        ...(categoryNames.length > 0 && { product_category_names: categoryNames.join("~") }),
      }),
    search: (query) => trace("search_query", { search_query: query }),
    // The visitor asked for it, so it is sent without consent too, then without ids.
    subscribe: ({ email, phone, firstName, lastName }) =>
      send("subscribe", {
        ...(email && { email }),
        ...(phone && { phone }),
        ...(firstName && { first_name: firstName }),
        ...(lastName && { last_name: lastName }),
      }),
    async recommend(asked = {}) {
      const answer = await recommend(asked);
      const [id] = asked.currentIds ?? [];
      if (id && answer.trackerProduct?.title === "")
        report?.(`The catalogue has no product "${id}": the id of a page should be the id in the feed.`);
      return answer;
    },
    useFrame(frame, productId, from) {
      if (visitor.isUnknown) return;
      history.addFrameUse(frame);
      if (productId !== undefined && from !== undefined) clicks.add(from.recommendationId, productId);
    },
    subscription: ({ force = false } = {}) =>
      askSubscription(`${url}/subscription_status`, appId, visitor.ids(), force, fetch),
    sendAgain() {
      outbox.send();
      outboxOfPage.send();
    },
  };
}

/** The newest answers that an event can name. */
const MOST_NAMED = 20;

function named(recommendationIds: readonly string[]): Record<string, string> {
  const newest = recommendationIds.slice(-MOST_NAMED).join("|");
  return newest === "" ? {} : { recommendation_id: newest };
}
