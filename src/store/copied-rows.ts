import { Conflict } from "../domain/errors.js";
import { after, afterPrefix, keyOf } from "./keys.js";
import type { CopyMark } from "./ports/copies.js";

/** The mark of `run`. Throws Conflict("copy_running") when another run has taken over or the copy is finished. */
export function markOfRun(mark: CopyMark | undefined, run: string): CopyMark {
  if (mark?.run === run && mark.state === "copying") return mark;
  throw new Conflict("copy_running", "Another run copies this app now, or has copied it");
}

/** The range of an app's keys greater than `from`, a key within the app (see `CopiedRow`). */
export function copiedRange(appId: string, from: string): { readonly start: string; readonly end: string } {
  const prefix = keyOf(appId, "");
  return { start: from === "" ? prefix : after(prefix + from), end: afterPrefix(prefix) };
}

/** Rows with keys within the app, as `Copies.scan` returns them: the app prefix is cut off. */
export function copiedRows<T>(appId: string, rows: readonly { readonly key: string; readonly value: T }[]) {
  const { length } = keyOf(appId, "");
  return rows.map(({ key, value }) => ({ key: key.slice(length), value }));
}
