import { toJson } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { type Product, ProductOrigin, ProductSchema } from "../gen/aisle/v1/product_pb.js";
import { allPages, CALL_TIMEOUT_MS, type ServerOptions, withClients, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { timeText } from "./message-values.js";
import { plainId, wholeNumber } from "./option-values.js";
import { printable, shorten, writeJson, writeLine, writeTable } from "./output.js";

interface AppOptions extends ServerOptions {
  readonly app: string;
  readonly json?: boolean;
}

interface ShowOptions extends AppOptions {
  readonly id?: string;
  readonly sku?: string;
}

const CALL = { timeoutMs: CALL_TIMEOUT_MS };
const PAGE = 1000;

export function define(product: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) =>
    withServer(product.command(name))
      .description(description)
      .requiredOption("--app <id>", "the app", plainId)
      .option("--json", "print JSON");
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
  if (options.json) {
    writeJson(deps.stdout, toJson(ProductSchema, product));
    return;
  }
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
    ["shown", product.notShown === "" ? "yes" : `no: ${product.notShown}`],
  ];
  for (const [name, text] of lines) if (text !== "") writeLine(deps.stdout, `${name.padEnd(11)}${printable(text)}`);
}

function originText({ origin, learnedFromVisitors }: Product): string {
  if (origin === ProductOrigin.CATALOG) return "feed or RPC; events change nothing";
  return learnedFromVisitors === 0
    ? "events"
    : `events of ${learnedFromVisitors} visitors so far; not in the catalogue`;
}

async function listProducts(options: AppOptions & { readonly limit: number }, deps: CommandDeps): Promise<void> {
  const found = await withClients(options, deps, ({ catalog }) => {
    let left = options.limit;
    return allPages(async (pageToken) => {
      const request = { appId: options.app, pageSize: Math.min(PAGE, left), pageToken };
      const { products, nextPageToken } = await catalog.listProducts(request, CALL);
      left -= products.length;
      return { items: products, nextPageToken: left > 0 ? nextPageToken : "" };
    });
  });
  if (options.json) {
    for (const product of found) writeJson(deps.stdout, toJson(ProductSchema, product));
    return;
  }
  writeTable(
    deps.stdout,
    [{ title: "id" }, { title: "title" }, { title: "told by" }, { title: "shown" }],
    found.map((product) => [
      printable(product.productId),
      shorten(printable(product.title), 50),
      product.origin === ProductOrigin.CATALOG ? "feed or RPC" : "events",
      product.notShown === "" ? "yes" : `no: ${product.notShown}`,
    ]),
  );
}
