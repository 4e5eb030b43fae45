import { type Command, Option } from "commander";
import { FEED_FORMATS } from "../catalog/feed/feed-reader.js";
import { PRODUCT_FIELDS } from "../catalog/feed/product-row.js";
import { withDryRun, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { CONTACT_FIELDS } from "./import/contact-row.js";
import { type EventImportOptions, importEvents, VISITOR_MEANINGS } from "./import/event-import.js";
import { PRESET_NAMES } from "./import/event-presets.js";
import { EVENT_FIELDS } from "./import/event-row.js";
import { type ContactImportOptions, importContacts } from "./import/jobs.js";
import { ORDER_WINDOW } from "./import/orders.js";
import { importProducts, type ProductImportOptions } from "./import/product-import.js";
import { currencyCode, plainId, repeated } from "./option-values.js";
import { count } from "./output.js";

const PRODUCT_FILE_HELP = `
FILE is a feed, plain or gzip; "-" reads stdin; an https address is fetched (at most 4 GiB in an hour). Formats: XML of
Google Merchant (RSS 2.0 or Atom) or CENEO; CSV with a header, separated by commas, semicolons, tabs or bars; JSON
lines. Aisle detects the format; --format overrides it.

Aisle counts invalid entries, prints the first 20 with their numbers, and writes all to FILE.rejected (stdin.rejected):
lines unchanged, XML items as JSON lines. Correct and import that file. Valid entries are imported all the same; the
exit code is 1 only when no entry was valid.`;

const FILE_HELP = `
FILE is CSV with a header, or JSON lines, plain or gzip; "-" reads stdin. CSV is separated by commas,
semicolons, tabs or bars. Columns come in any order; names ignore case.

Aisle counts invalid lines, prints the first 20 with their numbers, and writes all to FILE.rejected
(stdin.rejected). Valid lines are imported all the same; the exit code is 1 only when no line was valid.`;

export function define(group: Command, deps: CommandDeps): void {
  shared(group.command("products"))
    .description("import products from a file: it makes products, and changes the fields that the file has")
    .option("--map <field=column>", "read a field from a column of another name; repeatable", repeated)
    .addOption(new Option("--format <format>", "format, if detection fails").choices(FEED_FORMATS))
    .option("--private-feeds", "also read https addresses in loopback and private networks")
    .option("--replace", "replace whole products: fields that the file does not have become empty")
    .option("--full", "the file lists all products: hide all others")
    .option("--force", "with --full: hide even more than half of the products, or despite lines without an id")
    .addHelpText(
      "after",
      `${PRODUCT_FILE_HELP}

Fields: ${PRODUCT_FIELDS.fields.join(", ")}.
Only id is required. Names of Google's specification work too, with or without g:, with blanks or _. Other columns
become attributes of the product, custom_label_0 to 4 become tags. category is a list from broad to narrow, or text
separated by > or else /; each part is the id and the name of its level. Without it, product_type serves: there the id
of a level is the path down to it. price is a number with or without a currency, such as 49,90 USD; within
sale_price_effective_date sale_price is the price. availability is in_stock, out_of_stock, preorder, yes, no or a number in stock. tags are
separated by | or commas. Aisle ignores an image_url or url that is no http(s) address.

A column of CSV and a field of a JSON line change that field, an empty one empties it; all other fields of a product
stay. An item of XML with a title is a whole product; one without changes what it has. A line with prices, availability
or times and no texts changes products and makes none. --replace replaces whole products instead.

--full hides products that the feed does not list, until a feed lists them again. It does not hide products known only
from events. It hides nothing if the file is cut off, if a line has no readable id, or if more than half of the shown
products would go. A product that was hidden by RPC stays hidden.

Example:
  $ aisle import products products.csv.gz --app shop1 --currency GBP
  $ aisle import products stock.csv --app shop1
  $ aisle import products feed.xml --app shop1 --full
  $ aisle import products https://shop.example/feed.xml --app shop1 --full
  $ aisle import products feed.xml --app shop1 --report rejected.jsonl
  $ aisle import products feed.jsonl --app shop1 --map id=item --map title=name`,
    )
    .action((file: string, options: ProductImportOptions) => importProducts(file, options, deps));
  shared(group.command("events"))
    .description("store past events and orders from a file")
    .option("--map <field=column>", "read a field from a column of another name; repeatable", repeated)
    .option("--type <type>", "default type of lines, for example order")
    .addOption(new Option("--preset <system>", "the columns of an export of this system").choices(PRESET_NAMES))
    .addOption(
      new Option("--visitor-is <what>", "what the column visitor holds (default: id)").choices(VISITOR_MEANINGS),
    )
    .option("--idempotent", "give each event an idempotency key: a second run within 24 hours stores no duplicates")
    .addHelpText(
      "after",
      `${FILE_HELP}

Fields: ${EVENT_FIELDS.fields.join(", ")}. Other columns are ignored.
type is product_view, add_to_cart, order, order_cancel, category_view or any other text. timestamp is ISO 8601
(UTC by default) or Unix time in seconds or milliseconds; without it, events get the time of the import.

Who it was: visitor (a client id of the shop's pages), user_id, fp_ccid or email; one is enough. Orders that name nobody
are stored as order:<order_id>. email links the visitor to that contact and subscribes nobody.

--preset reads the columns of these exports; ${"`"}docs/move.md${"`"} says how to make each:
shopify (Orders > Export), woocommerce (one row per item), magento and prestashop (a query), ga4 (BigQuery).

Lines with the same order_id, type and visitor become one event. A line may leave out what the line before it says of
the same order. Other lines may lie between them: Aisle keeps
${count(ORDER_WINDOW.orders)} orders open, each until ${count(ORDER_WINDOW.distance)} lines after its last one. Lines further apart become several events;
the server then keeps the one with the most products.

Without --idempotent a second run stores all events again (orders still count once). The keys derive from the file's
content up to the event and from --map, --type and --currency.

Example:
  $ aisle import events events.csv.gz --app shop1
  $ aisle import events orders_export.csv --app shop1 --preset shopify
  $ aisle import events lines.csv --app shop1 --type order --map visitor=customer --map product_id=item \\
      --map timestamp=ts --map order_id=invoice --map price=unit_price`,
    )
    .action((file: string, options: EventImportOptions) => importEvents(file, options, deps));
  addContacts(group, deps);
}

/** The commands for lists of contacts. */
function addContacts(group: Command, deps: CommandDeps): void {
  withDryRun(withServer(group.command("contacts")))
    .argument("<file>", "the file, - for stdin")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--json", "print the totals as JSON")
    .description("import a list of contacts and their subscription status")
    .option("--map <field=column>", "read a field from a column of another name; repeatable", repeated)
    .option("--ignore-column <name>", "leave out a column that looks like consent; repeatable", repeated)
    .addHelpText(
      "after",
      `${FILE_HELP}

Fields: ${CONTACT_FIELDS.fields.join(", ")}. Other columns are ignored.
email or phone is required. status and sms_status are subscribed, unsubscribed, 1, 0, yes or no; an empty value changes
nothing. Aisle also reads the consent columns of Shopify, Mailchimp, Klaviyo, Brevo, WooCommerce, Magento, PrestaShop and
HubSpot, and those in the languages of shops: Accepts Email Marketing, newsletter, opt_in, UNSUB_TIME, zgoda. A column that
looks like consent and cannot be read stops the import: --map it, or name it by --ignore-column. A line is rejected if its
consent is neither yes nor no, or if two columns contradict each other. A status without its address has no effect.

change_time is the time of the status: Aisle keeps a newer status, so importing a list twice is safe. Without
it, the time of the import counts. consent_text, consent_place and consent_network are kept in the ledger as evidence. client_id, fingerprint_id and user_id link a visitor.

Example:
  $ aisle import contacts list.csv --app shop1 --map change_time=last_changed`,
    )
    .action((file: string, options: ContactImportOptions) => importContacts(file, options, deps));
}

function shared(command: Command): Command {
  return withDryRun(withServer(command))
    .argument("<file>", "the file, - for stdin")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--currency <code>", "default currency of prices, such as EUR", currencyCode)
    .option("--report <file>", "write rejected lines to FILE as JSON: position, id, field, reason")
    .option("--json", "print the totals as JSON");
}
