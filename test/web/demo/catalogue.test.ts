import { describe, expect, it } from "vitest";
import { demoCatalogue } from "../../../src/server/demo/catalogue.js";
import { readTable } from "../../../src/server/demo/tables.js";

const { articles, articleById, categories, departments, shelfById } = demoCatalogue();

describe("the demo shop's catalogue", () => {
  it("has every article on one shelf of one department", () => {
    expect(categories.flatMap((category) => category.articles)).toEqual(articles);
    expect(departments.flatMap((department) => department.categories)).toEqual(categories);
  });

  it("reads a line of the file as the article that it describes", () => {
    const { product, ...article } = articleById("eider-minus-12") ?? {};
    expect(article).toEqual({
      id: "eider-minus-12",
      cents: 45_900,
      inStock: false,
      category: "sleeping",
    });
    expect(product).toMatchObject({
      sku: "SLP-005",
      title: "Eider -12 winter sleeping bag",
      brand: "Quillmoor",
      price: { amount: "459.00", currency: "EUR" },
      categories: [
        { categoryId: "camp", name: "Camp" },
        { categoryId: "sleeping", name: "Sleeping" },
      ],
      tags: ["down", "winter", "mountain"],
      attributes: { colour: "berry", comfort: "-12 °C" },
    });
  });

  it("finds shelves by their ids, and no others", () => {
    expect(shelfById("camp")?.path.map(({ name }) => name)).toEqual(["Camp"]);
    expect(shelfById("tents")?.path.map(({ name }) => name)).toEqual(["Camp", "Tents & shelters"]);
    for (const id of ["", "lark-2", "constructor"]) expect(shelfById(id)).toBeUndefined();
  });
});

it("a demo file without a required column is rejected with the column's name", () => {
  expect(() => readTable("shelves.csv", ["id", "price"])).toThrow(/price/);
});
