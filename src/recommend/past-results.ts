/** Frames and their results from before the app had a server: those of simulated visits. */
import type { FrameToWrite } from "../domain/frame.js";
import { type FrameExposure, type FrameTally, NO_TALLY, sumOfTallies, tallyKey } from "../domain/frame-tally.js";
import type { VisitorKey } from "../domain/ids.js";
import type { Money } from "../domain/money.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { Shown, VisitorAct } from "./frame-counts.js";
import { type Change, withAct, withShown } from "./frame-exposure.js";

/** Results by frame, day and variant, by `tallyKey`. */
export type Tallies = ReadonlyMap<string, FrameTally>;

/** Tallies what frames showed to visitors, and what these did, in order of time. */
export interface ResultsTally {
  readonly tallies: Tallies;
  shown(shown: Shown, at: number): void;
  /** @param payment Of an order. */
  acted(key: VisitorKey, act: VisitorAct, payment: Money): void;
}

/** Tallies by the rules of `frame-exposure.ts`, in memory. */
export function createResultsTally(): ResultsTally {
  const exposures = new Map<VisitorKey, FrameExposure>();
  const tallies = new Map<string, FrameTally>();
  const count = (change: Change) => {
    const key = tallyKey(change.frameId, change.day, change.variant);
    const { frameId: _frame, variant: _variant, day: _day, ...tally } = change;
    tallies.set(key, sumOfTallies(tallies.get(key) ?? NO_TALLY, tally));
  };
  return {
    tallies,
    shown: (shown, at) => {
      const before = exposures.get(shown.visitorKey) ?? { frames: [], shownLists: [] };
      exposures.set(shown.visitorKey, withShown(before, shown, at, count));
    },
    acted: (key, act, payment) => {
      const before = exposures.get(key);
      if (before !== undefined) exposures.set(key, withAct(before, act, payment, count));
    },
  };
}

/** Writes an app's frames, each with its versions from the first on, and their results. */
export type WritePastResults = (appId: string, versions: readonly FrameToWrite[], tallies: Tallies) => Promise<void>;

/** A frame that exists stays as it is, and so do its results: a repeated call changes nothing. */
export function createWritePastResults({ unitOfWork }: { readonly unitOfWork: Pick<UnitOfWork, "run"> }) {
  const write: WritePastResults = (appId, versions, tallies) =>
    unitOfWork.run(appId, (tx) => {
      const existing = new Set(versions.map(({ frameId }) => frameId).filter((id) => tx.frames.get(id) !== undefined));
      for (const version of versions) if (!existing.has(version.frameId)) tx.frames.write(version);
      for (const [key, tally] of tallies)
        if (!existing.has(key.slice(0, key.indexOf("/")))) tx.frameTallies.put(key, tally);
    });
  return write;
}
