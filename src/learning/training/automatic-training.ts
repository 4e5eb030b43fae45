/**
 * Trains apps without being asked: soon after their first data, when their data grew by a tenth, and daily when anything
 * changed.
 *
 * Growth is counted in stored events and in products. A model's record says how many of both there were at its training.
 * Events are counted by their keys, each one once. One that becomes visible behind a later one may be missed. An app in
 * which nothing changed costs one read of a counter a minute.
 */
import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import { idAt } from "../../domain/ids.js";
import type { ModelRecord, TrainingReason } from "../../domain/model.js";
import type { ProductCounts } from "../../domain/product.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { EventStore } from "../../store/ports/event-store.js";
import type { ModelStore } from "../../store/ports/model-store.js";
import type { Trainer } from "./trainer.js";

/** Shortest time between two models of an app. */
const PAUSE_MS = 5 * 60_000;
/** A model of an app in which anything changed is renewed at this age. */
const MAX_AGE_MS = 86_400_000;
/** A model is renewed when the data grew by one in so many. */
const GROWTH = 10;
/** Fewer new events are no growth. As many make the first model of an app without products. */
const LEAST_EVENTS = 10;
/** An app in which nothing changed for this long has been imported. */
const QUIET_MS = 30_000;
/** Interval for looking at an app that has a model. */
const LOOK_MS = 60_000;
/** The longest pause after failed trainings; it doubles with each up to this. */
const MAX_BACK_OFF_MS = 3_600_000;
/** Apps read at once. */
const PAGE = 100;

export interface AutomaticTraining {
  /**
   * Trains, one after the other, the apps that are due: by the rules above, or every so many ms when anything changed. Call
   * it every few seconds. An app without data to learn from is no failure.
   */
  trainDue(every: "auto" | number, onFailure: (appId: string, error: unknown) => void): Promise<void>;
  /** Time of the oldest model whose app has newer data that could not be learned; null when every model is current. */
  behindSince(): number | null;
}

export interface AutomaticTrainingDependencies {
  readonly apps: Pick<AppStore, "list">;
  readonly models: Pick<ModelStore, "activity" | "list">;
  readonly events: Pick<EventStore, "count">;
  readonly productCounts: (appId: string) => Promise<ProductCounts>;
  readonly trainIfPossible: Trainer["trainIfPossible"];
  readonly now: Now;
}

/** An app as it was seen last. */
interface Seen {
  readonly createdAt: number;
  /** When it is looked at again. */
  nextAt: number;
  activity: string;
  /** Since when the activity is this one. */
  changedAt: number;
  /** Since when there is something to learn. */
  firstAt: number;
  /** The activity at which there was too little to learn from. */
  tooLittleAt: string;
  /** The activity that the newest model has learned. */
  learnedAt: string;
  /** Time of the newest model, or of the app. */
  modelAt: number;
  /** Trainings that failed, since the last look without a failure. */
  failures: number;
  /** Events since a model. */
  counted: { readonly modelId: string; readonly count: number; readonly lastId: string };
}

interface Pace {
  readonly pauseMs: number;
  readonly maxAgeMs: number;
}

