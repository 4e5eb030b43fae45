/** Frames and their results from before the app had a server: those of simulated visits. */
import type { FrameToWrite } from "../domain/frame.js";
import type { FrameTally } from "../domain/frame-tally.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";

/** Results by frame, day and variant, by `tallyKey`. */
export type Tallies = ReadonlyMap<string, FrameTally>;

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
