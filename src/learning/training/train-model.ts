import type { VectorIndexes } from "../../adapters/vector-index.js";
import { Conflict } from "../../domain/errors.js";
import type { AlgorithmFacts } from "../../domain/model.js";
import type { EventStore } from "../../store/ports/event-store.js";
import type { InteractionStore } from "../../store/ports/interaction-store.js";
import type { ProductStore } from "../../store/ports/product-store.js";
import { type Rows, rowCount } from "../common/rows.js";
import type { Room } from "../snapshot/container.js";
import { encodeSnapshot, type Fitted, SNAPSHOT_FORMAT } from "../snapshot/snapshot.js";
import { dailyCounts } from "../sources/popularity/daily-counts.js";
import { popularity } from "../sources/popularity/popularity.js";
import { associationRules } from "../sources/rules/association-rules.js";
import { fitSessionNeighbours } from "../sources/sessions/session-neighbours.js";
import { chooseSessionParams } from "../sources/sessions/session-tuning.js";
import { fitBlend } from "./blend.js";
import { fitCart, NOT_ASKED_FOR } from "./cart.js";
import { type Dataset, readDataset } from "./dataset.js";
import { fitRanker } from "./ranker.js";
import { learnSemantic, type TextEmbedding } from "./semantic.js";
import type { TrainedModel, TrainingProgress } from "./trainer.js";

/** Seed of everything random in training. */
export const TRAINING_SEED = 20_261_121;
/** A visit counts half for popularity after this time. */
const POPULARITY_HALF_LIFE_MS = 30 * 86_400_000;
const MIN_BASKETS = 20;
const MIN_SESSIONS = 20;

export interface TrainModelOptions {
  readonly appId: string;
  readonly products: Pick<ProductStore, "scan">;
  readonly interactions: Pick<InteractionStore, "scan">;
  /** Counted, so that the growth of the data since the training is known. Absent for a model that will not serve. */
  readonly events?: Pick<EventStore, "count"> | undefined;
  readonly vectorIndexes: VectorIndexes;
  /** A text model of the operator, beside the built-in embedder. */
  readonly embedding?: TextEmbedding | undefined;
  /** Teaches the built-in embedder which products visitors relate. */
  readonly textFromVisits?: boolean;
  /** False: candidates come in the order of their sources' scores, and training takes a fraction. */
  readonly learnedOrder?: boolean;
  /** Allocates the pieces of the snapshot. */
  readonly room?: Room;
  readonly onProgress: (progress: TrainingProgress) => void;
}

/**
 * Learns an app's model from its products and interactions. The same data gives the same bytes: ages are counted from
 * the newest interaction, and randomness comes from a fixed seed. An algorithm with too little data is left out and
 * the manifest says why. Rejects with Conflict("not_enough_data") when there are no products at all.
 */
