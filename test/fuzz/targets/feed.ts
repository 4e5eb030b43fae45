/** Feeds of products, CSV, JSON lines and XML: the same rows whichever way the bytes are cut. */
import { deepStrictEqual } from "node:assert";
import { createColumnPlan } from "../../../src/catalog/feed/columns.js";
import { BrokenFeed, UnusableFile } from "../../../src/catalog/feed/feed-errors.js";
import { createFeedReader } from "../../../src/catalog/feed/feed-reader.js";
import { PRODUCT_FIELDS } from "../../../src/catalog/feed/product-row.js";

const plan = createColumnPlan(PRODUCT_FIELDS, []);

export const seeds = [
  'id,title,price\n1,"Tea, ""green""",9.90 EUR\n2;x\n3,"open\n',
  '{"id":"1","title":"Tea","price":9.9,"g:brand":["x"]}\n{"id":2}\nnot json\n',
  '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><title><![CDATA[Tea & co]]></title><g:price>9.90 EUR</g:price></item><item><g:id>2</item></channel></rss>',
  '<?xml version="1.0" encoding="ISO-8859-2"?><offers><o id="1" price="9,90"><name>Herbata</name><attrs><a name="x">y</a></attrs></o></offers>',
  '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><entry><g:id>1</g:id><title>&#x54;ea</title><link href="https://a.example/"/></entry></feed>',
];
export const dictionary = [
  '"',
  '""',
  "\r\n",
  "\t",
  "\xEF\xBB\xBF",
  "<item>",
  "</item>",
  "<entry>",
  "<o ",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "<!DOCTYPE x [<!ENTITY a 'b'>]>",
  "&a;",
  "&#0;",
  "&#x10FFFF;",
  "<?xml ",
  "encoding='utf-16'",
  "xmlns:g=",
  "__proto__",
  "g:id",
];

export function fuzz(bytes: Buffer): void {
  const inPieces = read(bytes, 1 + (bytes.length % 7));
  const atOnce = read(bytes, bytes.length + 1);
  deepStrictEqual(inPieces.ended, atOnce.ended);
  // The end of a file that breaks off is given up with the last characters it held back.
  const rows = inPieces.ended === "" ? undefined : Math.min(inPieces.rows.length, atOnce.rows.length);
  deepStrictEqual(inPieces.rows.slice(0, rows), atOnce.rows.slice(0, rows));
}

/** The rows, and how the reading ended. */
function read(bytes: Buffer, step: number) {
  const reader = createFeedReader({ plan, takesXml: true, onHeader: () => {} });
  const rows: unknown[] = [];
  try {
    for (let at = 0; at < bytes.length; at += step) rows.push(...reader.push(bytes.subarray(at, at + step)));
    rows.push(...reader.end());
    return { rows, ended: "" };
  } catch (error) {
    if (error instanceof UnusableFile || error instanceof BrokenFeed) return { rows, ended: error.message };
    throw error;
  }
}
