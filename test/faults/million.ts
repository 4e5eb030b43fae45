// `npm run faults -- million`: kills servers under load until the figures of this commit reach the aims, in sessions of some
// minutes. Each adds what the checker found to checker/figures.json, so the next call goes on where this one was stopped.
import { execFile, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import type { FaultStore } from "./faults.js";

const root = join(import.meta.dirname, "../..");
const path = join(root, "checker/figures.json");

/** What the checker prints, whether it finds faults or not. */
const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  new Promise<string>((resolve) => execFile("python3", args, { cwd: root, env }, (_, stdout) => resolve(stdout)));

/** What the checker found over all sessions of a commit. */
interface Figures {
  readonly commit: string;
  readonly store: FaultStore;
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly wrong: number;
  readonly seeds: readonly number[];
}

/** `calm`: seconds at most before a kill. */
const AIMS = {
  embedded: { kills: 200, acknowledged: 1_000_000, calm: "0.8" },
  mongo: { kills: 20, acknowledged: 100_000, calm: "4" },
};
const KILLS_OF_SESSION = 25;

const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const allFigures = (): Figures[] => JSON.parse(readFileSync(path, "utf8"));

/** One session over a new store, added to the figures. */
async function session(store: FaultStore, urlOf: (seed: number) => string): Promise<Figures> {
  const all = allFigures();
  const isOurs = (one: Figures) => one.commit === commit && one.store === store;
  const none = { commit, store, kills: 0, acknowledged: 0, lost: 0, doubled: 0, wrong: 0, seeds: [] };
  const before: Figures = all.find(isOurs) ?? none;
  const { kills, acknowledged, calm } = AIMS[store];
  if (before.kills >= kills && before.acknowledged >= acknowledged) return before;
  const seed = 1 + Math.max(0, ...before.seeds);
  const folder = await mkdtemp(join(tmpdir(), "aisle-million-"));
  try {
    const serve = `${process.execPath} bin/aisle.js serve --store ${urlOf(seed)} --facade-port {rest} --rpc-port {rpc}`;
    const load = ["--only", "batch", "--batch", "200", "--workers", "4", "--calm", calm, "--seconds", "1800"];
    const plan = ["--faults", "kill", "--rounds", String(KILLS_OF_SESSION), "--seed", String(seed), ...load];
    const history = ["--history", join(folder, "history.jsonl")];
    const env = { ...process.env, TMPDIR: folder, AISLE_ANSWER_MS: "20000" };
    const said = await run(["checker/check.py", "--serve", serve, ...plan, ...history], env);
    const found: Omit<Figures, "kills"> & { readonly dead: number; readonly faults: { readonly kill: number } } =
      JSON.parse(said.trim().split("\n").at(-1) ?? "");
    if (found.lost + found.doubled + found.wrong + found.dead > 0) console.error(said);
    if (found.dead > 0) throw new Error("The server stopped answering");
    const after: Figures = {
      ...before,
      kills: before.kills + found.faults.kill,
      acknowledged: before.acknowledged + found.acknowledged,
      lost: before.lost + found.lost,
      doubled: before.doubled + found.doubled,
      wrong: before.wrong + found.wrong,
      seeds: [...before.seeds, seed],
    };
    writeFileSync(path, `${JSON.stringify([...all.filter((one) => !isOurs(one)), after], undefined, 2)}\n`);
    console.log(JSON.stringify(after));
    return session(store, urlOf);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] !== "mongo") await session("embedded", () => "embedded:{dir}/store");
const peer = await openMongoPeer();
await session("mongo", (seed) => peer.url(`million_${process.pid}_${seed}`));
await peer.stop();
