import { isLate, isOutOfReach, isPassing } from "../call-errors.js";
import { Failure } from "../errors.js";
import { count, duration, type Output, writeJson, writeLine } from "../output.js";
import { type Rejects, SHOWN_REJECTS } from "./rejects.js";
import type { ImportTally } from "./run.js";

/** Notes that rejected no line, with their counts. */
export interface Remarks {
  readonly counts: Map<string, number>;
}

/** The server's counts so far. */
export interface SentCounts {
  accepted: number;
  deduplicated: number;
  /** Left out because an address is suppressed. */
  suppressed: number;
}

/** Result of hiding after a full feed. */
export interface Hiding {
  readonly hidden: number;
  /** Shown products that the feed does not list; null when the server did not say. */
  readonly unlisted: number | null;
  /** Why nothing was hidden; "" when there was no obstacle. */
  readonly refusal: string;
}

export interface ImportResult {
  /** `products` or `events`. */
  readonly noun: string;
  readonly name: string;
  readonly tally: ImportTally;
  readonly counts: SentCounts;
  readonly rejects: Pick<Rejects, "count" | "file" | "reasons">;
  readonly remarks: Remarks;
  /** Null for imports that are not full feeds, and for those that did not come so far. */
  readonly hiding?: Hiding | null;
  readonly tookMs: number;
  /** The error that ended the import early, otherwise null. */
  readonly failure: unknown;
}

/**
 * Prints the totals, also of an import that failed after something was stored.
 *
 * @throws the error that ended the import, or Failure when no line was good or there was none
 */
export function finish(
  result: ImportResult,
  options: { readonly json?: boolean; readonly dryRun?: boolean },
  outputs: { readonly stdout: Output },
) {
  const { noun, tally, counts, rejects, remarks, tookMs, failure } = result;
  const { hiding = null } = result;
  const { unit } = tally;
  const stored = counts.accepted + counts.deduplicated;
  if (failure !== null && stored === 0 && !wasBusy(failure)) throw failure;
  const perSecond = Math.round(tally.rows / Math.max(0.001, tookMs / 1000));
  if (options.json) {
    writeJson(outputs.stdout, {
      lines: tally.rows,
      [noun]: counts.accepted,
      known: counts.deduplicated,
      ...(noun === "contacts" && { suppressed: counts.suppressed }),
      rejectedLines: rejects.count,
      rejectedFile: rejects.file,
      rejectedReasons: Object.fromEntries(rejects.reasons),
      ...(hiding !== null && { hidden: hiding.hidden, unlisted: hiding.unlisted }),
      remarks: Object.fromEntries(remarks.counts),
      milliseconds: Math.round(tookMs),
      linesPerSecond: perSecond,
      complete: failure === null,
      ...(options.dryRun && { dryRun: true }),
    });
  } else {
    const wouldBe = options.dryRun ? "would be " : "";
    const known = counts.deduplicated > 0 ? `, ${count(counts.deduplicated)} duplicates` : "";
    const suppressed = counts.suppressed > 0 ? `, ${count(counts.suppressed)} left out as suppressed` : "";
    const rejected = rejects.count > 0 ? `, ${count(rejects.count)} ${unit}s rejected` : "";
    writeLine(
      outputs.stdout,
      `${count(tally.rows)} ${unit}s read, ${count(counts.accepted)} ${noun} ${wouldBe}stored${known}${suppressed}${rejected}, ` +
        `in ${duration(tookMs)} (${count(perSecond)} ${unit}s/s)`,
    );
    if (hiding?.refusal === "") {
      writeLine(outputs.stdout, `${count(hiding.hidden)} products ${wouldBe}hidden that the feed does not list`);
    }
    if (rejects.count > SHOWN_REJECTS) {
      for (const [reason, times] of rejects.reasons) writeLine(outputs.stdout, `${count(times)} x ${reason}`);
    }
    if (rejects.file !== null) writeLine(outputs.stdout, `Rejected ${unit}s are in ${rejects.file}`);
    if (tally.notUtf8 > 0)
      writeLine(outputs.stdout, `${count(tally.notUtf8)} ${unit}s hold U+FFFD, a character lost to a wrong encoding`);
    for (const [text, times] of remarks.counts) writeLine(outputs.stdout, `${count(times)} x ${text}`);
  }
  if (failure !== null) {
    if (!(failure instanceof Error)) throw failure;
    const exitCode = failure instanceof Failure ? failure.exitCode : 1;
    throw new Failure(`The import was interrupted: ${failure.message}`, exitCode, { cause: failure });
  }
  if (hiding !== null && hiding.refusal !== "") {
    throw new Failure(`Nothing was hidden: ${hiding.refusal}; use --force to hide them anyway`);
  }
  if (stored > 0) return;
  if (rejects.count > 0) throw new Failure(`No ${unit} of ${result.name} could be imported`);
  if (tally.rows === 0) throw new Failure(`${result.name} holds no ${unit}s to import`);
}

/** True when a server was reached that took too long or could not take more. */
function wasBusy(failure: unknown): boolean {
  const cause = failure instanceof Failure ? failure.cause : undefined;
  return isLate(cause) || (isPassing(cause) && !isOutOfReach(cause));
}
