import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createColumnPlan } from "../../../src/catalog/feed/columns.js";
import { BrokenFeed, UnusableFile } from "../../../src/catalog/feed/feed-errors.js";
import { createFeedReader, FEED_FORMATS, type FeedFormat } from "../../../src/catalog/feed/feed-reader.js";
import { PRODUCT_FIELDS, type ProductField, readProduct } from "../../../src/catalog/feed/product-row.js";
import { type Entry, isBad } from "../../../src/catalog/feed/rows.js";
import { MAX_ITEM_CHARS } from "../../../src/catalog/feed/xml-items.js";
import { Availability } from "../../../src/gen/aisle/v1/product_pb.js";
import { RUNS } from "../../fixtures/runs.js";

function read(chunks: readonly Uint8Array[], format?: FeedFormat): Entry<ProductField>[] {
  const plan = createColumnPlan(PRODUCT_FIELDS, []);
  const reader = createFeedReader({ plan, format, takesXml: true, onHeader: () => {} });
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

const entriesOf = (text: string | Uint8Array, format?: FeedFormat) => read([Buffer.from(text)], format);

function products(text: string | Uint8Array, format?: FeedFormat) {
  return entriesOf(text, format).map((entry) => {
    if (isBad(entry)) throw new Error(entry.reason);
    return readProduct(entry, "").product;
  });
}

const RSS = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
  <channel>
    <title>A shop</title><link>https://shop.example</link><description>All of it</description>
    <item>
      <guid>77</guid><title>Plain title</title>
      <g:id>w-1</g:id>
      <g:title>Steel watch &amp; strap</g:title>
      <g:description><![CDATA[Black <b>dial</b> & 22 mm]]></g:description>
      <link>https://shop.example/w-1?a=1&amp;b=2</link>
      <g:image_link>https://shop.example/w-1.jpg</g:image_link>
      <g:additional_image_link>https://shop.example/w-1b.jpg</g:additional_image_link>
      <g:price>1 299,90 USD</g:price>
      <g:sale_price>999.00 USD</g:sale_price>
      <g:sale_price_effective_date>2026-11-20T08:00+0100/2026-11-30T23:59+0100</g:sale_price_effective_date>
      <g:availability>in_stock</g:availability>
      <g:item_group_id>w</g:item_group_id>
      <g:product_type>Accessories &gt; Watches</g:product_type>
      <g:google_product_category>201</g:google_product_category>
      <g:brand>Diesel</g:brand><g:gtin>698615070527</g:gtin><g:mpn>DZ1437</g:mpn>
      <g:custom_label_0>winter</g:custom_label_0><g:custom_label_3>men</g:custom_label_3>
      <g:color>Black</g:color>
      <g:shipping><g:country>US</g:country><g:price>0.00 USD</g:price></g:shipping>
    </item>
    <item><g:id>w-2</g:id><title>Next</title><g:availability>out of stock</g:availability><g:price>5 EUR</g:price></item>
  </channel>
</rss>`;

const CENEO = `<?xml version="1.0" encoding="UTF-8"?>
<offers xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1">
<o id="151" url="https://sklep.example/151" price="980,15" avail="1" set="0" weight="3.5" basket="1" stock="2">
<cat><![CDATA[Komputery/Monitory/LCD]]></cat><name><![CDATA[Monitor 27"]]></name>
<imgs><main url="https://sklep.example/151.jpg"/><i url="https://sklep.example/151b.jpg"/></imgs>
<desc><![CDATA[Ostry obraz]]></desc>
<attrs><a name="Producent"><![CDATA[Dell]]></a><a name="Kod_producenta">UB13H</a><a name="EAN">1425</a><a name="Kolor">czarny</a></attrs>
</o>
<o id="152" url="https://sklep.example/152" price="5.00" avail="99" stock="0"><name>Kabel</name></o>
</offers>`;

describe("Google's XML", () => {
  it("fills every product field that Aisle has", () => {
    const [watch, next] = products(RSS);
    expect({ ...watch, attributes: { ...watch?.attributes } }).toMatchObject({
      productId: "w-1",
      title: "Steel watch & strap",
      description: "Black <b>dial</b> & 22 mm",
      url: "https://shop.example/w-1?a=1&b=2",
      imageUrl: "https://shop.example/w-1.jpg",
      price: { amount: "1299.90", currency: "USD" },
      salePrice: { amount: "999.00", currency: "USD" },
      saleStartTime: { seconds: BigInt(Date.UTC(2026, 10, 20, 7) / 1000) },
      saleEndTime: { seconds: BigInt(Date.UTC(2026, 10, 30, 22, 59) / 1000) },
      availability: Availability.IN_STOCK,
      variantGroupId: "w",
      brand: "Diesel",
      tags: ["winter", "men"],
      attributes: { gtin: "698615070527", mpn: "DZ1437", color: "Black" },
    });
    expect(watch?.categories.map(({ categoryId, name }) => [categoryId, name])).toEqual([
      ["Accessories", "Accessories"],
      ["Accessories > Watches", "Watches"],
    ]);
    expect(next).toMatchObject({ productId: "w-2", title: "Next", availability: Availability.OUT_OF_STOCK });
  });

  it("is read from Atom entries too, whose id is an address and whose link is an attribute", () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>S</title>
      <entry><id>tag:shop,1</id><title>Cup</title><link rel="self" href="https://x.example/self"/>
      <link href="https://x.example/cup"/><summary>Holds tea</summary><g:id>cup</g:id><g:price>4.50 GBP</g:price></entry></feed>`;
    expect(products(atom)).toMatchObject([
      {
        productId: "cup",
        title: "Cup",
        url: "https://x.example/cup",
        description: "Holds tea",
        price: { amount: "4.50" },
      },
    ]);
  });

  it("is read by the prefix that the feed binds to Google's namespace", () => {
    const text = `<rss xmlns:p="http://base.google.com/ns/1.0" xmlns:g="https://other.example"><channel><item>
      <p:id>1</p:id><g:id>2</g:id><p:title>Ours</p:title></item></channel></rss>`;
    expect(products(text)).toMatchObject([{ productId: "1", title: "Ours" }]);
  });

  it.each([
    ["with its time", "2026-12-01T00:00+0000/2026-12-02T00:00+0000", "7", "2026-12-01T00:00:00.000Z"],
    ["without its time, as one that always runs", "", "7", undefined],
    ["not at a time that is none", "soon", undefined, undefined],
    ["not at a time that ends before it begins", "2026-12-02T00:00Z/2026-12-01T00:00Z", undefined, undefined],
  ])("a sale price is read %s", (_, dates, amount, from) => {
    const text = `<rss><channel><item><g:id>1</g:id><g:price>10 EUR</g:price><g:sale_price>7 EUR</g:sale_price>
      <g:sale_price_effective_date>${dates}</g:sale_price_effective_date></item></channel></rss>`;
    const [read] = products(text);
    expect([read?.price?.amount, read?.salePrice?.amount]).toEqual(["10", amount]);
    const { saleStartTime } = read ?? {};
    expect(saleStartTime && new Date(Number(saleStartTime.seconds) * 1000).toISOString()).toBe(from);
  });

  it("has the same columns as a table separated by tabs", () => {
    const header = "id\ttitle\tprice\tlink\timage link\titem group id\tproduct type\tcustom label 0\n";
    const row = 'a\tCup "big"\t49,90 USD\thttps://x.example/a\thttps://x.example/a.png\tcups\tHome > Cups\tnew\n';
    for (const format of [undefined, "tsv"] as const) {
      expect(products(header + row, format)).toMatchObject([
        {
          productId: "a",
          url: "https://x.example/a",
          imageUrl: "https://x.example/a.png",
          variantGroupId: "cups",
          price: { amount: "49.90", currency: "USD" },
          tags: ["new"],
        },
      ]);
    }
  });
});

