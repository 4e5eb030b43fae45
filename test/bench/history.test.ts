import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { Commit } from "../../bench/history/commits.js";
import { historyPage } from "../../bench/history/page.js";
import { BadResult, readResults } from "../../bench/history/results.js";
import { type Json, numberAt } from "../../bench/history/value-at.js";
import { describeWithChromium, openBrowser } from "../fixtures/browser.js";
import { expectSoundPage, openPage } from "../fixtures/page-checks.js";
import { temporaryDirectory } from "../fixtures/server.js";

type Machine = Readonly<Record<string, string | number>>;
const MACHINE: Machine = { cores: 2, model: "AMD EPYC", memoryGiB: 24, platform: "linux x64", node: "v20.20.2" };
const OTHER: Machine = { ...MACHINE, model: "Intel Xeon" };

const COMMITS: readonly Commit[] = [
  { hash: "fff1111000000000000000000000000000000000", date: "2026-11-20", title: "Events: <b> is escaped" },
  { hash: "aaa2222000000000000000000000000000000000", date: "2026-11-20", title: "Status: answered from memory" },
  { hash: "bbb3333000000000000000000000000000000000", date: "2026-11-22", title: "Docs" },
];

const status = (ours: number | null, machine = MACHINE): Json => ({
  machine,
  contacts: 1_000_000,
  reference: { cpuMicros: 20 },
  measured: { cpuMicros: ours },
});
const imported = (perSecond: number, machine = MACHINE): Json => ({
  machine,
  parts: [
    { events: 1_000_000, perSecond: perSecond * 1.25 },
    { events: 2_000_000, perSecond },
  ],
  summary: { bytesAnEvent: 1043, lastToFirst: 0.8 },
});
const trace = (kit: number, shop?: number): Json => ({
  machine: MACHINE,
  reference: [
    { form: "kit", server: "reference", connections: 64, ratio: 1 },
    { form: "kit", server: "aisle", connections: 32, ratio: 9 },
    { form: "kit", server: "aisle", connections: 64, ratio: kit },
    ...(shop === undefined ? [] : [{ form: "shop", server: "aisle", connections: 64, ratio: shop }]),
  ],
});

/** A folder that holds these results. */
async function folderOf(files: Readonly<Record<string, Json | string>>): Promise<string> {
  const folder = join(await temporaryDirectory(), "results");
  await mkdir(folder);
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  return folder;
}

const read = async (files: Readonly<Record<string, Json | string>>) => readResults(await folderOf(files), COMMITS);
const pageOf = async (files: Readonly<Record<string, Json | string>>) => historyPage(await read(files));
/** What the files are refused with. */
async function refusal(files: Readonly<Record<string, Json | string>>): Promise<string> {
  const error: unknown = await read(files).catch((reason: unknown) => reason);
  return error instanceof BadResult ? error.message : `${error}`;
}
const count = (text: string, part: string) => text.split(part).length - 1;
const LINE = 'class="line"';
const POINT = "<title>";

describe("the results of benchmarks", () => {
  it("are ordered by commit, whatever the file names are", async () => {
    const results = await read({
      "2026-11-20-aaa2222-status.json": status(60),
      "2026-11-20-fff1111-status.json": status(80),
      "2026-11-21-eeeeeee-status.json": status(50), // git does not know it
      "2026-11-22-bbb3333-status.json": status(40),
    });
    expect(results.map(({ commit }) => commit)).toEqual(["fff1111", "aaa2222", "eeeeeee", "bbb3333"]);
  });

  it("are shown as ratios where a reference server was measured as well", async () => {
    const [result] = await read({ "2026-11-20-fff1111-status.json": status(65) });
    expect(result?.values).toEqual([3.25]);
  });

  it("show undefined for a figure that a file lacks or has as null", async () => {
    const results = await read({
      "2026-11-20-fff1111-trace.json": trace(1.5),
      "2026-11-20-aaa2222-trace.json": trace(1.5, 2.5),
    });
    expect(results.map(({ values }) => values)).toEqual([
      [1.5, undefined, undefined],
      [1.5, 2.5, undefined],
    ]);
    expect(await refusal({ "2026-11-20-fff1111-status.json": status(null) })).toContain("has no figure of status");
  });

  it("are refused as a whole when one file has a wrong name, which the error names", async () => {
    const good = { "2026-11-20-fff1111-status.json": status(65) };
    for (const name of ["status.json", "2026-13-01-fff1111-status.json", "2026-11-20-main-status.json", "notes.md"]) {
      const said = await refusal({ ...good, [name]: status(65) });
      expect(said).toContain(name);
      expect(said).toContain("a file of results is named YYYY-MM-DD-<short commit>-<benchmark>.json");
    }
  });

  it("are refused for an unknown benchmark, and the error lists the known ones", async () => {
    const said = await refusal({ "2026-11-20-fff1111-soak.json": status(65) });
    expect(said).toMatch(/fff1111-soak\.json: .* named soak, it is one of trace, stranger, status, /);
  });

  it("are refused when a file is not JSON or does not name its machine", async () => {
    expect(await refusal({ "2026-11-20-fff1111-status.json": "{" })).toMatch(
      /fff1111-status\.json cannot be read as JSON: accepted is what `npm run bench -- status --json FILE` writes/,
    );
    const { contacts, reference, measured } = { contacts: 1, reference: { cpuMicros: 1 }, measured: { cpuMicros: 2 } };
    expect(await refusal({ "2026-11-20-fff1111-status.json": { contacts, reference, measured } })).toContain(
      "does not say its machine",
    );
  });

  it("are refused for an empty and for a missing folder", async () => {
    expect(await refusal({})).toContain("has no results: files in it are named YYYY-MM-DD-");
    await expect(readResults("/nowhere/results", [])).rejects.toThrow("/nowhere/results is no folder of results");
  });

  it("exclude hidden files", async () => {
    expect(await read({ ".gitkeep": "", "2026-11-20-fff1111-status.json": status(65) })).toHaveLength(1);
  });
});

