import type { FeedFormat } from "../../catalog/feed/feed-reader.js";
import { namedFields } from "../../catalog/feed/product-fields.js";
import { PRODUCT_FIELDS, type ProductField, readProduct } from "../../catalog/feed/product-row.js";
import { createRepeatedIds } from "../../catalog/feed/repeated-ids.js";
import { ProductUpdateOutcome } from "../../gen/aisle/v1/catalog_service_pb.js";
import type { Product } from "../../gen/aisle/v1/product_pb.js";
import { BULK_TIMEOUT_MS, CALL_TIMEOUT_MS, type Clients } from "../client.js";
import type { CommandDeps } from "../deps.js";
import { UsageFailure } from "../errors.js";
import { count } from "../output.js";
import { type ImportOptions, importFile, remark } from "./jobs.js";
import { createListing } from "./listing.js";
import type { ItemMaker } from "./run.js";
import type { BulkCall } from "./sender.js";
import type { Remarks } from "./totals.js";

export interface ProductImportOptions extends ImportOptions {
  readonly format?: FeedFormat;
  /** Replace whole products instead of the fields that the file has. */
  readonly replace?: boolean;
  /** Hide products that the file does not list. */
  readonly full?: boolean;
  /** Allow loopback and private addresses for the feed. */
  readonly privateFeeds?: boolean;
  /** Hide even more than half, and even when lines could not be read. */
  readonly force?: boolean;
}

/** A product of the file, and the fields that the file has of it. */
interface ProductLine {
  readonly product: Product;
  readonly paths: readonly string[];
  /** Makes the product when it is unknown. */
  readonly allowMissing: boolean;
}

export async function importProducts(file: string, options: ProductImportOptions, deps: CommandDeps): Promise<void> {
  const remarks: Remarks = { counts: new Map() };
  const { app: appId, full = false, force = false, replace = false } = options;
  if (force && !full) throw new UsageFailure("--force: requires --full");
  const warning = createWarning(appId);
  await importFile(file, options, deps, {
    noun: "products",
    fields: PRODUCT_FIELDS,
    remarks,
    maker: createProductMaker(options.currency ?? "", remarks, replace ? warning.onLine : undefined),
    takesXml: true,
    privateFeeds: options.privateFeeds === true,
    format: options.format,
    ...(replace && { prepare: warning.prepare }),
    call: ({ catalog }) => (replace ? replaceCall(catalog, appId) : updateCall(catalog, appId, full)),
    ...(full && { listing: ({ catalog }: Clients) => createListing(catalog.replaceCatalog, appId, force) }),
    repeatable: true,
    keySeed: null,
  });
}

/** What a field holds that is left out otherwise. */
const WANTED: Readonly<Partial<Record<ProductField, string>>> = {
  sale_price: "amount",
  sale_price_effective_date: "two times in ISO 8601 with a slash between",
  cost_of_goods: "amount",
  stock: "whole number",
  url: "http(s) address",
  image_url: "http(s) address",
};

/** @param onLine called with the fields of each line instead of updating only these */
function createProductMaker(
  currency: string,
  remarks: Remarks,
  onLine: ((paths: readonly string[]) => void) | undefined,
): ItemMaker<ProductField, ProductLine> {
  const repeated = createRepeatedIds();
  return {
    push(row) {
      const { product, leftOut } = readProduct(row, currency);
      const named = namedFields(row, leftOut);
      onLine?.(named.paths);
      repeated.note(product.productId, row.line);
      for (const field of leftOut) {
        remark(remarks, `${field} left out, no ${WANTED[field] ?? "time in ISO 8601"}`);
      }
      const message = { product, paths: named.paths, allowMissing: named.makesProducts };
      return [{ message, sources: [{ line: row.line, raw: row.raw, id: product.productId }], key: "" }];
    },
    end() {
      if (repeated.count > 0)
        remarks.counts.set(
          `an id again that came before, first at ${repeated.first}; the last one counts`,
          repeated.count,
        );
      return [];
    },
  };
}

/** Fields that `--replace` empties when the file does not have them. */
const EMPTIED: readonly (readonly [path: string, has: (product: Product) => boolean])[] = [
  ["title", ({ title }) => title !== ""],
  ["description", ({ description }) => description !== ""],
  ["categories", ({ categories }) => categories.length > 0],
  ["brand", ({ brand }) => brand !== ""],
  ["price", ({ price }) => price !== undefined],
  ["url", ({ url }) => url !== ""],
  ["image_url", ({ imageUrl }) => imageUrl !== ""],
  ["sku", ({ sku }) => sku !== ""],
  ["variant_group_id", ({ variantGroupId }) => variantGroupId !== ""],
  ["tags", ({ tags }) => tags.length > 0],
];

/** Warns before the first call when the first line has no field that products of the catalogue have. */
function createWarning(appId: string) {
  let stored: readonly Product[] = [];
  let note: (text: string) => void = () => undefined;
  let isDone = false;
  return {
    async prepare({ catalog }: Clients, print: (text: string) => void): Promise<void> {
      note = print;
      stored = (await catalog.listProducts({ appId, pageSize: 1000 }, { timeoutMs: CALL_TIMEOUT_MS })).products;
    },
    onLine(paths: readonly string[]): void {
      if (isDone) return;
      isDone = true;
      for (const [path, has] of EMPTIED) {
        const having = paths.includes(path) ? 0 : stored.filter(has).length;
        if (having > 0)
          note(`The file has no ${path}: --replace empties it; ${count(having)} of the products read first have one`);
      }
    },
  };
}

function replaceCall(catalog: Clients["catalog"], appId: string): BulkCall<ProductLine> {
  return async (batches) => {
    async function* messages() {
      for (const batch of batches) yield { appId, products: batch.map((item) => item.message.product), fromFeed: true };
    }
    const answer = await catalog.upsertProducts(messages(), { timeoutMs: BULK_TIMEOUT_MS });
    return { accepted: answer.accepted, deduplicated: 0, refused: answer.refused };
  };
}

function updateCall(catalog: Clients["catalog"], appId: string, full: boolean): BulkCall<ProductLine> {
  return async (batches) => {
    const refused: { index: number; field: string; reason: string }[] = [];
    let index = 0;
    for (const batch of batches) {
      const updates = batch.map(({ message: { product, paths, allowMissing } }) => ({
        product,
        updateMask: { paths: [...paths] },
        allowMissing,
      }));
      const fromFeed = full || updates.some(({ allowMissing }) => allowMissing);
      const { results } = await catalog.updateProducts({ appId, updates, fromFeed }, { timeoutMs: BULK_TIMEOUT_MS });
      for (const { outcome, field, reason } of results) {
        if (outcome === ProductUpdateOutcome.NOT_FOUND) refused.push({ index, field: "id", reason: NOT_FOUND });
        else if (outcome === ProductUpdateOutcome.INVALID) refused.push({ index, field, reason });
        index++;
      }
    }
    return { accepted: index - refused.length, deduplicated: 0, refused };
  };
}

const NOT_FOUND = "there is no such product, and a line without texts makes none";
