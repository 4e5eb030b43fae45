import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Now } from "../../domain/clock.js";
import { DomainError } from "../../domain/errors.js";
import type { Finding } from "../../domain/finding.js";
import { clockFinding, idTime } from "../clock-finding.js";
import { type Environment, openBeside } from "./environment.js";
import { newestEvents } from "./event-store.js";
import { freeBytesOf } from "./files.js";
import { FORMAT_NUMBER, FormatUnsupported } from "./format.js";
import { FIRST, LAST } from "./keys.js";
import { mustHaveItsData, StoreAway } from "./missing-data.js";
import { MODELS, namesIn } from "./model-files.js";
import { WRITER_LIMITS } from "./writer-limits.js";

/** Report a note when the free space is below this multiple of `minFreeBytes`. */
const ROOMY = 4;

/** Examines a store without writing to it. A process that writes meanwhile must hold its pages (`openBeside`). Never rejects. */
export async function examineEmbedded(directory: string, now: Now): Promise<Finding[]> {
  const path = resolve(directory);
  const bytes = await sizeOf(join(path, "data.mdb"));
  if (bytes === undefined) return [missing(path), disk(path)];
  const findings: Finding[] = [];
  try {
    const environment = await openBeside(path, () => undefined);
    try {
      findings.push({
        about: "store",
        state: "ok",
        text: `embedded in ${path}, format ${FORMAT_NUMBER}, id ${environment.storeId}`,
      });
      findings.push(await size(path, bytes), ...unfinished(environment), clock(environment, now));
      const erasedAt = environment.erasedAt();
      if (erasedAt !== undefined) findings.push(erasedBytes(erasedAt, now()));
    } finally {
      await environment.close();
    }
  } catch (error) {
    const state = error instanceof FormatUnsupported && error.canBeUpgraded ? "note" : "problem";
    const text = error instanceof DomainError ? error.message : "it cannot be read";
    findings.push({ about: "store", state, text: `embedded in ${path}: ${text}` });
  }
  return [...findings, disk(path)];
}

function missing(path: string): Finding {
  try {
    mustHaveItsData(path);
    return { about: "store", state: "note", text: `there is none in ${path} yet; a server makes it` };
  } catch (error) {
    return { about: "store", state: "problem", text: error instanceof StoreAway ? error.message : "it cannot be read" };
  }
}

async function size(path: string, bytes: number): Promise<Finding> {
  let files = 0;
  let modelBytes = 0;
  for (const appId of await namesIn(join(path, MODELS))) {
    for (const name of await namesIn(join(path, MODELS, appId))) {
      files++;
      modelBytes += (await sizeOf(join(path, MODELS, appId, name))) ?? 0;
    }
  }
  return { about: "size", state: "ok", text: `records ${mb(bytes)}, ${files} files of models ${mb(modelBytes)}` };
}

/** Unfinished removals and copies. */
function unfinished({ tables }: Environment): Finding[] {
  const removals = tables.removals.keys({ start: FIRST, end: LAST }).length;
  const copies = tables.copies.entries({ start: FIRST, end: LAST }).filter(({ value }) => value.state === "copying");
  const findings: Finding[] = [];
  if (removals > 0)
    findings.push({ about: "removal", state: "note", text: `${removals} removed apps wait for a server to finish it` });
  if (copies.length > 0)
    findings.push({
      about: "copy",
      state: "note",
      text: `${copies.length} apps are copied in part; run migrate again`,
    });
  return findings;
}

/** No reader sees erased records, but their bytes stay in the file's free space until it is compacted. */
function erasedBytes(erasedAt: number, now: number): Finding {
  const days = Math.floor((now - erasedAt) / 86_400_000);
  const text = `bytes of what was erased up to ${days} days ago are in its free space until its only server starts anew`;
  return { about: "erasure", state: "note", text };
}

/** With a clock behind the stored times, new events would sort before old ones. */
function clock(environment: Environment, now: Now): Finding {
  const kept = environment.clock();
  const newest = { eventAt: 0, idAt: kept?.idAt ?? 0, commitAt: kept?.at ?? 0 };
  for (const { value } of newestEvents(environment)) {
    newest.eventAt = Math.max(newest.eventAt, value.receivedAt);
    newest.idAt = Math.max(newest.idAt, idTime(value.eventId));
  }
  return clockFinding(now(), newest);
}

function disk(path: string): Finding {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const free = freeBytesOf(there);
  if (free === Number.POSITIVE_INFINITY) return { about: "disk", state: "note", text: "its free space is unknown" };
  const { minFreeBytes } = WRITER_LIMITS;
  const state = free < minFreeBytes ? "problem" : free < ROOMY * minFreeBytes ? "note" : "ok";
  return { about: "disk", state, text: `${mb(free)} free; below ${mb(minFreeBytes)} writes are refused` };
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size: bytes }) => bytes,
    // not there: the finding says so
    () => undefined,
  );
}

function mb(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
