/** Frames and their results from before the app had a server: those of simulated visits. */
import type { FrameToWrite } from "../domain/frame.js";
import { type FrameExposure, NO_EXPOSURE, type VisitorAct, type VisitorOrder } from "../domain/frame-exposure.js";
import { dayOf, type FrameTally, NO_TALLY, sumOfTallies, tallyKey } from "../domain/frame-tally.js";
import type { VisitorKey } from "../domain/ids.js";
import type { Shown } from "../recommend/shown.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import { withAct, withOrder, withShown } from "./exposures.js";
import { sharesOf } from "./person-results.js";

/** Results by frame, day and variant, by `tallyKey`. */
export type Tallies = ReadonlyMap<string, FrameTally>;

/** Remembers what frames showed to visitors, and what these did, in order of time. */
export interface ResultsTally {
  shown(shown: Shown, at: number): void;
  acted(key: VisitorKey, act: VisitorAct): void;
  ordered(key: VisitorKey, order: VisitorOrder): void;
  /** What came of it all. */
  tallies(): Tallies;
}

/** Tallies by the rules of `person-results.ts`, in memory. */
export function createResultsTally(): ResultsTally {
  const exposures = new Map<VisitorKey, FrameExposure>();
  const tallies = new Map<string, FrameTally>();
  const add = (key: string, tally: FrameTally) => tallies.set(key, sumOfTallies(tallies.get(key) ?? NO_TALLY, tally));
  const change = (key: VisitorKey, to: (exposure: FrameExposure) => FrameExposure) =>
    exposures.set(key, to(exposures.get(key) ?? NO_EXPOSURE));
  return {
    shown: (shown, at) => {
      const { frameId, variant, experimentAt, visitorKey } = shown;
      const day = dayOf(at);
      add(tallyKey({ frameId, day, variant: "", experimentAt: 0 }), { ...NO_TALLY, exposures: 1 });
      if (variant !== "") add(tallyKey({ frameId, day, variant, experimentAt }), { ...NO_TALLY, exposures: 1 });
      change(visitorKey, (exposure) => withShown(exposure, shown, at));
    },
    acted: (key, act) => change(key, (exposure) => withAct(exposure, act)),
    ordered: (key, order) => change(key, (exposure) => withOrder(exposure, order)),
    tallies: () => {
      for (const exposure of exposures.values()) for (const { key, tally } of sharesOf([exposure])) add(key, tally);
      exposures.clear();
      return tallies;
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
