import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import { Unavailable } from "../../domain/errors.js";
import { type Commits, KEPT_COMMITS } from "./commits.js";

/** Milliseconds between two looks at a commit that is not durable yet. */
const LOOK_MS = 16;

/**
 * Begins a commit of `by`, and checks that it does not come too late. False when another server has made the commit of
 * this number. A commit that only the primary has may stay so for `leftMs`.
 *
 * The session makes the head be read as of the insert or later. Without it, a new primary may for a moment answer
 * majority reads from before writes that the old one acknowledged, and the check would pass.
 */
export async function beginCommit(
  commits: Commits,
  appId: string,
  rev: number,
  by: string,
  redo: Uint8Array,
  leftMs: number,
): Promise<boolean> {
  /** Undefined when the number is taken by a commit that is not durable. */
  const isBegun = async (inSession: { readonly session: ClientSession }): Promise<boolean | undefined> => {
    if (!(await commits.begin(appId, rev, by, redo, inSession))) {
      const made = await commits.at(appId, rev);
      if (made?.by !== by) return made === undefined ? undefined : false; // else the driver has sent the insert twice
    }
    if ((await commits.head(appId, inSession)) < rev + KEPT_COMMITS) return true;
    await commits.remove(appId, [rev]);
    throw new Unavailable("The commit was begun too late");
  };
  for (let ms = 0; ms <= leftMs; ms += LOOK_MS) {
    const session = commits.startSession();
    const outcome = await isBegun({ session }).finally(() => session.endSession());
    if (outcome !== undefined) return outcome;
    await pause(LOOK_MS); // only the primary has it yet: it becomes durable, or a failover rolls it back
  }
  throw new Unavailable("A commit of the app is not durable yet");
}