describe("CENEO's XML", () => {
  it("fills every product field that Aisle has", () => {
    const [monitor, cable] = products(CENEO);
    expect({ ...monitor, attributes: { ...monitor?.attributes } }).toMatchObject({
      productId: "151",
      title: 'Monitor 27"',
      url: "https://sklep.example/151",
      imageUrl: "https://sklep.example/151.jpg",
      description: "Ostry obraz",
      brand: "Dell",
      price: { amount: "980.15", currency: "PLN" },
      availability: Availability.IN_STOCK,
      attributes: { mpn: "UB13H", gtin: "1425", Kolor: "czarny", weight: "3.5" },
    });
    expect(monitor?.categories.map(({ categoryId }) => categoryId)).toEqual([
      "Komputery",
      "Komputery > Monitory",
      "Komputery > Monitory > LCD",
    ]);
    expect(cable).toMatchObject({ productId: "152", availability: Availability.OUT_OF_STOCK });
  });

  it("is also read with child elements, and with groups of offers", () => {
    const text = `<offers><group name="other"><offer><id>7</id><name>Mug</name><price>12,50 zł</price>
      <image>https://x.example/7.png</image><category>Home/Mugs</category><producer>Acme</producer></offer></group></offers>`;
    expect(products(text)).toMatchObject([
      { productId: "7", title: "Mug", brand: "Acme", price: { amount: "12.50", currency: "PLN" } },
    ]);
  });
});