export async function trainModel(options: TrainModelOptions): Promise<TrainedModel> {
  const { onProgress, learnedOrder = true } = options;
  onProgress({ stage: "read", progress: 0 });
  const stored = await options.events?.count(options.appId, "", Number.POSITIVE_INFINITY);
  const data = await readDataset(options.appId, options);
  const count = data.productIds.length;
  if (count === 0) throw new Conflict("not_enough_data", "The app has no products to learn about");
  const longBaskets = longRows(data.baskets);
  const longSessions = longRows(data.sessions);
  const facts: AlgorithmFacts[] = [];
  const step = <T>(name: string, progress: number, missing: string, learn: () => T): T | undefined => {
    onProgress({ stage: name, progress });
    if (missing !== "") {
      facts.push({ name, included: false, reason: missing, facts: {} });
      return undefined;
    }
    return learn();
  };
  const included = (name: string, numbers: Record<string, number>) =>
    facts.push({ name, included: true, reason: "", facts: numbers });

  const fewBaskets =
    longBaskets < MIN_BASKETS ? `${longBaskets} orders of two products, ${MIN_BASKETS} are needed` : "";
  const fewSessions =
    longSessions < MIN_SESSIONS ? `${longSessions} sessions of two products, ${MIN_SESSIONS} are needed` : "";

  const rules = step("association_rules", 0.2, fewBaskets, () => associationRules(data.baskets, count));
  if (rules) included("association_rules", { rules: rules.consequents.length });
  const cart = step("cart_complements", 0.3, fewBaskets, () => fitCart(data, learnedOrder ? TRAINING_SEED : undefined));
  if (cart) facts.push(...cart.facts);
  const sessions = step("session_neighbours", 0.45, fewSessions, () => fitSessions(data, count));
  if (sessions)
    included("session_neighbours", {
      sessions: rowCount(data.sessions),
      sessions_kept: rowCount(sessions.fitted.sessions),
      ...sessions.facts,
    });
  onProgress({ stage: "ranker", progress: 0.48 });
  const ranked = learnedOrder && sessions ? fitRanker(data, sessions.fitted, TRAINING_SEED) : undefined;
  if (ranked) facts.push(ranked.facts);
  else if (sessions) facts.push({ name: "ranker", included: false, reason: NOT_ASKED_FOR, facts: {} });
  onProgress({ stage: "semantic", progress: 0.55 });
  const learned = await learnSemantic(data.texts, {
    vectorIndexes: options.vectorIndexes,
    seed: TRAINING_SEED,
    embedding: options.embedding,
    visits: options.textFromVisits === true ? data.sessions : undefined,
    onProgress: (share) => onProgress({ stage: "text_embedder", progress: 0.55 + 0.25 * share }),
  });
  facts.push(...learned.facts);
  onProgress({ stage: "popularity", progress: 0.9 });
  const popular = popularity(data.meetings, count, { cutOff: data.cutOff, halfLifeMs: POPULARITY_HALF_LIFE_MS });
  const meetings = data.meetings.productIndices.length;
  if (meetings > 0) included("popularity", { interactions: meetings });
  else facts.push({ name: "popularity", included: false, reason: "no interactions", facts: {} });

  onProgress({ stage: "blend", progress: 0.92 });
  const parts = {
    rules,
    cart: cart?.complements,
    sessions: sessions?.fitted,
    ranker: ranked?.ranker,
    semantic: learned.semantic,
  };
  const blend = fitBlend({
    data,
    fitted: parts,
    isRankerLearned: ranked?.isLearned ?? false,
    cartTrial: cart?.trial,
    popularityHalfLifeMs: POPULARITY_HALF_LIFE_MS,
    seed: TRAINING_SEED,
  });
  facts.push(...blend.facts);

  onProgress({ stage: "encode", progress: 0.98 });
  const manifest = {
    formatNumber: SNAPSHOT_FORMAT,
    cutOff: data.cutOff,
    seed: TRAINING_SEED,
    dataCounts: { ...countsOf(data), ...(stored && { events: stored.count }) },
    algorithms: facts,
  };
  const fitted: Fitted = {
    productIds: data.productIds,
    popularity: popular,
    daily: dailyCounts(data.meetings, count, data.cutOff),
    ...parts,
    cartRanking: cart?.ranking,
    blend: blend.weights,
    textVectors: learned.textVectors,
  };
  return { manifest, bytes: encodeSnapshot(manifest, fitted, options.room) };
}

/** Session neighbours with the preset that predicts the newest tenth of the sessions best. */
function fitSessions(data: Dataset, productCount: number) {
  const input = { sessions: data.sessions, endedAt: data.sessionEndedAt };
  const { params, name, tried } = chooseSessionParams(input, productCount);
  const judged = tried.find((preset) => preset.name === name);
  return {
    fitted: fitSessionNeighbours(input, productCount, { ...params, cutOff: data.cutOff }),
    facts: judged ? { hit_rate_20: judged.hitRate, reciprocal_rank_20: judged.reciprocalRank } : {},
  };
}

function longRows(rows: Rows): number {
  let long = 0;
  for (let r = 0; r < rowCount(rows); r++) if (rows.offsets[r + 1]! - rows.offsets[r]! >= 2) long++;
  return long;
}

function countsOf(data: Dataset): Record<string, number> {
  return {
    products: data.productIds.length,
    visitors: data.visitorCount,
    sessions: rowCount(data.sessions),
    orders: rowCount(data.baskets),
    interactions: data.meetings.productIndices.length,
  };
}
