import type { Environment } from "./environment.js";
import type { History } from "./history.js";
import { isObject, listOf, type Shelf } from "./shelf.js";
import type { Visitor } from "./visitor.js";

export interface Card {
  readonly productId: string;
  readonly title: string;
  readonly imageUrl: string;
  readonly url: string;
  readonly price: string;
  readonly categoryId: string;
}

export interface Recommendation {
  readonly version: string;
  /** The first product of `currentIds`; null when there is none. */
  readonly trackerProduct: Card | null;
  readonly recommended: readonly Card[];
  readonly alternative: readonly Card[];
}

export interface RecommendOptions {
  /** The frame configuration; without it the app's default. */
  readonly frame?: string;
  /** What the page shows. */
  readonly currentIds?: readonly string[];
  readonly currentSkus?: readonly string[];
  readonly currentCategoryIds?: readonly string[];
  /** Only products in one of these groups. */
  readonly groups?: readonly string[];
}

/** The service refused the call or was not reached. */
export class AisleError extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 where there was no answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

interface Kept {
  readonly key: string;
  readonly at: number;
  readonly answer: unknown;
}

const MOST_ANSWERS = 10;

/**
 * Asks POST /recommend. An answer is cached for `cacheMs`, by question; each new interaction changes the question.
 * Rejects with AisleError.
 */
export function createRecommend(deps: {
  readonly appId: string;
  readonly url: string;
  readonly cacheMs: number;
  readonly shelf: Shelf;
  readonly visitor: Visitor;
  readonly history: History;
  readonly environment: Pick<Environment, "fetch" | "now">;
}): (options: RecommendOptions) => Promise<Recommendation> {
  const { appId, url, cacheMs, shelf, visitor, history, environment } = deps;
  const { fetch, now } = environment;
  const asking = new Map<string, Promise<Recommendation>>();
  const kept = () => listOf(shelf.read("answers"), isKept).filter(({ at }) => at <= now() && at > now() - cacheMs);

  const ask = async (body: string, key: string): Promise<Recommendation> => {
    const headers = { "content-type": "application/json" };
    // without an answer the page stays as it is
    const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
    // no JSON: the same as no answer
    const answer: unknown = await response?.json().catch(() => undefined);
    if (response?.status !== 200 || !isAnswer(answer)) {
      const text = isObject(answer) && typeof answer.error === "string" ? answer.error : "No recommendations came";
      throw new AisleError(text, response?.status ?? 0);
    }
    const read = readAnswer(answer);
    if (!visitor.isUnknown) {
      history.note(read.version);
      shelf.write(
        "answers",
        [...kept().filter((one) => one.key !== key), { key, at: now(), answer }].slice(-MOST_ANSWERS),
      );
    }
    return read;
  };

  return (options) => {
    const { cId, fpccid } = visitor.ids();
    const question = {
      appId,
      productInteractions: visitor.isUnknown ? [] : history.interactions(),
      ...(cId !== "" && { cId, fpccid }),
      ...listed("currentProductIds", options.currentIds),
      ...listed("currentProductSkus", options.currentSkus),
      ...listed("currentCategoryIds", options.currentCategoryIds),
      ...listed("filterByGroups", options.groups),
      ...(options.frame && { marketingMachineFrameConfigurationId: options.frame }),
    };
    const uses = visitor.isUnknown ? [] : history.frameUses();
    const key = hashOf(JSON.stringify([question, uses]));
    const known = kept().find((one) => one.key === key)?.answer;
    if (isAnswer(known)) return Promise.resolve(readAnswer(known));
    let answer = asking.get(key);
    if (answer === undefined) {
      const body = { ...question, recommendFrameInteractions: uses, version: history.version() };
      answer = ask(JSON.stringify(body), key).finally(() => asking.delete(key));
      asking.set(key, answer);
    }
    return answer;
  };
}

function listed(name: string, ids: readonly string[] | undefined): Record<string, string> {
  return ids === undefined || ids.length === 0 ? {} : { [name]: ids.join("|") };
}

function isAnswer(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !("error" in value) && typeof value.version === "string";
}

function readAnswer({ version, trackerProduct, recommended, alternative }: Readonly<Record<string, unknown>>) {
  return {
    version: String(version),
    trackerProduct: isObject(trackerProduct) ? cardOf(trackerProduct) : null,
    recommended: listOf(recommended, isObject).map(cardOf),
    alternative: listOf(alternative, isObject).map(cardOf),
  };
}

function cardOf(value: Readonly<Record<string, unknown>>): Card {
  const text = (name: keyof Card) => (typeof value[name] === "string" ? value[name] : "");
  return {
    productId: text("productId"),
    title: text("title"),
    imageUrl: text("imageUrl"),
    url: text("url"),
    price: text("price"),
    categoryId: text("categoryId"),
  };
}

function isKept(value: unknown): value is Kept {
  return isObject(value) && typeof value.key === "string" && typeof value.at === "number";
}

/** A 53-bit hash (cyrb53 by Bryc). It only tells apart the questions of one browser. */
function hashOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36);
}