describe("malformed XML", () => {
  const item = (inner: string, id = "1") => `<item><g:id>${id}</g:id><g:title>${inner}</g:title></item>`;
  const rss = (...items: string[]) => `<rss><channel>${items.join("")}</channel></rss>`;

  it.each([
    ["Salt & pepper", "Salt & pepper"],
    ["a&b;c", "a&b;c"],
    ["5&nbsp;kg", "5\u00a0kg"],
    ["tab\u0001end", "tabend"],
    ["<![CDATA[R&D &amp; more]]>", "R&D &amp; more"],
    ["&#8364; &lt;5&gt;", "€ <5>"],
    ["https://x.example/?a=1&copy=2", "https://x.example/?a=1&copy=2"],
  ])("with the text %j is read as %j", (text, expected) => {
    expect(products(rss(item(text)))[0]?.title).toBe(expected);
  });

  it("costs only the bad item", () => {
    const entries = entriesOf(rss(item("a", "1"), "<item><g:id>2</g:id><g:title>b</item>", item("c", "3")));
    expect(entries.map((entry) => (isBad(entry) ? [entry.line, entry.id, "bad"] : [entry.line, entry.id]))).toEqual([
      [1, "1"],
      [2, "2", "bad"],
      [3, "3"],
    ]);
  });

  it("costs only the item that is never closed, and the next is read", () => {
    const entries = entriesOf(rss("<item><g:id>1</g:id>", item("b", "2"), "</item>"));
    expect(entries.map((entry) => [entry.id, isBad(entry)])).toEqual([
      ["1", true],
      ["2", false],
    ]);
  });

  it("has no entity resolved that a document type declares", () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    expect(products(bomb + rss(item("&b;&f;")))[0]?.title).toBe("&b;&f;");
  });

  it.each([
    ["ends in the middle", RSS.slice(0, 900), "ends in the middle"],
    ["is a page", "<html><body><p>Log in</p></body></html>", "is no feed of products"],
    ["is nested without end", `<rss>${"<a>".repeat(100)}`, "nested more than 64 deep"],
    ["is no XML", "<<<", "no XML that can be read"],
    ["holds an endless item", `<rss><item>${"x".repeat(MAX_ITEM_CHARS + 1)}`, "longer than"],
  ])("is rejected when it %s", (_, text, reason) => {
    expect(() => entriesOf(text)).toThrow(BrokenFeed);
    expect(() => entriesOf(text)).toThrow(reason);
  });

  it("is read in the encoding that it names", () => {
    const polish = Buffer.from([0x7a, 0xb3, 0x6f, 0x74, 0x79]); // złoty in ISO-8859-2
    const head = `<?xml version="1.0" encoding="ISO-8859-2"?><rss><channel><item><g:id>1</g:id><g:title>`;
    const bytes = Buffer.concat([Buffer.from(head), polish, Buffer.from("</g:title></item></channel></rss>")]);
    expect(products(bytes)[0]?.title).toBe("złoty");
    expect(() => entriesOf(head.replace("ISO-8859-2", "EBCDIC-9"))).toThrow(UnusableFile);
  });

  it("may begin with blank lines and a byte order mark", () => {
    expect(products(`\uFEFF\n\n${RSS}`)).toHaveLength(2);
  });
});

