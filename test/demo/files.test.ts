import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { ARTICLES } from "../../src/demo/catalogue/catalogue.js";
import { demoFile, demoPage, demoPicture, demoProducts } from "../../src/demo/demo.js";
import { html } from "../../src/demo/html.js";
import { productPage } from "../../src/demo/pages/product-page.js";
import { formFault } from "./xml.js";

const EMPTY = ["meta", "link", "img", "input"];
const products = demoProducts({ baseUrl: "" });

/** Paths that a page links to, as a browser at `path` resolves them. */
function linksOf(page: string, path: string): string[] {
  return [...page.matchAll(/(?:href|src)="([^"#]+)/g)].map(
    ([, link = ""]) => new URL(link, `http://shop.example${path}`).pathname,
  );
}

describe("the demo shop's files", () => {
  it.each(["/demo/", "/demo/p/lark-2", "/demo/p/eider-minus-12"])(
    "%s is a well-formed page whose links all lead somewhere",
    (path) => {
      const { contentType, body } = demoFile(path) ?? { contentType: "", body: "" };
      expect(contentType).toBe("text/html; charset=utf-8");
      expect(formFault(body, EMPTY)).toBe("");
      const links = linksOf(body, path);
      expect(links.length).toBeGreaterThan(4);
      expect(links.filter((link) => demoFile(link) === undefined)).toEqual([]);
    },
  );

  it("the first page leads to every product", () => {
    const links = new Set(linksOf(demoFile("/demo/")?.body ?? "", "/demo/"));
    expect(products.filter(({ productId }) => !links.has(`/demo/p/${productId}`))).toEqual([]);
  });

  it("every product has a page with its title, price and picture", () => {
    for (const { productId, price } of products) {
      const body = demoFile(`/demo/p/${productId}`)?.body ?? "";
      expect(formFault(body, EMPTY), productId).toBe("");
      expect(body).toContain(`data-product="${productId}"`);
      expect(body).toContain(`€ ${price?.amount}`);
      expect(linksOf(body, `/demo/p/${productId}`)).toContain(`/demo/img/${productId}.svg`);
    }
  });

  it("pictures are SVG by their content type", () => {
    expect(demoFile("/demo/img/lark-2.svg")).toEqual({
      contentType: "image/svg+xml; charset=utf-8",
      body: demoPicture("lark-2"),
    });
  });

  it.each([
    "/demo",
    "/demo/p/",
    "/demo/p/nothing",
    "/demo/img/nothing.svg",
    "/demo/img/lark-2.png",
    "/demo/p/lark-2/",
    "/demo/../etc/passwd",
    "/demo/p/__proto__",
    "/",
    "",
  ])("there is none at %j", (path) => {
    expect(demoFile(path)).toBeUndefined();
  });

  it("pages name no host, so that any public URL serves them", () => {
    for (const path of ["/demo/", "/demo/p/lark-2"]) expect(demoFile(path)?.body).not.toMatch(/https?:\/\//);
  });

  it("pages run nothing inline and allow nothing but their own files and pictures", () => {
    const body = demoFile("/demo/p/lark-2")?.body ?? "";
    expect(body).toContain("default-src &#39;none&#39;");
    expect(body).toContain("script-src &#39;self&#39;;");
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:/);
  });

  it("the script is valid and never writes markup", () => {
    const { contentType, body } = demoFile("/demo/shop.js") ?? { contentType: "", body: "" };
    expect(contentType).toBe("text/javascript; charset=utf-8");
    expect(() => new Script(body)).not.toThrow();
    expect(body).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
  });

  it("a product that is out of stock cannot be put into the cart", () => {
    expect(demoFile("/demo/p/eider-minus-12")?.body).toMatch(/<button[^>]* id="add"[^>]* disabled>/);
    expect(demoFile("/demo/p/lark-2")?.body).not.toMatch(/<button[^>]* id="add"[^>]* disabled>/);
  });

  it("texts and options are escaped wherever they stand", () => {
    const hostile = `"><script>alert('1')</script>&amp;`;
    const article = ARTICLES[0];
    if (article === undefined) throw new Error("no article");
    const body = productPage(
      { ...article, title: hostile, description: hostile, brand: hostile, tags: [hostile] },
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

  it("a page can be made for another app and place", () => {
    const body = demoPage("/demo/p/lark-2", { appId: "other", baseUrl: "/shop" }) ?? "";
    expect(body).toContain('data-app="other" data-root="/shop"');
    expect(body).toContain('src="/shop/demo/img/lark-2.svg"');
  });
});
