import { articleById } from "./catalogue/catalogue.js";
import { indexPage } from "./pages/index-page.js";
import type { PageOptions } from "./pages/layout.js";
import { productPage } from "./pages/product-page.js";
import { SHOP_JS } from "./pages/script.js";
import { SHOP_CSS } from "./pages/style.js";
import { demoPicture } from "./picture/picture.js";
import { DEMO_APP_ID } from "./shop.js";

/** A file of the demo shop as a server answers it. */
export interface DemoFile {
  readonly contentType: string;
  readonly body: string;
}

const SVG = "image/svg+xml; charset=utf-8";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="9" fill="#245a4c"/><path d="M5 32 16 11l7 12 4-5 8 14Z" fill="#fbf9f4"/><circle cx="29" cy="11" r="4" fill="#e8a23c"/></svg>\n`;

const PRODUCT = /^\/demo\/p\/([a-z0-9-]+)$/;
const PICTURE = /^\/demo\/img\/([a-z0-9-]+)\.svg$/;

/** The file at a path below `/demo/`, without its query; undefined when there is none. Pages link by relative paths. */
export function demoFile(path: string): DemoFile | undefined {
  if (path === "/demo/shop.css") return { contentType: "text/css; charset=utf-8", body: SHOP_CSS };
  if (path === "/demo/shop.js") return { contentType: "text/javascript; charset=utf-8", body: SHOP_JS };
  if (path === "/demo/icon.svg") return { contentType: SVG, body: ICON };
  const picture = PICTURE.exec(path)?.[1];
  if (picture !== undefined) return fileOf(SVG, demoPicture(picture));
  const baseUrl = PRODUCT.test(path) ? "../.." : "..";
  return fileOf("text/html; charset=utf-8", demoPage(path, { appId: DEMO_APP_ID, baseUrl }));
}

/** The page at `/demo/` (or `/demo/index.html`) or `/demo/p/<id>`; undefined for any other path or product. */
export function demoPage(path: string, options: PageOptions): string | undefined {
  if (path === "/demo/" || path === "/demo/index.html") return indexPage(options);
  const article = articleById(PRODUCT.exec(path)?.[1] ?? "");
  return article === undefined ? undefined : productPage(article, options);
}

function fileOf(contentType: string, body: string | undefined): DemoFile | undefined {
  return body === undefined ? undefined : { contentType, body };
}