describe("a feed of any kind", () => {
  const cut = (bytes: Uint8Array, at: readonly number[]) => {
    const ends = [...new Set(at.map((place) => place % bytes.length))].sort((a, b) => a - b);
    return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  };

  it.each([
    ["google", RSS],
    ["ceneo", CENEO],
    ["csv", 'id;title\n1;"a\nb"\n2;ć\n'],
    ["jsonl", '{"id":1,"title":"ł"}\n{"id":2}\n'],
  ])("gives the same rows of %s in whatever pieces it comes", (_, text) => {
    const bytes = Buffer.from(text);
    const whole = entriesOf(bytes);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (at) => {
        expect(read(cut(bytes, at))).toEqual(whole);
      }),
    );
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it("gives rows or one of two errors, whatever its bytes are", () => {
    const scraps = fc.constantFrom(
      "<item>",
      "</item>",
      "<g:id>",
      "</g:id>",
      "&",
      "&amp",
      ";",
      "<![CDATA[",
      "]]>",
      "<!--",
      "-->",
      "<?",
      "?>",
      "<rss>",
      "<o id='1'>",
      "</",
      ">",
      '"',
      "<!DOCTYPE x [",
      "\n",
      "{",
      "a",
    );
    const texts = fc
      .array(fc.oneof(scraps, fc.string()), { maxLength: 40 })
      .map((parts) => Buffer.from(parts.join("")));
    const rss = texts.map((bytes) => Buffer.concat([Buffer.from("<rss><channel>"), bytes]));
    const bytes = fc.oneof(texts, rss, fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(bytes, fc.option(fc.constantFrom(...FEED_FORMATS), { nil: undefined }), (given, format) => {
        try {
          for (const entry of entriesOf(given, format)) expect(entry.line).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof BrokenFeed || error instanceof UnusableFile)) throw error;
        }
      }),
      { numRuns: RUNS.many },
    );
  });

  it("keeps each rejected item as JSON that can be imported again", () => {
    const [bad] = entriesOf(`<rss><item><g:id>1</g:id><g:title>T</g:title><g:color>red</g:color><g:x></item></rss>`);
    const [again] = products(`${bad?.raw}\n`);
    expect({ ...again, attributes: { ...again?.attributes } }).toMatchObject({
      productId: "1",
      title: "T",
      attributes: { color: "red" },
    });
  });
});

describe("a file of orders", () => {
  it.each([
    "order_id,product_id,quantity\n1,a,2\n",
    '{"product_id":"a","order_id":"1"}\n',
    "visitor,type,product_id,timestamp\nv,product_view,a,2026-01-01\n",
  ])("is rejected as products: %j", (text) => {
    expect(() => entriesOf(text)).toThrow('"aisle import events" takes it');
  });
});

it("a broken XML feed gives the items before the break, also when all of it comes at once", () => {
  const text = `<?xml version="1.0"?><rss><channel><item><id>1</id></item>${"<a>".repeat(70)}`;
  for (const step of [7, text.length]) {
    const reader = createFeedReader({ plan: createColumnPlan(PRODUCT_FIELDS, []), takesXml: true, onHeader: () => {} });
    const ids: unknown[] = [];
    const read = () => {
      for (let at = 0; at < text.length; at += step)
        ids.push(...reader.push(Buffer.from(text.slice(at, at + step))).map(({ id }) => id));
      reader.end();
    };
    expect(read).toThrow("nested more than 64 deep");
    expect(ids).toEqual(["1"]);
  }
});
