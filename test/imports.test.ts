import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
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

/** Who may import whom, besides itself. Requests go facade → services → stages → ports; adapters stand behind the ports. */
const TABLE: ImportTable = {
  domain: [],
  algorithms: ["kernels"],
  gen: [],
  // What JavaScript is too slow for, compiled.
  kernels: ["gen"],
  ports: ["domain"],
  model: ["domain", "ports", "algorithms"],
  subscription: ["domain", "ports"],
  catalog: ["domain", "ports"],
  intake: ["domain", "ports"],
  hooks: ["domain", "ports"],
  feeds: ["gen", "domain", "ports", "feed"],
  training: ["domain", "ports", "algorithms", "model"],
  recommend: ["domain", "ports", "algorithms", "model"],
  migrate: ["domain", "ports"],
  privacy: ["domain", "ports", "subscription"],
  evaluation: ["domain", "ports", "algorithms", "model", "catalog", "training", "recommend"],
  services: [
    "gen",
    "domain",
    "ports",
    "subscription",
    "catalog",
    "intake",
    "training",
    "model",
    "recommend",
    "evaluation",
    "hooks",
    "feeds",
    "privacy",
  ],
  // How people write money: for whoever reads what they wrote.
  amounts: [],
  // Files of products, for whoever has one: the command line, and the server that fetches it.
  feed: ["gen", "amounts"],
  facade: ["gen", "amounts"],
  // What the adapters of all stores are made of.
  "adapters/store": ["domain", "ports"],
  "adapters/embedded": ["domain", "ports", "adapters/store"],
  "adapters/mongo": ["domain", "ports", "adapters/store"],
  "adapters/embedding": ["domain", "ports"],
  "adapters/metrics": ["domain", "ports"],
  "adapters/tracing": ["domain", "ports"],
  "adapters/hooks": ["domain", "ports"],
  "adapters/feeds": ["feed", "adapters/hooks"],
  // A small set of vectors is searched exactly instead: that search is an algorithm.
  "adapters/hnsw": ["domain", "ports", "algorithms"],
  cli: ["gen", "amounts", "feed"],
  browser: ["gen"],
  console: ["gen"],
  // Its pages are a shop on the helper.
  demo: ["gen", "domain", "browser"],
  [TOP]: [EVERYTHING],
};

/** What reads the configuration: modules that import nothing of ours but each other. */
const CONFIG_MODULES = [
  "config.ts",
  "embedder-location.ts",
  "setting.ts",
  "setting-values.ts",
  "settings.ts",
  "store-location.ts",
];

/** The modules outside every folder. */
const TOP_MODULES = [
  "app-copies.ts",
  "app-spans.ts",
  "app.ts",
  "back-up.ts",
  "certificate.ts",
  "console-files.ts",
  ...CONFIG_MODULES,
  "demo-shop.ts",
  "doctor.ts",
  "doors.ts",
  "duties.ts",
  "listen.ts",
  "local-services.ts",
  "log.ts",
  "mailing.ts",
  "main.ts",
  "migrate-stores.ts",
  "open-services.ts",
  "page-scripts.ts",
  "open-store.ts",
  "patience.ts",
  "peer-connections.ts",
  "open-embedder.ts",
  "primary.ts",
  "rpc-interceptors.ts",
  "rpc-tokens.ts",
  "serve.ts",
  "server.ts",
  "shared-metrics.ts",
  "shared-sender-limit.ts",
  "stop-signal.ts",
  "store-when-open.ts",
  "training-thread.ts",
  "training-worker.ts",
  "uuids.ts",
  "verify-process.ts",
  "worker-messages.ts",
  "worker.ts",
];

/** Packages that one place alone knows, so that they can be exchanged there. */
const PACKAGE_OWNERS = {
  lmdb: ["adapters/embedded"],
  mongodb: ["adapters/mongo"],
  "hnswlib-node": ["adapters/hnsw"],
  "@huggingface/*": ["adapters/embedding"],
  "prom-client": ["adapters/metrics"],
  "@opentelemetry/*": ["adapters/tracing"],
  fastify: ["facade"],
  "@fastify/*": ["facade"],
  commander: ["cli"],
  pino: ["log.ts"],
  saxes: ["feed"],
};

