import { toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Command, Option } from "commander";
import { InteractionType } from "../gen/aisle/v1/interaction_pb.js";
import type { ProductCard } from "../gen/aisle/v1/product_card_pb.js";
import type { ProductReason } from "../gen/aisle/v1/recommendation_reason_pb.js";
import {
  ExplainRecommendationResponseSchema,
  RecommendPageResponseSchema,
  type RecommendResponse,
  RecommendResponseSchema,
} from "../gen/aisle/v1/recommendation_service_pb.js";
import { CALL, withClients, withServer } from "./client.js";
import { type ContactOptions, recommendToFile } from "./contact-recommendations.js";
import type { CommandDeps } from "./deps.js";
import { UsageFailure } from "./errors.js";
import { type FilterOptions, filterOf } from "./frame-values.js";
import { currencyCode, idList, plainId, repeated, wholeNumber } from "./option-values.js";
import { type Column, type Output, printable, shorten, writeJson, writeLine, writeTable } from "./output.js";
import { reasonText } from "./reason-text.js";

interface RecommendOptions extends ContactOptions, FilterOptions {
  readonly app: string;
  readonly current?: readonly string[];
  readonly viewed?: readonly string[];
  readonly cart?: readonly string[];
  readonly bought?: readonly string[];
  readonly fpcid?: string;
  readonly clientId?: string;
  readonly frame?: readonly string[];
  readonly why?: boolean;
  readonly explain?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, deps: CommandDeps): void {
  withServer(command)
    .requiredOption("--app <id>", "the app", plainId)
    .option("--current <ids>", "products on the page now, comma-separated", idList)
    .option("--viewed <ids>", "products viewed, oldest first", idList)
    .option("--cart <ids>", "products in the cart", idList)
    .option("--bought <ids>", "products bought before", idList)
    .option("--exclude <ids>", "products to leave out", idList)
    .option(
      "--group <ids>",
      "show only products of one of these groups: named ones, categories, tags, brand:NAME",
      idList,
    )
    .option("--all-groups <ids>", "show only products of each of these groups", idList)
    .option("--without-group <ids>", "show no products of these groups", idList)
    .option("--min-price <amount>", "show only products of at least this price")
    .option("--max-price <amount>", "show only products of at most this price")
    .option("--currency <code>", "the currency of these prices (default: any)", currencyCode)
    .option("--out-of-stock", "also show products out of stock")
    .option("--fpcid <id>", "a known visitor, by fingerprint cookie id")
    .option("--client-id <id>", "a known visitor, by client id")
    .option(
      "--frame <id>",
      "the frame to fill (default: the app's default frame); repeat for the frames of one page, which share no product",
      repeated,
    )
    .option("--limit <n>", "maximum length of each list, 0 to 100 (default: as the frame says)", wholeNumber(0, 100))
    .option("--contacts <file>", "answer for each e-mail address, phone number or contact id of a file; needs --out")
    .option("--out <file>", "with --contacts: write CSV to this new file")
    .option("--include-unsubscribed", "with --contacts: also answer for contacts that are not subscribed by e-mail")
    .option("--why", "explain each product: rules, neighbours and their counts")
    .addOption(new Option("--explain", "the former name of --why").hideHelp())
    .option("--json", "print the answer as JSON")
    .addHelpText(
      "after",
      `
Example:
  $ aisle recommend --app shop1 --current 4711 --viewed 4712,4713 --limit 5 --why
  $ aisle recommend --app shop1 --contacts addresses.txt --out mailing.csv`,
    )
    .action((options: RecommendOptions) => recommend(options, deps));
}

