/** What the helper needs of a page, so that its rules can be shown without one. */
export interface Environment {
  /** The page's local storage; undefined where it has none, or forbids it. */
  readonly storage: TextStorage | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Answer>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 32 random hexadecimal digits. */
  readonly newId: () => string;
  readonly cookies: Cookies;
  /** Calls `work` once, some milliseconds later. */
  readonly later: (work: () => void, ms: number) => void;
  /** The browser says that its user does not want to be followed (Global Privacy Control). */
  readonly refusesTracking: boolean;
}

export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Cookies {
  /** Undefined when there is none of this name. */
  read(name: string): string | undefined;
  /** For the whole site, for so many seconds; 0 takes it away. */
  write(name: string, value: string, seconds: number): void;
}

/** As much of a response as is looked at. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}
