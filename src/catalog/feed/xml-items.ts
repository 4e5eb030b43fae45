/**
 * Items of an XML feed, read as it streams by the saxes package, which resolves no entity but the five of XML: a
 * document type is passed over, so that none can swell. What real feeds get wrong and a strict parser would give the whole
 * file up for is mended on the way: a bare `&`, entities of HTML, control characters. An item in which something else is
 * wrong is bad, and reading goes on behind it.
 */
import { SaxesParser } from "saxes";
import { decoderFor } from "./encoding.js";
import { BrokenFeed } from "./feed-errors.js";

/** An element of an item: its own text, its attributes, and its children if any. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

export interface XmlItem {
  readonly element: XmlElement;
  /** The XML error; "" for none. */
  readonly fault: string;
}

/** Recognises items. Names are local ones, without a prefix. */
export type IsItem = (root: string, name: string) => boolean;

/** Maximum characters of an item, which bounds memory: no product is as long. A longer one ends the read. */
export const MAX_ITEM_CHARS = 2_097_152;
const MAX_DEPTH = 64;

/** Replaces a bare `&` on the way through the parser: a private-use character that no feed contains. */
const BARE = "\uE0A6";
const MEND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)|(?![\t\n\r])\p{Cc}|[\uE0A6\uFFFE\uFFFF]/giu;
/** Longer than every reference that MEND knows. */
const REFERENCE_CHARS = 12;

/** Turns bytes into items. */
export interface XmlReader {
  /** The root element's local name, "" until it was read. */
  readonly root: string;
  /** The prefixes that the root binds, with their addresses. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** @throws BrokenFeed when the rest cannot be read, in the call after the last items */
  push(chunk: Uint8Array): XmlItem[];
  /** @throws BrokenFeed when the file ends too early or is no XML */
  end(): XmlItem[];
}

interface OpenElement extends XmlElement {
  readonly attributes: Map<string, string>;
  text: string;
  readonly children: OpenElement[];
}

/** The name behind a prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

export function createXmlReader(isItem: IsItem): XmlReader {
  const parser = new SaxesParser({ position: true });
  const decoder = decoderFor();
  const prefixes = new Map<string, string>();
  let items: XmlItem[] = [];
  let open: OpenElement[] = [];
  let root = "";
  let depth = 0;
  let fault = "";
  let markAt = 0;
  let held = "";
  let broken: BrokenFeed | undefined;

  const guard = () => {
    if (parser.position - markAt > MAX_ITEM_CHARS) {
      throw new BrokenFeed(`an item of the feed is longer than ${MAX_ITEM_CHARS} characters`);
    }
  };
  const emit = () => {
    const [element] = open;
    if (element !== undefined) items.push({ element, fault });
    open = [];
    fault = "";
    markAt = parser.position;
  };

  parser.on("opentag", ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new BrokenFeed(`the feed's elements are nested more than ${MAX_DEPTH} deep`);
    if (root === "") {
      root = localName(name);
      for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("xmlns:")) prefixes.set(key.slice(6), value);
      }
    }
    const begins = depth > 1 && isItem(root, localName(name));
    if (begins && open.length > 0) {
      // A nested item: the one before was never closed.
      fault ||= "an element is not closed";
      emit();
    }
    if (open.length === 0 && !begins) {
      markAt = parser.position;
      return;
    }
    if (open.length === 0) fault = "";
    const element: OpenElement = { name, attributes: new Map(), text: "", children: [] };
    for (const [key, value] of Object.entries(attributes)) element.attributes.set(key, plain(value));
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += plain(text);
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    depth -= 1;
    if (open.length === 1) emit();
    else open.pop();
  });
  parser.on("error", (error) => {
    const text = error.message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
    if (root === "") throw new BrokenFeed("the file is no XML that can be read");
    if (/^unclosed tag|^unexpected end/.test(text)) {
      throw new BrokenFeed("the feed ends in the middle: its root element is not closed");
    }
    fault ||= `not well-formed: ${text.replace(/:.*/s, "")}`;
  });

  let hasBegun = false;
  const write = (text: string, isLast: boolean) => {
    let all = held + text;
    held = "";
    // Drop blank lines before the declaration, which some programs write and XML forbids.
    if (!hasBegun) all = all.trimStart();
    hasBegun ||= all !== "";
    if (!isLast) {
      const at = all.lastIndexOf("&");
      if (at >= 0 && all.length - at <= REFERENCE_CHARS) {
        held = all.slice(at);
        all = all.slice(0, at);
      }
    }
    if (all !== "") parser.write(all.replace(MEND, (found) => (found === "&" ? BARE : "")));
    guard();
  };
  const take = (): XmlItem[] => {
    const taken = items;
    items = [];
    return taken;
  };

  return {
    get root() {
      return root;
    },
    prefixes,
    push(chunk) {
      if (broken !== undefined) throw broken;
      try {
        write(decoder.push(chunk), false);
      } catch (error) {
        if (!(error instanceof BrokenFeed)) throw error;
        broken = error; // the next call throws it: items before the break are valid
      }
      return take();
    },
    end() {
      if (broken !== undefined) throw broken;
      write(decoder.end(), true);
      parser.close();
      return take();
    },
  };
}

/** Restores the text: bare ampersands, and the one HTML entity that every shop uses. */
function plain(text: string): string {
  return text.includes(BARE) ? text.replaceAll(BARE, "&").replaceAll("&nbsp;", "\u00a0") : text;
}
