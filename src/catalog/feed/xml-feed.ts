/**
 * Rows of XML feeds of two families. Google's: RSS 2.0 or Atom with the fields of its product data specification
 * (https://support.google.com/merchants/answer/7052112). CENEO's: `<offers><o id price>…`, or `<offers><offer><id>…` as
 * some shops write it.
 */
import type { ColumnPlan } from "./columns.js";
import { BrokenFeed } from "./feed-errors.js";
import { type Entry, isEmpty, type Row } from "./rows.js";
import { createXmlReader, localName, type XmlElement, type XmlItem } from "./xml-items.js";

const GOOGLE_ROOTS = new Set(["rss", "RDF", "feed", "channel", "items"]);
const CENEO_ROOTS = new Set(["offers", "webkupiec"]);
const GOOGLE_NAMESPACE = "base.google.com/ns/1.0";

export type XmlKind = "google" | "ceneo";

/** Fields of a product in the words of `PRODUCT_FIELDS`, and what else its item says. */
type Cells = readonly (readonly [name: string, value: string])[];

export interface XmlFeedReader<Field extends string> {
  /** @throws BrokenFeed when the rest cannot be read */
  push(chunk: Uint8Array): Entry<Field>[];
  end(): Entry<Field>[];
}

/** @param kind the family; told by the root element when undefined */
export function createXmlFeedReader<Field extends string>(
  plan: ColumnPlan<Field>,
  kind: XmlKind | undefined,
): XmlFeedReader<Field> {
  const kindOf = (root: string) => kind ?? (CENEO_ROOTS.has(root) ? "ceneo" : "google");
  const reader = createXmlReader((root, name) =>
    kindOf(root) === "ceneo" ? name === "o" || name === "offer" : name === "item" || name === "entry",
  );
  let count = 0;
  let isKnown = false;

  const rows = (items: readonly XmlItem[]): Entry<Field>[] => {
    if (!isKnown && reader.root !== "") {
      isKnown = true;
      if (kind === undefined && !GOOGLE_ROOTS.has(reader.root) && !CENEO_ROOTS.has(reader.root)) {
        throw new BrokenFeed("the XML is no feed of products: RSS, Atom and the offers of CENEO are known");
      }
    }
    return items.map(({ element, fault }) => {
      count += 1;
      const isCeneo = kindOf(reader.root) === "ceneo";
      const cells = isCeneo ? ceneoCells(element) : googleCells(element, reader.prefixes);
      const row = rowOf(count, cells, plan, isCeneo ? "PLN" : undefined);
      return fault === "" ? row : { ...source(row), reason: `the item's XML is ${fault}` };
    });
  };
  return { push: (chunk) => rows(reader.push(chunk)), end: () => rows(reader.end()) };
}

function source({ line, raw, id }: Row<string>) {
  return { line, raw, ...(id !== undefined && { id }) };
}

function rowOf<Field extends string>(
  line: number,
  cells: Cells,
  plan: ColumnPlan<Field>,
  currency: string | undefined,
): Row<Field> {
  const values: Partial<Record<Field, unknown>> = {};
  const extras = new Map<string, string>();
  for (const [name, value] of cells) {
    const fields = plan.fieldsOf(name);
    for (const field of fields) if (isEmpty(values[field])) values[field] = value;
    if (fields.length === 0 && value !== "") {
      const before = extras.get(name);
      extras.set(name, before === undefined ? value : `${before}, ${value}`);
    }
  }
  const raw = JSON.stringify(Object.fromEntries([...Object.entries(values), ...extras]));
  const [id] = cells.flatMap(([name, value]) => (name === "id" && value !== "" ? [value] : []));
  const row = { line, raw, values, extras: [...extras], isItem: true as const };
  return { ...row, ...(id !== undefined && { id }), ...(currency && { currency }) };
}

/** What items of RSS and Atom have besides, that says nothing of a product. */
const ABOUT_THE_ITEM = new Set(["guid", "pubDate", "published", "updated", "author", "summary", "content", "source"]);
/** Many to a product, and of no use for recommending it. */
const PICTURES = "additional_image_link";

/**
 * Google's fields win over those of RSS and Atom: `<id>` of an Atom entry is an address. Elements of other namespaces, and
 * those with parts of their own (`g:shipping`), are passed over.
 */
function googleCells(item: XmlElement, prefixes: ReadonlyMap<string, string>): Cells {
  const google = new Set(
    [...prefixes].flatMap(([prefix, address]) => (address.includes(GOOGLE_NAMESPACE) ? [prefix] : [])),
  );
  if (google.size === 0) google.add("g");
  const own: [string, string][] = [];
  const plain: [string, string][] = [];
  for (const { name, attributes, text, children } of item.children) {
    const local = localName(name);
    const prefix = name.slice(0, Math.max(0, name.length - local.length - 1));
    if (children.length > 0 || local === PICTURES) continue;
    if (google.has(prefix)) own.push([local, text.trim()]);
    else if (prefix === "" && !ABOUT_THE_ITEM.has(local)) {
      const isLink = local === "link" && attributes.has("href");
      if (isLink && (attributes.get("rel") ?? "alternate") !== "alternate") continue;
      plain.push([local, (isLink ? (attributes.get("href") ?? "") : text).trim()]);
    } else if (prefix === "" && (local === "summary" || local === "content")) plain.push(["description", text.trim()]);
  }
  return [...own, ...plain];
}

const CENEO_NAMES: ReadonlyMap<string, string> = new Map([
  ["name", "title"],
  ["desc", "description"],
  ["cat", "product_type"],
  ["category", "product_type"],
  ["image", "image_url"],
  ["producer", "brand"],
  ["producent", "brand"],
  ["vendor", "brand"],
  ["kod_producenta", "mpn"],
  ["ean", "gtin"],
]);
/** Attributes of an offer that are no facts about the product. */
const OF_THE_OFFER = new Set(["avail", "available", "stock", "set", "basket"]);

/**
 * `avail` says in how many days an offer is sent (1, 3, 7, 14) or that one must ask (90, 99, 110): all can be bought, unless
 * `stock` is 0.
 */
function ceneoCells(offer: XmlElement): Cells {
  const cells: [string, string][] = [];
  const add = (name: string, value: string) => cells.push([CENEO_NAMES.get(name.toLowerCase()) ?? name, value.trim()]);
  const facts = new Map(offer.attributes);
  for (const { name, attributes, text, children } of offer.children) {
    if (name === "imgs") {
      const main = children.find((child) => child.name === "main") ?? children[0];
      add("image_url", main?.attributes.get("url") ?? "");
    } else if (name === "attrs") {
      for (const { attributes: named, text: value } of children) add(named.get("name") ?? "", value);
    } else if (OF_THE_OFFER.has(name)) facts.set(name, text);
    else if (children.length === 0) add(name, text || (attributes.get("url") ?? ""));
  }
  for (const [name, value] of facts) if (!OF_THE_OFFER.has(name)) add(name, value);
  const stock = facts.get("stock")?.trim() ?? "";
  const isGone = stock !== "" && Number(stock.replace(",", ".")) <= 0;
  const available = facts.get("avail") ?? facts.get("available") ?? "";
  cells.push(["availability", isGone ? "out of stock" : available.trim() || (stock === "" ? "" : "in stock")]);
  return cells;
}
