import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEMO_DATA } from "../web-files.js";
import { DEMO_APP_ID, demoCatalogue } from "./catalogue.js";
import { indexPage } from "./pages/index-page.js";
import type { PageOptions } from "./pages/layout.js";
import { cartPage, thanksPage } from "./pages/order-pages.js";
import { productPage } from "./pages/product-page.js";
import { shelfPage } from "./pages/shelf-page.js";

/** A file of the demo shop, ready to be served. */
export interface DemoFile {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export interface DemoFilesOptions extends Pick<PageOptions, "serviceUrl" | "consoleUrl"> {
  /** The built script of the pages. */
  readonly script?: Buffer | undefined;
}

const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";
const SVG = "image/svg+xml; charset=utf-8";

const PRODUCT = /^\/demo\/p\/([a-z0-9-]+)$/;
const SHELF = /^\/demo\/c\/([a-z0-9-]+)$/;

/** Finds the file at a path below `/demo/`; undefined for an unknown path. Paths have no query. Pages link by relative paths. */
export function createDemoFiles({ script, ...places }: DemoFilesOptions = {}): (path: string) => DemoFile | undefined {
  const fixed = fixedFiles();
  if (script !== undefined) fixed.set("/demo/shop.js", { contentType: JAVASCRIPT, body: script });
  return (path) => {
    const found = fixed.get(path);
    if (found !== undefined) return found;
    const baseUrl = path.split("/").length > 3 ? "../.." : "..";
    const body = demoPage(path, { appId: DEMO_APP_ID, baseUrl, ...places });
    return body === undefined ? undefined : { contentType: HTML, body };
  };
}

/** The files of `web/demo/` that are served unchanged: pictures and the style sheet. */
function fixedFiles(): Map<string, DemoFile> {
  const file = (contentType: string, name: string) => ({ contentType, body: readFileSync(join(DEMO_DATA, name)) });
  const pictures = readdirSync(join(DEMO_DATA, "pictures"));
  return new Map([
    ["/demo/shop.css", file(CSS, "shop.css")],
    ["/demo/icon.svg", file(SVG, "icon.svg")],
    ...pictures.map((name) => [`/demo/img/${name}`, file(SVG, `pictures/${name}`)] as const),
  ]);
}

/** The page at a path: `/demo/`, a shelf, a product, the cart, or the thanks for an order; undefined for any other. */
export function demoPage(path: string, options: PageOptions): string | undefined {
  if (path === "/demo/" || path === "/demo/index.html") return indexPage(options);
  if (path === "/demo/cart") return cartPage(options);
  if (path === "/demo/thanks") return thanksPage(options);
  const { articleById, shelfById } = demoCatalogue();
  const shelf = shelfById(SHELF.exec(path)?.[1] ?? "");
  if (shelf !== undefined) return shelfPage(shelf, options);
  const article = articleById(PRODUCT.exec(path)?.[1] ?? "");
  return article === undefined ? undefined : productPage(article, options);
}
