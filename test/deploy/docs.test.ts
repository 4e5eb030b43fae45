import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { SETTINGS } from "../../src/server/settings/config.js";
import { INDEXES } from "../../src/store/mongo/tables.js";

const root = join(import.meta.dirname, "../..");
const text = (path: string) => readFileSync(join(root, path), "utf8");
const PAGES = ["docs/mongodb.md", "docs/cluster.md"];

/** The rows of the table of shard keys: names of collections, and the key. */
const shardKeys = [...text("docs/mongodb.md").matchAll(/^\| (`[^|]+) \| (`\{ [^|]+`|not sharded) \|/gm)].map(
  ([, names = "", key = ""]) => ({ names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""), key }),
);

it("docs/mongodb.md says of every collection how it is sharded", () => {
  const others = ["meta", "tallies", "snapshots.files", "snapshots.chunks"];
  const all = new Set([...others, ...INDEXES.map(({ collection }) => collection)]);
  expect(shardKeys.flatMap(({ names }) => names).sort()).toEqual([...all].sort());
});

it("the sharding commands of docs/mongodb.md name the collections of the table", () => {
  const sharded = shardKeys.filter(({ key }) => key !== "not sharded").flatMap(({ names }) => names);
  const commands = text("docs/mongodb.md").matchAll(/sh\.shardCollection\("aisle\.([^"]+)"/g);
  expect([...commands].map(([, name]) => name).sort()).toEqual(sharded.sort());
});

it("only the _id index is unique, since a sharded collection could keep no other", () => {
  expect(INDEXES.filter((index) => "unique" in index)).toEqual([]);
});

it("docs/cluster.md and docs/mongodb.md name only existing flags, variables and files", () => {
  const settings = Object.values(SETTINGS);
  const known = new Set<string>(settings.flatMap(({ flag, variable }) => [flag, variable]));
  const elsewhere = ["--help", "--from", "--to", "--name", "--oplog", "--oplogReplay", "AISLE_TOKEN"];
  for (const page of PAGES) {
    const content = text(page);
    const named = content.match(/(?<![\w-])(?:--[a-z][A-Za-z-]+|AISLE_[A-Z_]+)/g) ?? [];
    expect(named.filter((name) => !known.has(name) && !elsewhere.includes(name))).toEqual([]);
    const links = [...content.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  }
});
