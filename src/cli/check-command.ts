import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import {
  type ListUnknownProductsResponse,
  ListUnknownProductsResponseSchema,
} from "../gen/aisle/v1/catalog_service_pb.js";
import { type AppOptions, CALL, withClients, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { timeText } from "./message-values.js";
import { plainId } from "./option-values.js";
import { count, printable, shorten, writeJson, writeLine, writeTable } from "./output.js";

interface CheckOptions extends AppOptions {}

const MOST_ID_CHARACTERS = 60;
/** Unknown ids that are shown: those that most events name. */
const SHOWN_IDS = 20;

export function define(command: Command, deps: CommandDeps): void {
  withServer(command)
    .requiredOption("--app <id>", "the app", plainId)
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  $ aisle check --app shop1")
    .action((options: CheckOptions) => check(options, deps));
}

async function check(options: CheckOptions, deps: CommandDeps): Promise<void> {
  const found = await withClients(options, deps, ({ catalog }) =>
    catalog.listUnknownProducts({ appId: options.app, pageSize: SHOWN_IDS }, CALL),
  );
  if (options.json) return writeJson(deps.stdout, toJson(ListUnknownProductsResponseSchema, found));
  const {
    unknownProducts,
    totalSize,
    readEventCount: eventsRead,
    unknownEventCount: eventsUnknown,
    productCount: products,
  } = found;
  writeLine(
    deps.stdout,
    `${count(products)} products in the catalogue, ${count(eventsRead)} events with products read`,
  );
  if (totalSize === 0) {
    writeLine(
      deps.stdout,
      eventsRead === 0 ? "No event names a product yet" : "The catalogue knows every product in them",
    );
    return;
  }
  writeLine(
    deps.stdout,
    `${count(eventsUnknown)} events name ${count(totalSize)} products that the catalogue does not know:`,
  );
  writeTable(
    deps.stdout,
    [
      ["id", ({ productId }) => shorten(printable(productId), MOST_ID_CHARACTERS)],
      ["events", ({ eventCount }) => count(eventCount), "right"],
      ["newest", ({ lastEventTime }) => timeText(lastEventTime)],
      ["probably", ({ suggestedProductId }) => shorten(printable(suggestedProductId), MOST_ID_CHARACTERS)],
    ],
    unknownProducts,
  );
  if (totalSize > unknownProducts.length)
    writeLine(deps.stdout, `and ${count(totalSize - unknownProducts.length)} more that fewer events name`);
  writeLine(deps.stdout, adviceFor(found));
}

function adviceFor({ productCount: products, unknownProducts }: ListUnknownProductsResponse): string {
  if (products === 0) return 'The catalogue is empty: import a feed with "aisle import products"';
  if (unknownProducts.some(({ suggestedProductId: meantProductId }) => meantProductId !== ""))
    return "Send the id, SKU or item_group_id of the feed, or map another column of the feed to the id: aisle import products --map id=COLUMN";
  return "Add these products to the feed, or send the id, SKU or item_group_id that the feed has";
}
