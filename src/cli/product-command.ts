import { toJson } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { type Product, ProductOrigin, ProductSchema } from "../gen/aisle/v1/product_pb.js";
import { type AppOptions, appCommand, CALL, withClients } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { printList } from "./list.js";
import { timeText } from "./message-values.js";
import { wholeNumber } from "./option-values.js";
import { printable, shorten, writeJson, writeLine } from "./output.js";

interface ShowOptions extends AppOptions {
  readonly id?: string;
  readonly sku?: string;
}

const PAGE = 1000;

export function define(product: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) =>
    appCommand(product, name, description).option("--json", "print JSON");
  command("show", "show a product, its source, and why it is hidden if it is")
    .addOption(new Option("--id <product>", "by its id").conflicts("sku"))
    .option("--sku <sku>", "by its SKU")
    .addHelpText("after", "\nExample:\n  $ aisle product show --app shop1 --id 4711")
    .action((options: ShowOptions) => showProduct(options, deps));
  command("list", "list products with their sources")
    .option("--limit <n>", "maximum number of products", wholeNumber(1, 1_000_000), 100)
    .addHelpText("after", "\nExample:\n  $ aisle product list --app shop1 --limit 20")
    .action((options: AppOptions & { readonly limit: number }) => listProducts(options, deps));
}

async function showProduct(options: ShowOptions, deps: CommandDeps): Promise<void> {
  const { app: appId, id = "", sku } = options;
  const { product } = await withClients(options, deps, ({ catalog }) =>
    catalog.getProduct(
      { appId, product: sku === undefined ? { case: "productId", value: id } : { case: "sku", value: sku } },
      CALL,
    ),
  );
  if (product === undefined) return;
  if (options.json) return writeJson(deps.stdout, toJson(ProductSchema, product));
  const lines: readonly (readonly [string, string])[] = [
    ["id", product.productId],
    ["sku", product.sku],
    ["variants", product.variantGroupId],
    ["title", product.title],
    ["categories", product.categories.map(({ categoryId, name }) => name || categoryId).join(" > ")],
    ["brand", product.brand],
    ["price", product.price?.amount ? `${product.price.amount} ${product.price.currency}` : ""],
    ["url", product.url],
    ["image", product.imageUrl],
    ["tags", product.tags.join(", ")],
    ["told by", originText(product)],
    ["changed", timeText(product.updateTime)],
    ["shown", shownText(product)],
  ];
  for (const [name, text] of lines) if (text !== "") writeLine(deps.stdout, `${name.padEnd(11)}${printable(text)}`);
}

function originText({ origin, learnedFromVisitors }: Product): string {
  if (origin === ProductOrigin.CATALOG) return "feed or RPC; events change nothing";
  return learnedFromVisitors === 0
    ? "events"
    : `events of ${learnedFromVisitors} visitors so far; not in the catalogue`;
}

function listProducts(options: AppOptions & { readonly limit: number }, deps: CommandDeps): Promise<void> {
  const pageSize = Math.min(PAGE, options.limit);
  return printList(options, deps, {
    read: ({ catalog }, pageToken) => catalog.listProducts({ appId: options.app, pageSize, pageToken }, CALL),
    items: ({ products }) => products,
    most: options.limit,
    json: (product) => toJson(ProductSchema, product),
    inDocuments: true,
    columns: [
      ["id", ({ productId }) => productId],
      ["title", ({ title }) => shorten(printable(title), 50)],
      ["told by", ({ origin }) => (origin === ProductOrigin.CATALOG ? "feed or RPC" : "events")],
      ["shown", shownText],
    ],
  });
}

function shownText({ notShown }: Product): string {
  return notShown === "" ? "yes" : `no: ${notShown}`;
}
