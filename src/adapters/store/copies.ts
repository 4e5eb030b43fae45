import { Conflict } from "../../domain/errors.js";
import type { CopyMark } from "../../ports/copies.js";
import { after, afterPrefix, keyOf } from "./keys.js";

/** The mark of the run that copies an app. Throws Conflict("aborted") when it is another's, or its work is done. */
export function markOfRun(mark: CopyMark | undefined, run: string): CopyMark {
  if (mark?.run === run && mark.state === "copying") return mark;
  throw new Conflict("aborted", "Another run copies this app now, or has copied it");
}

/** The keys of an app in one table, behind `from` as `Copies.scan` counts them. */
export function copiedRange(appId: string, from: string): { readonly start: string; readonly end: string } {
  const prefix = keyOf(appId, "");
  return { start: from === "" ? prefix : after(prefix + from), end: afterPrefix(prefix) };
}

/** Rows under keys as `Copies.scan` gives them: without what every key of the app begins with. */
export function copiedRows<T>(appId: string, rows: readonly { readonly key: string; readonly value: T }[]) {
  const { length } = keyOf(appId, "");
  return rows.map(({ key, value }) => ({ key: key.slice(length), value }));
}
