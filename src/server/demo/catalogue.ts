import type { MessageInitShape } from "@bufbuild/protobuf";
import { readProduct } from "../../catalog/feed/product-row.js";
import { Availability, type Product, type ProductSchema } from "../../gen/aisle/v1/product_pb.js";
import { readTable } from "./tables.js";

/** App id of the demo shop. */
export const DEMO_APP_ID = "demo";

export const DEMO_APP_NAME = "Larkfell Outfitters";

/** A product of the demo shop. */
export interface Article {
  readonly product: Product;
  /** The product's id, and the last part of its page's path. */
  readonly id: string;
  /** Euro cents. */
  readonly cents: number;
  readonly inStock: boolean;
  /** Id of the category: the narrower of its two shelves. */
  readonly category: string;
}

interface ShelfName {
  readonly id: string;
  readonly name: string;
}

export interface Category extends ShelfName {
  /** One sentence above the category's articles. */
  readonly blurb: string;
  readonly articles: readonly Article[];
}

export interface Department extends ShelfName {
  readonly categories: readonly Category[];
}

/** A shelf of the shop: a department with all its categories, or one category with the department it is in. */
export interface Shelf {
  readonly department: Department;
  readonly categories: readonly Category[];
  /** Broad to narrow: one level for a department, two for a category. */
  readonly path: readonly ShelfName[];
}

/** Everything the demo shop sells, in the order of its shelves. */
export interface Catalogue {
  readonly departments: readonly Department[];
  readonly categories: readonly Category[];
  readonly articles: readonly Article[];
  articleById(id: string): Article | undefined;
  /** The shelf that an id of a department or a category names. */
  shelfById(id: string): Shelf | undefined;
}

/** Columns with a meaning, those of every product feed. Further columns are attributes. */
const COLUMNS = [
  ...(["id", "category", "title", "brand", "price", "availability", "tags"] as const),
  ...(["variant_group_id", "sku", "description"] as const),
];

let catalogue: Catalogue | undefined;

/**
 * What `web/demo/catalogue.csv` and `shelves.csv` say, read once.
 * @throws Error for what cannot be read
 */
export function demoCatalogue(): Catalogue {
  catalogue ??= readCatalogue();
  return catalogue;
}

/** Whether two articles are one product in two sizes, colours or cuts. */
export function areVariants(a: Article, b: Article): boolean {
  return a.product.variantGroupId !== "" && a.product.variantGroupId === b.product.variantGroupId;
}

/** Euro cents as decimal text: 4490 is `44.90`. */
export function decimalPrice(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** The products of the catalogue, with pages and pictures below `baseUrl`, which may end in a slash. */
export function demoProducts({ baseUrl }: { readonly baseUrl: string }): MessageInitShape<typeof ProductSchema>[] {
  const base = baseUrl.replace(/\/+$/, "");
  return demoCatalogue().articles.map(({ id, product }) => ({
    ...product,
    url: `${base}/demo/p/${id}`,
    imageUrl: `${base}/demo/img/${id}.svg`,
  }));
}

function readCatalogue(): Catalogue {
  const shelfRows = readTable("shelves.csv", ["id", "name", "blurb"]).map(({ text }) => ({
    id: text("id"),
    name: text("name"),
    blurb: text("blurb"),
  }));
  const names = new Map(shelfRows.map(({ id, name }) => [id, name]));
  const articles = readArticles(names);
  const departmentOf = new Map(articles.map(({ product, category }) => [category, product.categories[0]?.categoryId]));
  const categoriesOf = (departmentId: string) =>
    shelfRows
      .filter(({ id }) => departmentOf.get(id) === departmentId)
      .map((row) => ({ ...row, articles: articles.filter(({ category }) => category === row.id) }));
  const departments = shelfRows
    .map(({ id, name }) => ({ id, name, categories: categoriesOf(id) }))
    .filter(({ categories }) => categories.length > 0);
  const shelves = departments.flatMap((department): Shelf[] => [
    { department, categories: department.categories, path: [department] },
    ...department.categories.map((category) => ({
      department,
      categories: [category],
      path: [department, category],
    })),
  ]);
  const articleOf = new Map(articles.map((article) => [article.id, article]));
  const shelfOf = new Map(shelves.map((shelf) => [shelf.path.at(-1)?.id, shelf]));
  return {
    departments,
    categories: departments.flatMap(({ categories }) => categories),
    articles,
    articleById: (id) => articleOf.get(id),
    shelfById: (id) => shelfOf.get(id),
  };
}

function readArticles(names: ReadonlyMap<string, string>): Article[] {
  return readTable("catalogue.csv", COLUMNS).map(({ row }) => {
    const { product } = readProduct(row, "EUR");
    for (const level of product.categories) {
      const name = names.get(level.categoryId);
      if (name === undefined) throw new Error(`web/demo/shelves.csv has no shelf ${level.categoryId}`);
      level.name = name;
    }
    return {
      product,
      id: product.productId,
      cents: Math.round(Number(product.price?.amount) * 100),
      inStock: product.availability === Availability.IN_STOCK,
      category: product.categories.at(-1)?.categoryId ?? "",
    };
  });
}