describe("a path into results", () => {
  const json: Json = {
    rows: [
      { name: "a", size: 2, value: 5 },
      { name: "b", size: 9, value: 7 },
      { name: "a", size: 3, value: 8 },
    ],
  };

  it.each([
    ["rows[name=b].value", 7],
    ["rows[size=max].value", 7],
    ["rows[name=a,size=max].value", 8],
    ["rows.length", 3],
    ["rows[name=c].value", undefined],
    ["rows[absent=max].value", undefined],
    ["rows.value", undefined],
    ["rows[name=b].name", undefined],
  ])("%s reads as %s", (path, value) => {
    expect(numberAt(json, path)).toBe(value);
  });
});

describe("the page of results", () => {
  it("joins neighbours by a line, with a gap where a commit lacks the figure", async () => {
    const three = (second?: number) => ({
      "2026-11-20-fff1111-trace.json": trace(1.5, 2),
      "2026-11-20-aaa2222-trace.json": trace(1.4, second),
      "2026-11-22-bbb3333-trace.json": trace(1.3, 2.2),
    });
    const whole = await pageOf(three(2.1));
    expect([count(whole, POINT) - 1, count(whole, LINE)]).toEqual([6, 4]);
    const gap = await pageOf(three());
    expect([count(gap, POINT) - 1, count(gap, LINE)]).toEqual([5, 2]);
    expect(gap).toContain('<td class="number">–</td>');
  });

  it("joins ratios across two machines, but no other figures", async () => {
    const page = await pageOf({
      "2026-11-20-fff1111-import.json": imported(7000),
      "2026-11-20-aaa2222-import.json": imported(9000, OTHER),
    });
    expect([count(page, POINT) - 1, count(page, LINE)]).toEqual([6, 1]);
    expect(page).toContain("AMD EPYC, 2 cores, 24 GiB, linux x64, Node v20.20.2");
    expect(page).toContain("Intel Xeon, 2 cores, 24 GiB, linux x64, Node v20.20.2");
  });

  it("joins no figures that were measured under different conditions", async () => {
    const page = await pageOf({
      "2026-11-20-fff1111-status.json": status(60),
      "2026-11-20-aaa2222-status.json": {
        machine: MACHINE,
        contacts: 1000,
        reference: { cpuMicros: 1 },
        measured: { cpuMicros: 2 },
      },
    });
    expect(count(page, LINE)).toBe(0);
    expect(page).toContain("1,000,000 contacts");
    expect(page).toContain("1,000 contacts");
  });

  it("begins with the newest figure of each aim, and how far off that is", async () => {
    const page = await pageOf({
      "2026-11-20-fff1111-import.json": imported(7000),
      "2026-11-22-bbb3333-import.json": imported(20_000),
    });
    const [, aims = ""] = /id="aims"([\s\S]*?)<\/section>/.exec(page) ?? [];
    expect(aims).toContain('20,000 a second</td><td class="number">40,000</td><td class="number">2.00 times');
    expect(aims).toContain("bbb3333");
    expect(aims).not.toContain("fff1111");
    expect(aims).not.toContain("Strangers");
  });

  it("has every figure in a table with the escaped commit title, and describes each plot in words", async () => {
    const page = await pageOf({
      "2026-11-20-fff1111-status.json": status(65),
      "2026-11-20-aaa2222-status.json": status(60),
    });
    expect(page).toContain('<code>fff1111</code> Events: &#60;b&#62; is escaped</th><td class="number">3.25</td>');
    expect(page).toContain(
      "from 3.25 × (fff1111, 2026-11-20) to 3.00 × (aaa2222, 2026-11-20). The table below has every figure.",
    );
  });

  it("shows how long the fixed task took beside each result, and a dash for a result that does not tell", async () => {
    const page = await pageOf({
      "2026-11-20-fff1111-status.json": status(60, MACHINE),
      "2026-11-20-aaa2222-status.json": status(60, { ...MACHINE, fixedTaskMs: 41.5 }),
    });
    const cells = [...page.matchAll(/<td class="number">([^<]*)<\/td><td class="machine">/g)].map(([, told]) => told);
    expect(cells).toEqual(["41.5", "–"]);
  });

  it("loads no script and no other address", async () => {
    const page = await pageOf({ "2026-11-20-fff1111-status.json": status(65) });
    expect(page).not.toMatch(/<script|<link|<img|https?:|url\(|@import/);
  });
});

describeWithChromium("the page of results in a browser", () => {
  it("passes the layout and accessibility checks when opened from a file, on phone and desk, light and dark", async () => {
    const all = Array.from({ length: 14 }, (_, n) => ({
      [`2026-10-${10 + n}-${(0xabc0000 + n).toString(16)}-trace.json`]: trace(
        2 - n * 0.05,
        n === 6 ? undefined : 3 - n * 0.1,
      ),
      [`2026-10-${10 + n}-${(0xabc0000 + n).toString(16)}-import.json`]: imported(
        7000 + 200 * n,
        n < 9 ? MACHINE : OTHER,
      ),
    }));
    const files = Object.assign({ "2026-11-20-fff1111-status.json": status(65) }, ...all);
    const file = join(await temporaryDirectory(), "performance.html");
    await writeFile(file, await pageOf(files));
    const { page, faults } = await openPage(await openBrowser(), pathToFileURL(file).href);
    await expectSoundPage(page, "performance");
    expect(faults).toEqual([]);
  });
});
