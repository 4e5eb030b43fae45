import { articleById, shelfById } from "./catalogue/catalogue.js";
import { indexPage } from "./pages/index-page.js";
import type { PageOptions } from "./pages/layout.js";
import { cartPage, thanksPage } from "./pages/order-pages.js";
import { productPage } from "./pages/product-page.js";
import { shelfPage } from "./pages/shelf-page.js";
import { SHOP_CSS } from "./pages/style.js";
import { demoPicture } from "./picture/picture.js";
import { DEMO_APP_ID } from "./shop.js";

/** A file of the demo shop as a server answers it. */
export interface DemoFile {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export interface DemoFilesOptions extends Pick<PageOptions, "serviceUrl" | "consoleUrl"> {
  /** The script of the pages as the build has made it (`page/shop.ts`); without one they have none. */
  readonly script?: Buffer | undefined;
}

const SVG = "image/svg+xml; charset=utf-8";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="9" fill="#245a4c"/><path d="M5 32 16 11l7 12 4-5 8 14Z" fill="#fbf9f4"/><circle cx="29" cy="11" r="4" fill="#e8a23c"/></svg>\n`;

const PRODUCT = /^\/demo\/p\/([a-z0-9-]+)$/;
const SHELF = /^\/demo\/c\/([a-z0-9-]+)$/;
const PICTURE = /^\/demo\/img\/([a-z0-9-]+)\.svg$/;

/** Finds the file at a path below `/demo/`, without its query; undefined when there is none. Pages link by relative paths. */
export function createDemoFiles(options: DemoFilesOptions = {}): (path: string) => DemoFile | undefined {
  const { script, ...places } = options;
  return (path) => {
    if (path === "/demo/shop.css") return { contentType: "text/css; charset=utf-8", body: SHOP_CSS };
    if (path === "/demo/shop.js") return fileOf("text/javascript; charset=utf-8", script);
    if (path === "/demo/icon.svg") return { contentType: SVG, body: ICON };
    const picture = PICTURE.exec(path)?.[1];
    if (picture !== undefined) return fileOf(SVG, demoPicture(picture));
    const baseUrl = path.split("/").length > 3 ? "../.." : "..";
    const page = demoPage(path, { appId: DEMO_APP_ID, baseUrl, ...places });
    return fileOf("text/html; charset=utf-8", page);
  };
}

/** The page at a path: `/demo/`, a shelf, a product, the cart, or the thanks for an order; undefined for any other. */
export function demoPage(path: string, options: PageOptions): string | undefined {
  if (path === "/demo/" || path === "/demo/index.html") return indexPage(options);
  if (path === "/demo/cart") return cartPage(options);
  if (path === "/demo/thanks") return thanksPage(options);
  const shelf = shelfById(SHELF.exec(path)?.[1] ?? "");
  if (shelf !== undefined) return shelfPage(shelf, options);
  const article = articleById(PRODUCT.exec(path)?.[1] ?? "");
  return article === undefined ? undefined : productPage(article, options);
}

function fileOf(contentType: string, body: string | Buffer | undefined): DemoFile | undefined {
  return body === undefined ? undefined : { contentType, body };
}
