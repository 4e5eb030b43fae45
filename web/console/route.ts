/**
 * Pages of the console by address: `#/demo/events` is the page `events` of the app `demo`, `#/demo/events?visitor=fp-1`
 * the same page for one visitor.
 */

/** Pages of one app, in the order of the menu. */
export const PAGES = {
  today: "Today",
  try: "Try a visitor",
  events: "Events",
  rejected: "Rejected events",
  products: "Products",
  models: "Models",
  frames: "Frames",
  experiments: "Experiments",
  results: "Results",
  subscriptions: "Subscriptions",
} as const;

export type Page = keyof typeof PAGES;

/** Without a page: the list of apps. */
export interface Route {
  readonly appId?: string;
  readonly page?: Page;
  /** What the page shows first, by name, such as `frame` or `visitor`. */
  readonly details?: Readonly<Record<string, string>>;
}

export function readRoute(hash: string): Route {
  const [, appId = "", page = "", query = ""] = /^#\/([A-Za-z0-9_-]{1,64})\/([a-z]+)(?:\?(.*))?$/.exec(hash) ?? [];
  return isPage(page) ? { appId, page, details: Object.fromEntries(new URLSearchParams(query)) } : {};
}

export function hashOf({ appId, page, details = {} }: Route): string {
  if (appId === undefined || page === undefined) return "#/";
  const query = new URLSearchParams(details).toString();
  return `#/${appId}/${page}${query === "" ? "" : `?${query}`}`;
}

function isPage(text: string): text is Page {
  return Object.hasOwn(PAGES, text);
}
