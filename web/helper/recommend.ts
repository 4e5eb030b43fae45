import type { Environment } from "./environment.js";
import type { History } from "./history.js";
import type { OnFailure } from "./outbox.js";
import { isObject, listOf, type Shelf } from "./shelf.js";
import type { Visitor } from "./visitor.js";

export interface Card {
  readonly productId: string;
  readonly title: string;
  readonly imageUrl: string;
  readonly url: string;
  readonly price: string;
  readonly categoryId: string;
  /** ISO 4217; "" when the service does not know it. */
  readonly currency: string;
}

export interface Recommendation {
  readonly version: string;
  /** The first product of `currentIds`; null when there is none. */
  readonly trackerProduct: Card | null;
  readonly recommended: readonly Card[];
  readonly alternative: readonly Card[];
  /** Goes with clicks on these products to `useFrame`; "" for a visitor without consent. */
  readonly recommendationId: string;
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

/** What a page asks of all its frames. */
interface Question {
  readonly [field: string]: unknown;
}

/** Frames asked for at the same time, with one question. */
interface Waiting {
  readonly frames: string[];
  readonly answers: Promise<readonly Recommendation[]>;
}

const MOST_ANSWERS = 10;
/** Frames in one call. */
const MOST_FRAMES = 20;

/**
 * Asks POST /recommend; POST /recommend_page for frames that a page asks for at the same time, so that they share no
 * product. An answer is cached for `cacheMs`, by question; each new interaction changes the question. Rejects with AisleError.
 */
export function createRecommend(deps: {
  readonly appId: string;
  readonly url: string;
  readonly cacheMs: number;
  readonly shelf: Shelf;
  readonly visitor: Visitor;
  readonly history: History;
  readonly environment: Pick<Environment, "fetch" | "now">;
  readonly onFailure: OnFailure;
}): (options: RecommendOptions) => Promise<Recommendation> {
  const { appId, url, cacheMs, shelf, visitor, history, environment, onFailure } = deps;
  const { fetch, now } = environment;
  const asking = new Map<string, Promise<readonly Recommendation[]>>();
  const waiting = new Map<string, Waiting>();
  const kept = () => listOf(shelf.read("answers"), isKept).filter(({ at }) => at <= now() && at > now() - cacheMs);

  const ask = async (path: string, body: Question, key: string): Promise<readonly Recommendation[]> => {
    const headers = { "content-type": "application/json" };
    const sent = fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    // without an answer the page stays as it is
    const response = await sent.catch(() => undefined);
    // no JSON: the same as no answer
    const answer: unknown = await response?.json().catch(() => undefined);
    if (response?.status !== 200 || !isAnswer(answer)) {
      onFailure(response?.status ?? 0, Promise.resolve(answer));
      const text = isObject(answer) && typeof answer.error === "string" ? answer.error : "No recommendations came";
      throw new AisleError(text, response?.status ?? 0);
    }
    if (!visitor.isUnknown) {
      history.note(String(answer.version));
      shelf.write(
        "answers",
        [...kept().filter((one) => one.key !== key), { key, at: now(), answer }].slice(-MOST_ANSWERS),
      );
    }
    return readAnswers(answer);
  };

  const answersTo = (question: Question, frames: readonly string[]): Promise<readonly Recommendation[]> => {
    const uses = visitor.isUnknown ? [] : history.frameUses();
    const key = hashOf(JSON.stringify([question, uses, frames]));
    const known = kept().find((one) => one.key === key)?.answer;
    if (isAnswer(known)) return Promise.resolve(readAnswers(known));
    const before = asking.get(key);
    if (before !== undefined) return before;
    const body = { ...question, recommendFrameInteractions: uses, version: history.version() };
    const [frame = ""] = frames;
    const answers = (
      frames.length > 1
        ? ask("/recommend_page", { ...body, frames: frames.map((one) => one || DEFAULT_FRAME) }, key)
        : ask("/recommend", { ...body, ...(frame && { marketingMachineFrameConfigurationId: frame }) }, key)
    ).finally(() => asking.delete(key));
    asking.set(key, answers);
    return answers;
  };

  /** Joins those who ask before the page's script has ended. */
  const join = (question: Question): Waiting => {
    const key = JSON.stringify(question);
    const found = waiting.get(key);
    if (found !== undefined && found.frames.length < MOST_FRAMES) return found;
    const frames: string[] = [];
    const answers = Promise.resolve().then(() => {
      if (waiting.get(key)?.frames === frames) waiting.delete(key);
      return answersTo(question, frames);
    });
    const begun = { frames, answers };
    waiting.set(key, begun);
    return begun;
  };

  return async (options) => {
    const { cId, fpccid } = visitor.ids();
    const { frames, answers } = join({
      appId,
      productInteractions: visitor.isUnknown ? [] : history.interactions(),
      withCurrency: true,
      ...(cId !== "" && { cId, fpccid, trackClicks: true }),
      ...listed("currentProductIds", options.currentIds),
      ...listed("currentProductSkus", options.currentSkus),
      ...listed("currentCategoryIds", options.currentCategoryIds),
      ...listed("filterByGroups", options.groups),
    });
    const frame = options.frame ?? "";
    if (!frames.includes(frame)) frames.push(frame);
    const answer = (await answers)[frames.indexOf(frame)];
    if (answer === undefined) throw new AisleError("No recommendations came", 200);
    return answer;
  };
}

const DEFAULT_FRAME = "default";

function listed(name: string, ids: readonly string[] | undefined): Record<string, string> {
  return ids === undefined || ids.length === 0 ? {} : { [name]: ids.join("|") };
}

function isAnswer(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !("error" in value) && typeof value.version === "string";
}

/** One for each frame that was asked for. */
function readAnswers(answer: Readonly<Record<string, unknown>>): readonly Recommendation[] {
  const { version, trackerProduct } = answer;
  const context = {
    version: String(version),
    trackerProduct: isObject(trackerProduct) ? cardOf(trackerProduct) : null,
  };
  const frames = Array.isArray(answer.frames) ? listOf(answer.frames, isObject) : [answer];
  return frames.map(({ recommendationId, recommended, alternative }) => ({
    ...context,
    recommendationId: typeof recommendationId === "string" ? recommendationId : "",
    recommended: listOf(recommended, isObject).map(cardOf),
    alternative: listOf(alternative, isObject).map(cardOf),
  }));
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
    currency: text("currency"),
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
