/** What the helper needs of a page. Tests give it one without a browser. */
export interface Environment {
  /** The page's local storage; undefined where the browser has none or forbids it. */
  readonly storage: TextStorage | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Answer>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 32 random hexadecimal digits. */
  readonly newId: () => string;
  readonly cookies: Cookies;
  /** Calls `work` once, some milliseconds later. */
  readonly later: (work: () => void, ms: number) => void;
  /** Told in one sentence what is wrong; undefined without `data-debug`. */
  readonly report?: ((sentence: string) => void) | undefined;
  /** Of the page, for example `https://shop.example`. */
  readonly origin: string;
  /** The browser sends Global Privacy Control. */
  readonly refusesTracking: boolean;
}

export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Cookies {
  /** The value; undefined without a cookie of this name. */
  read(name: string): string | undefined;
  /** Sets the cookie for the whole site and for `seconds`; 0 removes it. */
  write(name: string, value: string, seconds: number): void;
}

/** The parts of a response that the helper reads. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}