async function recommend(options: RecommendOptions, deps: CommandDeps): Promise<void> {
  const nowMs = deps.now();
  const frames = options.frame ?? [];
  if (frames.length > 1 && (options.why || options.explain))
    throw new UsageFailure("--why explains one frame at a time");
  const list = (ids: readonly string[] | undefined) => [...(ids ?? [])];
  // Orders come before views and cart additions: an order empties the cart.
  const steps = [
    ...list(options.bought).map((productId) => ({ productId, type: InteractionType.ORDER })),
    ...list(options.viewed).map((productId) => ({ productId, type: InteractionType.PRODUCT_VIEW })),
    ...list(options.cart).map((productId) => ({ productId, type: InteractionType.ADD_TO_CART })),
  ];
  const request = {
    appId: options.app,
    visitor: { fingerprintId: options.fpcid ?? "", clientId: options.clientId ?? "" },
    interactions: steps.map((step, at) => ({
      ...step,
      interactionTime: timestampFromMs(nowMs - (steps.length - at) * 1000),
    })),
    currentProductIds: list(options.current),
    frameId: frames.length === 1 ? frames[0]! : "",
    filter: filterOf(options),
    preview: true,
    ...(options.limit !== undefined && { recommendedCount: options.limit, alternativeCount: options.limit }),
  };
  if (options.contacts !== undefined) {
    const { visitor: _, ...asked } = request;
    return recommendToFile(options, asked, deps);
  }
  await withClients(options, deps, async ({ recommendations }) => {
    if (frames.length > 1) {
      const page = await recommendations.recommendPage({ request, frameIds: [...frames] }, CALL);
      if (options.json) writeJson(deps.stdout, toJson(RecommendPageResponseSchema, page));
      for (const [at, answer] of options.json ? [] : page.frames.entries()) {
        if (at > 0) writeLine(deps.stdout, "");
        writeAnswer(deps.stdout, answer, null);
      }
      return;
    }
    if (!options.why && !options.explain) {
      const answer = await recommendations.recommend(request, CALL);
      if (options.json) writeJson(deps.stdout, toJson(RecommendResponseSchema, answer));
      else writeAnswer(deps.stdout, answer, null);
      return;
    }
    const answer = await recommendations.explainRecommendation({ request }, CALL);
    if (options.json) writeJson(deps.stdout, toJson(ExplainRecommendationResponseSchema, answer));
    else if (answer.response) {
      writeAnswer(deps.stdout, answer.response, {
        recommended: answer.recommendedReasons,
        alternative: answer.alternativeReasons,
      });
    }
  });
}

interface Reasons {
  readonly recommended: readonly ProductReason[];
  readonly alternative: readonly ProductReason[];
}

function writeAnswer(output: Output, answer: RecommendResponse, reasons: Reasons | null): void {
  if (answer.currentProduct) writeLine(output, `For ${cardName(answer.currentProduct)}`);
  const served = answer.modelId ? `model ${answer.modelId}` : "no model yet";
  const frame = printable(answer.frameId) + (answer.variant && ` (variant ${printable(answer.variant)})`);
  writeLine(output, `Version ${answer.version}, frame ${frame}, ${served}`);
  if (answer.missingIds.length > 0) {
    writeLine(output, `Unknown and ignored: ${answer.missingIds.map(printable).join(", ")}`);
  }
  writeList(output, "Recommended (complementary)", answer.recommended, reasons?.recommended);
  writeList(output, "Alternative (similar)", answer.alternative, reasons?.alternative);
}

function cardName(card: ProductCard): string {
  return card.title ? `${printable(card.productId)} ${printable(card.title)}` : printable(card.productId);
}

function writeList(output: Output, title: string, cards: readonly ProductCard[], reasons?: readonly ProductReason[]) {
  writeLine(output, "");
  if (cards.length === 0) {
    writeLine(output, `${title}: none`);
    return;
  }
  writeLine(output, `${title}:`);
  const titleWidth = Math.max(20, Math.min(60, (output.columns ?? 100) - 50));
  const columns: readonly Column<ProductCard>[] = [
    ["rank", (_, at) => String(at + 1), "right"],
    ["id", ({ productId }) => productId],
    ["title", ({ title: name }) => shorten(printable(name), titleWidth)],
    ["price", ({ price }) => (price?.amount ? `${price.amount} ${price.currency}` : ""), "right"],
    ["category", ({ categoryId }) => shorten(printable(categoryId), 24)],
  ];
  const why: Column<ProductCard> = ["why", (_, at) => reasonText(reasons?.[at]).split("\n")];
  writeTable(output, reasons ? [...columns, why] : columns, cards);
}