/** Modules past 300 lines, each with the reason why it is one idea. */
const LONG: Readonly<Record<string, string>> = {};

const src = join(import.meta.dirname, "../src");
const tree = new Map(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path.split(sep).join("/"), readFileSync(join(src, path), "utf8")]),
);

describe("src", () => {
  it("has every module in a folder that the table names", () => {
    const strangers = [...tree.keys()].filter((path) => {
      const folder = folderOf(path, TABLE);
      return folder === undefined || (folder === TOP && !TOP_MODULES.includes(path));
    });
    expect(strangers).toEqual([]);
  });

  it("imports only in the directions of the table", () => {
    expect(forbiddenImports(tree, TABLE)).toEqual([]);
  });

  it("reads its configuration with nothing of ours", () => {
    const ours = CONFIG_MODULES.map((path) => `./${path.replace(".ts", ".js")}`);
    for (const path of CONFIG_MODULES) {
      const imports = importsOf(tree.get(path) ?? "").map(({ specifier }) => specifier);
      expect(tree.has(path)).toBe(true);
      expect(imports.filter((specifier) => specifier.startsWith(".") && !ours.includes(specifier))).toEqual([]);
    }
  });

  it("uses a driver only in the folder that wraps it", () => {
    expect(strayPackages(tree, PACKAGE_OWNERS)).toEqual([]);
  });

  it("has no ring of modules that load each other", () => {
    expect(importCycles(tree)).toEqual([]);
  });

  it("has no module past 300 lines but those listed with a reason", () => {
    const long = [...tree].filter(
      ([path, text]) => !path.startsWith("gen/") && text.trimEnd().split("\n").length > 300,
    );
    expect(long.map(([path]) => path)).toEqual(Object.keys(LONG));
  });
});

describe("the rules themselves", () => {
  const verdict = (files: Record<string, string>) => forbiddenImports(new Map(Object.entries(files)), TABLE);

  it("name an import that goes the wrong way", () => {
    const files = {
      "domain/event.ts": 'import { store } from "../ports/store.js";',
      "ports/store.ts": "export const store = 1;",
    };
    expect(verdict(files)).toEqual(["domain/event.ts → ports/store.ts"]);
  });

  it("see types, re-exports, dynamic imports and workers alike", () => {
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

  it("take no comment or text for an import", () => {
    const text = '// import "../domain/x.js"\nexport const text = `import "../domain/x.js"`;';
    expect(verdict({ "facade/a.ts": text, "domain/x.ts": "" })).toEqual([]);
  });

  it("keep the top modules for the top modules", () => {
    expect(
      verdict({ "cli/a.ts": 'import "../config.js";', "config.ts": "", "main.ts": 'import "./cli/a.js";' }),
    ).toEqual(["cli/a.ts → config.ts"]);
  });

  it("keep one adapter from another", () => {
    const files = { "adapters/mongo/a.ts": 'import "../embedded/b.js";', "adapters/embedded/b.ts": "" };
    expect(verdict(files)).toEqual(["adapters/mongo/a.ts → adapters/embedded/b.ts"]);
  });

  it("name an import of a module that is not there", () => {
    expect(verdict({ "domain/a.ts": 'import "./gone.js";' })).toEqual(["domain/a.ts → ./gone.js (not found)"]);
  });

  it("name a folder that the table does not", () => {
    expect(folderOf("utils/text.ts", TABLE)).toBeUndefined();
    expect(folderOf("adapters/redis/store.ts", TABLE)).toBeUndefined();
    expect(folderOf("gen/aisle/v1/event_pb.ts", TABLE)).toBe("gen");
  });

  it("name a driver used elsewhere", () => {
    const files = new Map([
      ["intake/a.ts", 'import { open } from "lmdb";'],
      ["services/b.ts", 'import cookie from "@fastify/cookie";'],
      ["adapters/embedded/c.ts", 'import { open } from "lmdb";'],
    ]);
    expect(strayPackages(files, PACKAGE_OWNERS)).toEqual(["intake/a.ts → lmdb", "services/b.ts → @fastify/cookie"]);
  });

  it("name a ring of three, and none where one of them needs only types or loads the next later", () => {
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
