/** Pages of the console by address: `#/demo/events` is the page `events` of the app `demo`. */

/** Pages of one app, in the order of the menu. */
export const PAGES = {
  today: "Today",
  try: "Try a visitor",
  events: "Events",
  rejected: "Rejected events",
  products: "Products",
  models: "Models",
  frames: "Frames",
  results: "Results",
  subscriptions: "Subscriptions",
} as const;

export type Page = keyof typeof PAGES;

/** Without a page: the list of apps. */
export interface Route {
  readonly appId?: string;
  readonly page?: Page;
}

export function readRoute(hash: string): Route {
  const [, appId = "", page = ""] = /^#\/([A-Za-z0-9_-]{1,64})\/([a-z]+)$/.exec(hash) ?? [];
  return isPage(page) ? { appId, page } : {};
}

export function hashOf({ appId, page }: Route): string {
  return appId === undefined || page === undefined ? "#/" : `#/${appId}/${page}`;
}

function isPage(text: string): text is Page {
  return Object.hasOwn(PAGES, text);
}
