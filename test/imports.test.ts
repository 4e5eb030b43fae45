import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf } from "./fixtures/source-imports.js";
import {
  EVERYTHING,
  folderOf,
  forbiddenImports,
  type ImportTable,
  importCycles,
  strayPackages,
  TOP,
} from "./fixtures/source-tree.js";

/** Interfaces of the store and of everything outside, with the domain: what each use case works with. */
const USE_CASE = ["parse", "domain", "store/ports", "adapters"];
/** The algorithms of learning, which know nothing else of ours. */
const SOURCES = ["sessions", "carts", "rules", "popularity"].map((name) => `learning/sources/${name}`);
const ALGORITHMS = ["learning/common", "learning/text", ...SOURCES, "learning/rank"];

/** Who may import whom, besides itself; docs/architecture.md shows the same table. `gen` and npm packages are not ours. */
const TABLE: ImportTable = {
  gen: [],
  domain: ["parse"],
  parse: [],
  http: [],
  // Files loose in adapters/ are interfaces; each folder in it implements some of them.
  adapters: ["domain"],
  "adapters/embedding": ["domain", "adapters"],
  "adapters/metrics": ["domain", "adapters"],
  "adapters/tracing": ["domain", "adapters"],
  // Implements what catalog/feed asks for: a feed from its address.
  "adapters/http": ["domain", "adapters", "catalog/feed"],
  // Small sets of vectors are searched exactly, by an algorithm.
  "adapters/hnsw": ["domain", "adapters", "learning/common", "learning/text"],
  // As in adapters/: interfaces, what both stores share, and one folder for each store.
  "store/ports": ["domain"],
  store: USE_CASE,
  "store/lmdb": [...USE_CASE, "store"],
  "store/mongo": [...USE_CASE, "store"],
  "store/migrate": ["domain", "store/ports"],
  intake: USE_CASE,
  // An effect of an event is declared by intake and lies with what it changes.
  identity: [...USE_CASE, "intake", "results"],
  catalog: [...USE_CASE, "intake", "catalog/feed"],
  // The command line reads feeds too, so the readers know neither store nor domain.
  "catalog/feed": ["gen", "parse"],
  "catalog/feed/schedule": [...USE_CASE, "gen", "catalog/feed"],
  "learning/kernels": ["gen"],
  "learning/common": [],
  "learning/text": ["learning/common", "learning/kernels"],
  "learning/sources/sessions": ["learning/common", "learning/kernels"],
  "learning/sources/carts": ["learning/common"],
  "learning/sources/rules": ["learning/common"],
  "learning/sources/popularity": ["learning/common"],
  "learning/rank": ["learning/common", "learning/kernels", "learning/text", ...SOURCES],
  // Files loose in sources/ answer what recommend asks; each folder in it learns what one of them knows.
  "learning/sources": [...USE_CASE, ...ALGORITHMS],
  "learning/snapshot": [...USE_CASE, ...ALGORITHMS, "learning/sources"],
  "learning/training": [...USE_CASE, ...ALGORITHMS, "learning/sources", "learning/snapshot"],
  // Evaluation asks the same lists that visitors get.
  "learning/evaluation": [
    ...USE_CASE,
    ...ALGORITHMS,
    "learning/sources",
    "learning/snapshot",
    "learning/training",
    "catalog",
    "recommend",
  ],
  recommend: [...USE_CASE, ...ALGORITHMS, "learning/sources"],
  // What came of the lists that recommend gave.
  results: [...USE_CASE, "intake", "recommend", "learning/common"],
  operations: USE_CASE,
  // Between the services and their callers, from the inside out.
  "services/errors": ["gen", "domain"],
  "services/telemetry": ["gen", "adapters"],
  "services/json": ["gen", "domain", "parse", "services/errors"],
  "services/access": ["gen", "services/errors", "services/telemetry"],
  "services/calls": ["gen", "domain", "adapters", "services/errors", "services/telemetry", "services/access"],
  "services/standard": ["gen", "services/errors", "services/calls"],
  "services/wire": [
    "gen",
    "domain",
    "http",
    "services/errors",
    "services/json",
    "services/access",
    "services/calls",
    "services/standard",
  ],
  services: [
    ...USE_CASE,
    "gen",
    "services/errors",
    "services/json",
    "services/access",
    "services/calls",
    "intake",
    "identity",
    "catalog",
    "catalog/feed",
    "catalog/feed/schedule",
    "recommend",
    "results",
    "operations",
    "learning/sources",
    "learning/snapshot",
    "learning/training",
    "learning/evaluation",
  ],
  facade: ["gen", "parse", "http", "adapters"],
  cli: ["gen", "parse", "catalog/feed"],
  // What each setting may be is known before anything of ours is loaded.
  "server/settings": [],
  // The demo shop as the server makes it; what its pages run is in web/demo.
  "server/demo": ["gen", "domain", "catalog/feed", "results", "server"],
  server: [EVERYTHING],
  [TOP]: [EVERYTHING],
};

