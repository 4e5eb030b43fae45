import { type Command, Option } from "commander";
import { FEED_FORMATS } from "../feed/feed-reader.js";
import { PRODUCT_FIELDS } from "../feed/product-row.js";
import { withServer } from "./client.js";
import { CONTACT_FIELDS } from "./import/contact-row.js";
import { EVENT_FIELDS } from "./import/event-row.js";
import {
  type EventImportOptions,
  type ImportOptions,
  importContacts,
  importEvents,
  importProducts,
  type ProductImportOptions,
} from "./import/jobs.js";
import { ORDER_WINDOW } from "./import/orders.js";
import { count } from "./output.js";
import type { ProgramDeps } from "./program.js";
import { currencyCode, plainId, repeated } from "./values.js";

const PRODUCT_FILE_HELP = `
FILE is a feed, plain or gzip, - for stdin, or the https address of one (at most 4 GiB and an hour): XML as Google Merchant (RSS 2.0 or Atom) or CENEO take it, CSV with a header,
parted by commas, semicolons, tabs or bars, or one JSON object a line. Its content tells which, else --format.

What cannot be used is counted, shown with its number (the first 20) and written to FILE.rejected (stdin.rejected):
lines as they came, items of XML as JSON lines, so that the mended file can be imported. It stops nothing; the exit
code is 1 only when nothing was good.`;

const FILE_HELP = `
FILE is CSV with a header or one JSON object a line, plain or gzip (told by its content), - for stdin.
CSV may be parted by commas, semicolons, tabs or bars. Columns may stand in any order; names are compared
without case.

A line that cannot be used is counted, shown with its number (the first 20) and written to FILE.rejected
(stdin.rejected) as it came. It stops nothing; the exit code is 1 only when no line was good.`;

export function addImportCommands(program: Command, deps: ProgramDeps): void {
  const group = program.command("import").description("bring products, past events and contacts into an app");
  shared(group.command("products"))
    .description("write products from a file; each replaces what was known under its id")
    .option("--map <field=column>", "read a field from a column of another name; may be given again", repeated)
    .addOption(
      new Option("--format <format>", "how the file is written, when its content misleads").choices(FEED_FORMATS),
    )
    .option("--private-feeds", "with an https address, also one of loopback and private networks")
    .option("--full", "the file lists all products: hide those of the catalogue that it does not")
    .option("--force", "with --full, hide also more than half of the products, or when lines could not be told apart")
    .addHelpText(
      "after",
      `${PRODUCT_FILE_HELP}

Fields: ${PRODUCT_FIELDS.fields.join(", ")}.
Names of Google's specification are known, with and without g:, with blanks or _. Only id is required. Other columns
are kept as attributes of the product, custom_label_0 to 4 as tags. category is a list from broad to narrow, or text
parted by > or else /; each part is the id and the name of its level. product_type stands in for it: there the id of a
level is the path down to it. price is a number with or without a currency, such as 49,90 USD; while a sale runs
sale_price is the price. availability is in_stock, out_of_stock, preorder, yes, no or a number in stock. tags are
parted by | or commas. An image_url or url that is no http(s) address is left out.

With --full products that the feed does not list are hidden, until a feed lists them again; those that were only learned
from events are left alone. Nothing is hidden when the file breaks off, when not even the id of a line can be told, or when
it would be more than half of the products that are shown. A product that was hidden by RPC stays hidden.

Example:
  $ aisle import products products.csv.gz --app shop1 --currency GBP
  $ aisle import products feed.xml --app shop1 --full
  $ aisle import products https://shop.example/feed.xml --app shop1 --full
  $ aisle import products feed.xml --app shop1 --report rejected.jsonl
  $ aisle import products feed.jsonl --app shop1 --map id=item --map title=name`,
    )
    .action((file: string, options: ProductImportOptions) => importProducts(file, options, deps));
  shared(group.command("events"))
    .description("store past events and orders from a file")
    .option("--map <field=column>", "read a field from a column of another name; may be given again", repeated)
    .option("--type <type>", "the type of lines without one, for example order")
    .option("--idempotent", "give each event a key, so that a second run within 24 hours stores nothing twice")
    .addHelpText(
      "after",
      `${FILE_HELP}

Fields: ${EVENT_FIELDS.fields.join(", ")}. Other columns are ignored.
type is product_view, add_to_cart, order, order_cancel, category_view or any other text. timestamp is ISO 8601
(UTC unless it says otherwise) or Unix time in seconds or milliseconds; without such a column events get the time
of import. visitor is stored as client id; an empty visitor of an order becomes order:<order_id>.

Lines with one order_id (and type and visitor) become one event. They need not follow each other: ${count(ORDER_WINDOW.orders)}
orders are held open at once, each until ${count(ORDER_WINDOW.distance)} lines after its last one. When lines of an order
stand further apart it arrives as several events, of which the server keeps the one with the most products.

Without --idempotent a second run stores all events again (orders still count once). The keys come from the
content of the file up to the event and from --map, --type and --currency.

Example:
  $ aisle import events events.csv.gz --app shop1
  $ aisle import events lines.csv --app shop1 --type order --map visitor=customer --map product_id=item \\
      --map timestamp=ts --map order_id=invoice --map price=unit_price`,
    )
    .action((file: string, options: EventImportOptions) => importEvents(file, options, deps));
  addContacts(group, deps);
}

/** The commands of lists of contacts. */
function addContacts(group: Command, deps: ProgramDeps): void {
  withServer(group.command("contacts"))
    .argument("<file>", "the file, - for stdin")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--json", "print the totals as JSON")
    .description("take in a list of contacts and what it knows of their subscriptions")
    .option("--map <field=column>", "read a field from a column of another name; may be given again", repeated)
    .addHelpText(
      "after",
      `${FILE_HELP}

Fields: ${CONTACT_FIELDS.fields.join(", ")}. Other columns are ignored.
email or phone is required. status and sms_status are subscribed, unsubscribed, 1, 0, yes or no; empty leaves what is
known. changed_at says since when: newer knowledge stays as it is, and the same list again changes nothing. Without
it the status holds from the import on. client_id, fingerprint_id and user_id link a visitor.

Example:
  $ aisle import contacts list.csv --app shop1 --map changed_at=last_changed`,
    )
    .action((file: string, options: ImportOptions) => importContacts(file, options, deps));
}

function shared(command: Command): Command {
  return withServer(command)
    .argument("<file>", "the file, - for stdin")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--currency <code>", "currency of prices that name none, such as EUR", currencyCode)
    .option("--report <file>", "tell each rejected line there as JSON: position, id, field, reason")
    .option("--json", "print the totals as JSON");
}
