/** What a load process is to do, and what it saw. Both are plain data that travel between processes. */

export interface LoadPlan {
  /** Where every request goes, `http://127.0.0.1:8080/trace`. */
  readonly url: string;
  /** Sent one after the other, and again from the first. */
  readonly bodies: readonly string[];
  /** In place of bodies: what is asked behind the `?` of the address, by GET, likewise one after the other. */
  readonly queries?: readonly string[] | undefined;
  readonly contentType?: string | undefined;
  /** Closed loop: so many send their next request when they have their answer. Open loop: as many as there may be. */
  readonly connections: number;
  /** Open loop: requests a second, each due at its time whether or not those before it were answered. */
  readonly rate?: number | undefined;
  readonly seconds: number;
  /**
   * Open loop: for so long before the `seconds`, requests are sent and not counted, except those that are lost, given up
   * or unsent. A load that begins cold is late itself, and the connections that it opens for that are the server's work.
   */
  readonly warmSeconds?: number | undefined;
  /** A request without an answer so long after it left is given up, with its connection; one that finds none for so long is not sent. */
  readonly timeoutMs?: number | undefined;
  /** A file for the `x-service-event-id` of each 200, a line each. */
  readonly idsFile?: string | undefined;
}

/** Milliseconds, from the time a request was due: one that had to wait for a connection waited. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface LoadReport {
  /** 200s a second that came within the time of the plan. */
  readonly okPerSecond: number;
  /** Answers by status, those included that came after the plan's time. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers to requests that were due in the plan's `warmSeconds`, of which nothing else is told. */
  readonly warmAnswers: number;
  /** Answers of 429 and 503 that did not say when to come again. */
  readonly refusedWithoutRetryAfter: number;
  readonly timeouts: number;
  /** Requests whose connection ended before their answer. */
  readonly lost: number;
  /** Requests that found no connection in time and were not sent. */
  readonly unsent: number;
  readonly ok: Latency;
  readonly other: Latency;
  /** How late requests left for want of a connection or of time in this process; open loop only. */
  readonly lateness: Latency;
}
