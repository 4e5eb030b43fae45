import { describe, expect, it } from "vitest";
import { createColumnPlan, type FieldSet } from "../../../src/catalog/feed/columns.js";
import { UnusableFile } from "../../../src/catalog/feed/feed-errors.js";

const SET: FieldSet<"id" | "price" | "sku"> = {
  fields: ["id", "price", "sku"],
  aliases: { product_id: "id" },
  required: [["id"], ["price", "sku"]],
};

describe("createColumnPlan", () => {
  it("recognises a column by field name or alias, ignoring case and outer blanks", () => {
    const plan = createColumnPlan(SET, []);
    expect([" ID ", "Product_Id", "price", "colour"].map((name) => plan.fieldsOf(name))).toEqual([
      ["id"],
      ["id"],
      ["price"],
      [],
    ]);
  });

  it("reads a mapped field from its column only", () => {
    const plan = createColumnPlan(SET, ["id=Item"]);
    expect(plan.fieldsOf("item")).toEqual(["id"]);
    expect(plan.fieldsOf("id")).toEqual([]);
    expect(plan.fieldsOf("product_id")).toEqual([]);
  });

  it("lets one column feed two fields", () => {
    const plan = createColumnPlan(SET, ["id=item", "sku=item"]);
    expect(plan.fieldsOf("item")).toEqual(["id", "sku"]);
  });

  it.each([["colour=x"], ["id"], ["id="], ["=x"], [""]])("rejects the map %j and lists the fields", (map) => {
    expect(() => createColumnPlan(SET, [map])).toThrow(UnusableFile);
    expect(() => createColumnPlan(SET, [map])).toThrow("one of id, price, sku");
  });

  it("rejects a file without a required column and names the columns it has", () => {
    expect(() => createColumnPlan(SET, []).check(["item", "price"])).toThrow(
      "The file has no column id; it has item, price (name it with --map id=COLUMN)",
    );
  });

  it("requires one column of each group only", () => {
    createColumnPlan(SET, []).check(["id", "sku"]);
    expect(() => createColumnPlan(SET, []).check(["id"])).toThrow("The file has no column price or sku; it has id");
  });

  it("rejects a map to a column that the file lacks", () => {
    expect(() => createColumnPlan(SET, ["price=cost"]).check(["id", "price"])).toThrow(
      "--map price=cost: the file has no such column; it has id, price",
    );
  });
});