/** The files outside every folder. */
const TOP_MODULES = ["main.ts"];

/** Packages that one place alone knows, so that they can be exchanged there. */
const PACKAGE_OWNERS = {
  lmdb: ["store/lmdb"],
  mongodb: ["store/mongo"],
  "hnswlib-node": ["adapters/hnsw"],
  "@huggingface/*": ["adapters/embedding"],
  "prom-client": ["adapters/metrics"],
  "@opentelemetry/*": ["adapters/tracing"],
  fastify: ["facade"],
  "@fastify/*": ["facade"],
  commander: ["cli"],
  pino: ["server/audit-log.ts", "server/log.ts"],
  saxes: ["catalog/feed"],
};

const src = join(import.meta.dirname, "../src");
const tree = new Map(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path.split(sep).join("/"), readFileSync(join(src, path), "utf8")]),
);

const webFolder = join(import.meta.dirname, "../web");
const webModules = readdirSync(webFolder, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => [`web/${path.split(sep).join("/")}`, readFileSync(join(webFolder, path), "utf8")] as const);

describe("src", () => {
  it("has every module in a folder of the import table", () => {
    const strangers = [...tree.keys()].filter((path) => {
      const folder = folderOf(path, TABLE);
      return folder === undefined || (folder === TOP && !TOP_MODULES.includes(path));
    });
    expect(strangers).toEqual([]);
  });

  it("imports only in the directions of the import table", () => {
    expect(forbiddenImports(tree, TABLE)).toEqual([]);
  });

  it("has the same import table as docs/architecture.md", () => {
    const document = readFileSync(join(import.meta.dirname, "../docs/architecture.md"), "utf8");
    const rows = document.split("| folder | imports, besides itself |")[1]?.split("\n\n")[0] ?? "";
    const named = new Map([
      ["everything", [EVERYTHING]],
      ["ports", USE_CASE],
      ["algorithms", ALGORITHMS],
      ["sources", SOURCES],
    ]);
    const foldersOf = (word: string) => named.get(word) ?? [...word.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const shown = [...rows.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, folder, imports = ""]) => [
      folder === "main.ts" ? TOP : folder,
      imports.split(", ").flatMap(foldersOf),
    ]);
    expect(shown).toEqual(Object.entries(TABLE));
  });

  it("imports a driver only in the folder that wraps it", () => {
    expect(strayPackages(tree, PACKAGE_OWNERS)).toEqual([]);
  });

  it("has no import cycle between modules", () => {
    expect(importCycles(tree)).toEqual([]);
  });

  it("loads neither messages nor servers before the command line knows its command", () => {
    const reached = new Set(["main.ts"]);
    const packages = new Set<string>();
    for (const path of reached)
      for (const { specifier, loadsFirst } of importsOf(tree.get(path) ?? "")) {
        if (!loadsFirst) continue;
        if (specifier.startsWith(".")) reached.add(posix.join(posix.dirname(path), specifier.replace(/js$/, "ts")));
        else if (!specifier.startsWith("node:")) packages.add(specifier);
      }
    expect([...packages].sort()).toEqual(["@bomb.sh/tab/commander", "cli-table3", "commander"]);
    expect([...reached].filter((path) => path !== "main.ts" && !path.startsWith("cli/"))).toEqual([]);
  });
});

/** What runs in browsers, and the messages that it shares with the server. Paths are those from the root. */
const WEB_TABLE: ImportTable = {
  "web/helper": [],
  "web/console": ["src/gen"],
  "web/demo": ["web/helper"],
  "src/gen": [],
};

