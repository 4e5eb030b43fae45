import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demoCatalogue, demoProducts } from "../../../src/server/demo/catalogue.js";
import { createDemoFiles, demoPage } from "../../../src/server/demo/files.js";
import { html } from "../../../src/server/demo/html.js";
import { productPage } from "../../../src/server/demo/pages/product-page.js";
import { formFault } from "./xml.js";

const EMPTY = ["meta", "link", "img", "input"];
const products = demoProducts({ baseUrl: "" });
const demoFile = createDemoFiles({ script: Buffer.from("void 0;") });
const bodyOf = (path: string) => String(demoFile(path)?.body ?? "");

/** The pages of the shop's departments and categories. */
const { articles, categories, departments } = demoCatalogue();
const SHELVES = [...departments, ...categories].map(({ id }) => `/demo/c/${id}`);

/** Paths that a page links to, as a browser at `path` resolves them. */
function linksOf(page: string, path: string): string[] {
  return [...page.matchAll(/(?:href|src)="([^"#]+)/g)].map(
    ([, link = ""]) => new URL(link, `http://shop.example${path}`).pathname,
  );
}

describe("the demo shop's files", () => {
  it.each(["/demo/", "/demo/cart", "/demo/thanks", "/demo/p/lark-2", "/demo/p/eider-minus-12", ...SHELVES])(
    "%s is a well-formed page whose links all lead somewhere",
    (path) => {
      expect(demoFile(path)?.contentType).toBe("text/html; charset=utf-8");
      const body = bodyOf(path);
      expect(formFault(body, EMPTY)).toBe("");
      const links = linksOf(body, path);
      expect(links).toContain("/aisle.js");
      expect(links.filter((link) => link !== "/aisle.js" && demoFile(link) === undefined)).toEqual([]);
    },
  );

  it("the first page leads to every shelf, and the shelves to every product", () => {
    const first = new Set(linksOf(bodyOf("/demo/"), "/demo/"));
    expect(SHELVES.filter((shelf) => !first.has(shelf))).toEqual([]);
    const links = new Set(SHELVES.flatMap((shelf) => linksOf(bodyOf(shelf), shelf)));
    expect(products.filter(({ productId }) => !links.has(`/demo/p/${productId}`))).toEqual([]);
  });

  it("every product has a page with its title, price and picture", () => {
    for (const { productId, price } of products) {
      const body = bodyOf(`/demo/p/${productId}`);
      expect(formFault(body, EMPTY), productId).toBe("");
      expect(body).toContain(`data-id="${productId}"`);
      expect(body).toContain(`€ ${price?.amount}`);
      expect(linksOf(body, `/demo/p/${productId}`)).toContain(`/demo/img/${productId}.svg`);
    }
  });

  it.each([
    "/demo",
    "/demo/p/",
    "/demo/p/nothing",
    "/demo/c/nothing",
    "/demo/c/constructor",
    "/demo/img/nothing.svg",
    "/demo/img/lark-2.png",
    "/demo/p/lark-2/",
    "/demo/../etc/passwd",
    "/demo/p/__proto__",
    "/",
    "",
  ])("no file exists at %j", (path) => {
    expect(demoFile(path)).toBeUndefined();
  });

  it("pages name no host, so that they work at any public URL", () => {
    for (const path of ["/demo/", "/demo/p/lark-2"]) expect(bodyOf(path)).not.toMatch(/https?:\/\//);
  });

  it("pages run nothing inline and load only their own files and pictures", () => {
    const body = bodyOf("/demo/p/lark-2");
    expect(body).toContain("default-src &#39;none&#39;");
    expect(body).toContain("script-src &#39;self&#39;;");
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:/);
  });

  it("a shop on another origin than Aisle loads the helper from there, and allows only it", () => {
    const files = createDemoFiles({ serviceUrl: "https://recs.shop.example" });
    const body = String(files("/demo/p/lark-2")?.body);
    expect(body).toContain('<script src="https://recs.shop.example/aisle.js"');
    expect(body).toContain("script-src &#39;self&#39; https://recs.shop.example;");
    expect(body).toContain("connect-src &#39;self&#39; https://recs.shop.example;");
  });

  it("scripts exist only when they were built, and never write markup", () => {
    expect(createDemoFiles()("/demo/shop.js")).toBeUndefined();
    const folder = join(import.meta.dirname, "../../../web/demo");
    const scripts = readdirSync(folder).filter((name) => name.endsWith(".ts"));
    expect(scripts).toContain("shop.ts");
    for (const name of scripts)
      expect(readFileSync(join(folder, name), "utf8"), name).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
      );
  });

  it("a product that is out of stock cannot be put into the cart", () => {
    expect(bodyOf("/demo/p/eider-minus-12")).toMatch(/<button[^>]* id="add"[^>]* disabled>/);
    expect(bodyOf("/demo/p/lark-2")).not.toMatch(/<button[^>]* id="add"[^>]* disabled>/);
  });

  it("texts and options are escaped wherever they stand", () => {
    const hostile = `"><script>alert('1')</script>&amp;`;
    const article = articles[0];
    if (article === undefined) throw new Error("no article");
    const body = productPage(
      {
        ...article,
        product: { ...article.product, title: hostile, description: hostile, brand: hostile, tags: [hostile] },
      },
      { appId: hostile, baseUrl: ".." },
    );
    expect(formFault(body, EMPTY)).toBe("");
    expect(body).not.toContain("<script>");
    expect(body).toContain("&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;amp;");
  });

  it("markup made from markup is not escaped twice", () => {
    expect(html`<p>${html`<b>${"a & b"}</b>`}${[html`<i>${1}</i>`, html`<i>${"<"}</i>`]}</p>`.markup).toBe(
      "<p><b>a &#38; b</b><i>1</i><i>&#60;</i></p>",
    );
  });

  it("a page can be made for another app and base path", () => {
    const body = demoPage("/demo/p/lark-2", { appId: "other", baseUrl: "/shop" }) ?? "";
    expect(body).toContain('src="/shop/aisle.js" data-app="other"');
    expect(body).toContain('data-root="/shop"');
    expect(body).toContain('src="/shop/demo/img/lark-2.svg"');
  });
});