export function createAutomaticTraining(deps: AutomaticTrainingDependencies): AutomaticTraining {
  const { models, events, now } = deps;
  let seen = new Map<string, Seen>();

  const look = async (appId: string, app: Seen, pace: Pace): Promise<void> => {
    const activity = await models.activity(appId);
    if (activity !== app.activity) app.changedAt = now();
    if (app.activity === "") app.firstAt = now();
    app.activity = activity;
    if (activity === "" || activity === app.tooLittleAt) return;
    const lookAgainAt = now() + Math.min(LOOK_MS, pace.pauseMs);
    if (activity === app.learnedAt) {
      app.nextAt = lookAgainAt;
      return;
    }
    const [model] = await models.list(appId);
    app.learnedAt = model?.activity ?? "";
    app.modelAt = model?.createdAt ?? app.createdAt;
    const reason = await reasonFor(appId, app, model, pace);
    if (reason !== undefined) {
      const isTrained = await deps.trainIfPossible(appId, reason, model?.modelId);
      app.tooLittleAt = isTrained ? "" : activity;
      app.nextAt = isTrained ? lookAgainAt : now() + pace.pauseMs;
    } else if (model !== undefined) {
      const restsUntil = model.createdAt + pace.pauseMs;
      app.nextAt = restsUntil > now() ? restsUntil : lookAgainAt;
    }
  };

  /** Undefined when the app is not due. */
  const reasonFor = async (
    appId: string,
    app: Seen,
    model: ModelRecord | undefined,
    { pauseMs, maxAgeMs }: Pace,
  ): Promise<TrainingReason | undefined> => {
    if (model === undefined) return (await isReady(appId, app, pauseMs)) ? "first_data" : undefined;
    const age = now() - model.createdAt;
    if (model.activity === app.activity || age < pauseMs) return undefined;
    if (age >= maxAgeMs) return "schedule";
    return (await hasGrown(appId, app, model)) ? "data_grew" : undefined;
  };

  /** Whether an app without a model has enough data. An import that goes on is not waited for longer than `pauseMs`. */
  const isReady = async (appId: string, app: Seen, pauseMs: number): Promise<boolean> => {
    if (now() - app.changedAt < QUIET_MS && now() - app.firstAt < pauseMs) return false;
    if ((await productsOf(appId)) > 0) return true;
    if ((await events.count(appId, "", LEAST_EVENTS)).count === LEAST_EVENTS) return true;
    app.tooLittleAt = app.activity;
    return false;
  };

  const hasGrown = async (appId: string, app: Seen, model: ModelRecord): Promise<boolean> => {
    const { modelId, createdAt, trainingMs, manifest } = model;
    // Models of earlier versions did not count events.
    const { products = 0, interactions = 0, events: learned = interactions } = manifest.dataCounts;
    const wanted = Math.max(LEAST_EVENTS, Math.ceil(learned / GROWTH));
    const before =
      app.counted.modelId === modelId ? app.counted : { modelId, count: 0, lastId: idAt(createdAt - trainingMs) };
    const more = await events.count(appId, before.lastId, wanted - before.count);
    app.counted = { modelId, count: before.count + more.count, lastId: more.lastId };
    if (app.counted.count >= wanted) return true;
    return (await productsOf(appId)) >= products + Math.max(1, Math.ceil(products / GROWTH));
  };

  const productsOf = async (appId: string): Promise<number> => {
    const { fed, learned } = await deps.productCounts(appId);
    return fed + learned;
  };

  return {
    async trainDue(every, onFailure) {
      const pace = every === "auto" ? { pauseMs: PAUSE_MS, maxAgeMs: MAX_AGE_MS } : { pauseMs: every, maxAgeMs: every };
      const found = new Map<string, Seen>();
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, PAGE);
        for (const app of apps) {
          after = app.appId;
          const before = seen.get(app.appId);
          const it = before?.createdAt === app.createdAt ? before : unseen(app, now());
          found.set(app.appId, it);
          if (now() < it.nextAt) continue;
          try {
            await look(app.appId, it, pace);
            it.failures = 0;
          } catch (error) {
            it.nextAt = now() + Math.min(pace.pauseMs * 2 ** it.failures, Math.max(pace.pauseMs, MAX_BACK_OFF_MS));
            it.failures++;
            onFailure(app.appId, error);
          }
        }
        if (apps.length < PAGE) break;
      }
      seen = found;
    },
    behindSince() {
      const behind = [...seen.values()].filter(({ failures }) => failures > 0).map(({ modelAt }) => modelAt);
      return behind.length === 0 ? null : Math.min(...behind);
    },
  };
}

function unseen({ createdAt }: App, at: number): Seen {
  return {
    createdAt,
    nextAt: at,
    activity: "",
    changedAt: at,
    firstAt: at,
    tooLittleAt: "",
    learnedAt: "",
    modelAt: createdAt,
    failures: 0,
    counted: { modelId: "", count: 0, lastId: "" },
  };
}
