/**
 * The helper in a page. The script defines `window.Aisle`. With `data-app` it also makes a helper at `Aisle.shop`, which
 * calls the origin of the script. With `data-debug` it says on the page what is wrong:
 *
 *     <link rel="stylesheet" href="https://recs.shop.example/aisle.css">
 *     <script src="https://recs.shop.example/aisle.js" data-app="shop-1" defer></script>
 *     <script type="module">
 *       Aisle.shop.viewProduct({ id: "lamp-7", title: "Oak lamp" });
 *       Aisle.shop.render(document.querySelector("#also"), { title: "You may also like", currentIds: ["lamp-7"] });
 *     </script>
 */
import { pageReport } from "./debug-note.js";
import type { Cookies, Environment } from "./environment.js";
import { createHelper, type Helper, type HelperOptions } from "./helper.js";
import type { Card } from "./recommend.js";
import { type RenderOptions, render } from "./render.js";
import { pageStorage } from "./storage.js";

export interface PageHelper extends Helper {
  render(element: HTMLElement, options: RenderOptions): Promise<readonly Card[]>;
}

export interface AisleGlobal {
  create(options: HelperOptions): PageHelper;
  /** The helper of the script's `data-app`. */
  shop?: PageHelper;
}

declare global {
  interface Window {
    Aisle?: AisleGlobal;
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

export function create(options: HelperOptions): PageHelper {
  const helper = createHelper(options, pageEnvironment());
  window.addEventListener("online", () => helper.sendAgain());
  helper.sendAgain();
  return { ...helper, render: (element, wanted) => render(helper, element, wanted) };
}

function pageEnvironment(): Environment {
  return {
    report,
    origin: location.origin,
    storage: pageStorage(),
    fetch: (url, init) => window.fetch(url, init),
    now: Date.now,
    newId: () =>
      Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
    cookies: pageCookies,
    later: (work, ms) => void setTimeout(work, ms),
    refusesTracking: navigator.globalPrivacyControl === true,
  };
}

const pageCookies: Cookies = {
  read(name) {
    const start = `${name}=`;
    return document.cookie
      .split("; ")
      .find((cookie) => cookie.startsWith(start))
      ?.slice(start.length);
  },
  write(name, value, seconds) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    // biome-ignore lint/suspicious/noDocumentCookie: the other way to write one is not in all browsers
    document.cookie = `${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
  },
};

const script = document.currentScript;
const { app, url, consent, debug } = script instanceof HTMLScriptElement ? script.dataset : {};
const report = debug === undefined ? undefined : pageReport();
const source = script instanceof HTMLScriptElement ? new URL(script.src, location.href).origin : "";
window.Aisle = {
  create,
  ...(app !== undefined && { shop: create({ appId: app, url: url ?? source, needsConsent: consent === "needed" }) }),
};
if (app === undefined) report?.("The script has no data-app, so that there is no Aisle.shop.");