describe("web", () => {
  const web = new Map([
    ...webModules,
    ...[...tree].filter(([path]) => path.startsWith("gen/")).map(([path, text]) => [`src/${path}`, text] as const),
  ]);

  it("imports only in the directions of its table, and from the server only messages", () => {
    expect(web.has("web/helper/aisle.ts")).toBe(true);
    expect(forbiddenImports(web, WEB_TABLE)).toEqual([]);
  });

  it("has no import cycle between modules", () => {
    expect(importCycles(web)).toEqual([]);
  });

  it("has no module above 300 lines", () => {
    const long = [...web].filter(([path, text]) => path.startsWith("web/") && text.trimEnd().split("\n").length > 300);
    expect(long.map(([path]) => path)).toEqual([]);
  });
});

describe("the import check", () => {
  const verdict = (files: Record<string, string>) => forbiddenImports(new Map(Object.entries(files)), TABLE);

  it("reports an import in the wrong direction", () => {
    const files = {
      "domain/event.ts": 'import { store } from "../store/ports/store.js";',
      "store/ports/store.ts": "export const store = 1;",
    };
    expect(verdict(files)).toEqual(["domain/event.ts → store/ports/store.ts"]);
  });

  it("reads type imports, re-exports, dynamic imports and workers alike", () => {
    const files = {
      "facade/a.ts": 'import type { X } from "../domain/x.js";',
      "facade/b.ts": 'export * from "../domain/x.js";',
      "facade/c.ts": 'export const x = await import("../domain/x.js");',
      "facade/d.ts": 'export let x: import("../domain/x.js").X;',
      "facade/e.ts": 'export const url = new URL("../domain/x.js", import.meta.url);',
      "domain/x.ts": "export type X = 1;",
    };
    expect(verdict(files)).toEqual(["a", "b", "c", "d", "e"].map((name) => `facade/${name}.ts → domain/x.ts`));
  });

  it("ignores comments and strings", () => {
    const text = '// import "../domain/x.js"\nexport const text = `import "../domain/x.js"`;';
    expect(verdict({ "facade/a.ts": text, "domain/x.ts": "" })).toEqual([]);
  });

  it("reports an import of main.ts", () => {
    expect(verdict({ "cli/a.ts": 'import "../main.js";', "main.ts": 'import "./cli/a.js";' })).toEqual([
      "cli/a.ts → main.ts",
    ]);
  });

  it("keeps the two stores apart", () => {
    const files = { "store/mongo/a.ts": 'import "../lmdb/b.js";', "store/lmdb/b.ts": "" };
    expect(verdict(files)).toEqual(["store/mongo/a.ts → store/lmdb/b.ts"]);
  });

  it("reports an import of a missing module", () => {
    expect(verdict({ "domain/a.ts": 'import "./gone.js";' })).toEqual(["domain/a.ts → ./gone.js (not found)"]);
  });

  it("reports a folder that is not in the table", () => {
    expect(folderOf("utils/text.ts", TABLE)).toBeUndefined();
    expect(folderOf("gen/aisle/v1/event_pb.ts", TABLE)).toBe("gen");
  });

  it("reports a driver used elsewhere", () => {
    const files = new Map([
      ["intake/a.ts", 'import { open } from "lmdb";'],
      ["services/b.ts", 'import cookie from "@fastify/cookie";'],
      ["store/lmdb/c.ts", 'import { open } from "lmdb";'],
    ]);
    expect(strayPackages(files, PACKAGE_OWNERS)).toEqual(["intake/a.ts → lmdb", "services/b.ts → @fastify/cookie"]);
  });

  it("reports a cycle of three, and none where one import is of types only or dynamic", () => {
    const ring = (last: string) =>
      new Map([
        ["domain/a.ts", 'import "./b.js";'],
        ["domain/b.ts", 'export * from "./c.js";'],
        ["domain/c.ts", last],
      ]);
    expect(importCycles(ring('import { type A, b } from "./a.js";'))).toEqual([
      "domain/a.ts → domain/b.ts → domain/c.ts → domain/a.ts",
    ]);
    expect(importCycles(ring('import type { A } from "./a.js";'))).toEqual([]);
    expect(importCycles(ring('export const later = () => import("./a.js");'))).toEqual([]);
  });
});
