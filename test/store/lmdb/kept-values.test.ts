import { describe, expect, it } from "vitest";
import { DataDamaged } from "../../../src/domain/errors.js";
import { codecOf } from "../../../src/store/lmdb/codec.js";
import type { Key } from "../../../src/store/lmdb/keys.js";
import { Table, type TableData } from "../../../src/store/lmdb/table.js";
import { SCHEMA } from "../../../src/store/schema/schema.js";
import { app } from "../../contract/samples.js";

/** A table of apps over bytes in memory. */
function appTable() {
  const bytes = new Map<Key, Buffer>();
  const data: TableData = {
    getBinaryFast: (key) => bytes.get(key),
    get: (key) => bytes.get(key),
    getRange: () => [],
    put: (key, value) => void bytes.set(key, Buffer.from(value)),
    remove: (key) => void bytes.delete(key),
  };
  const context = { onDamage: () => undefined, closed: false, beginRead: () => undefined };
  const table = new Table("apps", data, codecOf(SCHEMA.apps), context);
  const write = (key: Key, name: string) => table.putNow(key, table.encode(key, { ...app("shop"), displayName: name }));
  return { table, bytes, write };
}

describe("a record that is kept decoded", () => {
  it("is the same object while its bytes stay the same", () => {
    const { table, write } = appTable();
    write("shop", "Shop");
    expect(table.getKept("shop")).toEqual({ ...app("shop"), displayName: "Shop" });
    expect(table.getKept("shop")).toBe(table.getKept("shop"));
  });

  it("is read as it was written last", () => {
    const { table, write } = appTable();
    for (const name of ["One", "Two", "A longer name", "Two"]) {
      write("shop", name);
      expect(table.getKept("shop")?.displayName).toBe(name);
    }
  });

  it("is gone once it was removed", () => {
    const { table, write } = appTable();
    write("shop", "Shop");
    table.getKept("shop");
    table.removeNow("shop");
    expect(table.getKept("shop")).toBeUndefined();
  });

  it("is damaged as soon as one bit is", () => {
    const { table, bytes, write } = appTable();
    write("shop", "Shop");
    table.getKept("shop");
    bytes.get("shop")![3]! ^= 1;
    expect(() => table.getKept("shop")).toThrow(DataDamaged);
  });

  it("is one of a bounded number", () => {
    const { table, write } = appTable();
    write("first", "Shop");
    const first = table.getKept("first");
    for (let n = 0; n < 1000; n++) {
      write(`shop-${n}`, "Shop");
      table.getKept(`shop-${n}`);
    }
    expect(table.getKept("first")).toEqual(first);
    expect(table.getKept("first")).not.toBe(first);
  });
});
