import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { open } from "lmdb";
import type { Now } from "../../domain/clock.js";
import { DomainError } from "../../domain/errors.js";
import type { Finding } from "../../domain/finding.js";
import { type Environment, openEnvironment } from "./environment.js";
import { FORMAT_NUMBER, FormatUnsupported } from "./format.js";
import { freeBytesOf } from "./free-space.js";
import { afterPrefix, FIRST, keyOf, LAST } from "./keys.js";
import { MODELS, namesIn } from "./model-files.js";
import { WRITER_LIMITS } from "./writer-limits.js";

/** With less than this many times what is kept free a disk is worth a note. */
const ROOMY = 4;

/** Looks at the store in a directory without writing anything; servers may go on using it. Never rejects. */
export async function examineEmbedded(directory: string, now: Now): Promise<Finding[]> {
  const path = resolve(directory);
  const bytes = await sizeOf(join(path, "data.mdb"));
  if (bytes === undefined) {
    return [{ about: "store", state: "note", text: `there is none in ${path} yet; a server makes it` }, disk(path)];
  }
  const findings: Finding[] = [];
  try {
    const environment = await openEnvironment(path, true, () => undefined);
    try {
      findings.push({
        about: "store",
        state: "ok",
        text: `embedded in ${path}, format ${FORMAT_NUMBER}, id ${environment.storeId}`,
      });
      findings.push(await size(path, bytes), ...unfinished(environment), newestEvent(environment, now));
      const erasedAt = environment.erasedAt();
      if (erasedAt !== undefined) findings.push(erasedBytes(erasedAt, now()));
    } finally {
      await environment.close();
    }
    findings.push(await memoryMap(path));
  } catch (error) {
    const state = error instanceof FormatUnsupported && error.isOlder ? "note" : "problem";
    const text = error instanceof DomainError ? error.message : "it cannot be read";
    findings.push({ about: "store", state, text: `embedded in ${path}: ${text}` });
  }
  return [...findings, disk(path)];
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

/** What LMDB says of itself. The map grows by itself; what counts is the disk. */
async function memoryMap(path: string): Promise<Finding> {
  const root = open(path, { readOnly: true, noSubdir: false, overlappingSync: false });
  const stats: unknown = root.getStats();
  await root.close();
  const number = (name: string): number => {
    const value: unknown = typeof stats === "object" && stats !== null ? Reflect.get(stats, name) : undefined;
    return typeof value === "number" ? value : 0;
  };
  const readers = `${number("numReaders")} of ${number("maxReaders")} places of readers were used`;
  return { about: "map", state: "ok", text: `${mb(number("mapSize"))} mapped, ${readers}` };
}

/** What was begun and waits to be finished. */
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

/** Erased records are gone for every reader; whoever reads the file itself finds them in its free space until then. */
function erasedBytes(erasedAt: number, now: number): Finding {
  const days = Math.floor((now - erasedAt) / 86_400_000);
  const text = `bytes of what was erased up to ${days} days ago are in its free space until its only server starts anew`;
  return { about: "erasure", state: "note", text };
}

/** A clock that stands before what was recorded gives new events places before old ones. */
function newestEvent({ tables }: Environment, now: Now): Finding {
  let newest = 0;
  for (const { value } of tables.apps.entries({ start: FIRST, end: LAST })) {
    const start = keyOf(value.appId, "");
    const [last] = tables.events.backwards({ start, end: afterPrefix(start), limit: 1 });
    newest = Math.max(newest, last?.value.receivedAt ?? 0);
  }
  const aheadMs = newest - now();
  if (aheadMs <= 1000) return { about: "clock", state: "ok", text: "it stands behind every event of the store" };
  const text = `it stands ${Math.ceil(aheadMs / 1000)} s before the newest event of the store: one of them is wrong`;
  return { about: "clock", state: "problem", text };
}

function disk(path: string): Finding {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const free = freeBytesOf(there);
  if (free === Number.POSITIVE_INFINITY) return { about: "disk", state: "note", text: "its free space is not known" };
  const { minFreeBytes } = WRITER_LIMITS;
  const state = free < minFreeBytes ? "problem" : free < ROOMY * minFreeBytes ? "note" : "ok";
  return { about: "disk", state, text: `${mb(free)} free; below ${mb(minFreeBytes)} writes are refused` };
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size: bytes }) => bytes,
    () => undefined,
  );
}

function mb(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
