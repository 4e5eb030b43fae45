import type { Answer, Environment, TextStorage } from "../../../web/helper/environment.js";
import { createHelper, type HelperOptions } from "../../../web/helper/helper.js";

export interface Asked {
  readonly url: string;
  readonly init: RequestInit;
  /** Of a form. */
  readonly form: Readonly<Record<string, string>>;
  /** Of JSON. */
  readonly body: unknown;
}

type Answering = (asked: Asked) => { readonly status: number; readonly body?: unknown; readonly retryAfter?: string };

export const APP = "shop-1";
export const URL = "https://recs.example";

/** A browser with one shop: pages share its storage and cookies, and a clock that stands until it is moved. */
export class FakeBrowser {
  readonly kept = new Map<string, string>();
  readonly cookies = new Map<string, string>();
  readonly asked: Asked[] = [];
  readonly reports: string[] = [];
  refusesTracking = false;
  isOnline = true;
  origin = "https://shop.example";
  answering: Answering = () => ({ status: 200, body: {} });
  private time = Date.UTC(2026, 2, 1, 10);
  private ids = 0;
  private timers: { readonly at: number; readonly work: () => void }[] = [];

  storage: TextStorage | undefined = {
    getItem: (key) => this.kept.get(key) ?? null,
    setItem: (key, value) => void this.kept.set(key, value),
    removeItem: (key) => void this.kept.delete(key),
  };

  /** Opens a page of the shop. What it has scheduled before goes with the page that is left. */
  open(options: Partial<HelperOptions> = {}) {
    this.timers = [];
    return this.openTab(options);
  }

  /** A further page beside those that are open. */
  openTab(options: Partial<HelperOptions> = {}) {
    const helper = createHelper({ appId: APP, url: URL, ...options }, this.environment());
    helper.sendAgain();
    return helper;
  }

  /** Lets answers come in, moves the clock, and does what is due by then. */
  async pass(ms = 0): Promise<void> {
    await settled();
    const until = this.time + ms;
    for (;;) {
      const due = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers.splice(this.timers.indexOf(due), 1);
      this.time = Math.max(this.time, due.at);
      due.work();
      await settled();
    }
    this.time = until;
    await settled();
  }

  get forms(): readonly Readonly<Record<string, string>>[] {
    return this.asked.filter(({ url }) => url.endsWith("/trace")).map(({ form }) => form);
  }

  private environment(): Environment {
    return {
      storage: this.storage,
      fetch: async (url, init) => {
        const body = init.body instanceof URLSearchParams ? "" : String(init.body ?? "");
        const form = init.body instanceof URLSearchParams ? Object.fromEntries(init.body) : {};
        const asked = { url, init, form, body: body === "" ? undefined : (JSON.parse(body) as unknown) };
        this.asked.push(asked);
        if (!this.isOnline) throw new TypeError("Failed to fetch");
        return answerOf(this.answering(asked));
      },
      now: () => this.time,
      newId: () => String(++this.ids).padStart(32, "0"),
      cookies: {
        read: (name) => this.cookies.get(name),
        write: (name, value, seconds) => void (seconds > 0 ? this.cookies.set(name, value) : this.cookies.delete(name)),
      },
      later: (work, ms) => void this.timers.push({ at: this.time + ms, work }),
      refusesTracking: this.refusesTracking,
      origin: this.origin,
      report: (sentence) => void this.reports.push(sentence),
    };
  }
}

function answerOf({ status, body, retryAfter }: ReturnType<Answering>): Answer {
  return {
    status,
    headers: { get: (name) => (name === "retry-after" ? (retryAfter ?? null) : null) },
    json: async () => body,
  };
}

/** Promises that are on their way are done. */
async function settled(): Promise<void> {
  for (let n = 0; n < 500; n++) await Promise.resolve();
}
