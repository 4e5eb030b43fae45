import type { Environment } from "./environment.js";
import { isObject, listOf, type Shelf } from "./shelf.js";

/** An event not yet acknowledged. */
interface Letter {
  /** Idempotency key: the event is stored once, however often it is sent. */
  readonly key: string;
  /** The form without the key. */
  readonly form: string;
  /** When it happened. */
  readonly at: number;
  readonly tries: number;
  /** Earliest time of the next try: the last one failed, or another tab is sending. */
  readonly nextAt: number;
}

/** Sends events until the service acknowledges them, across page changes, reloads and offline times. */
export interface Outbox {
  /**
   * Sends the form now and keeps it until it is acknowledged. Resolves with true when the service accepts this try;
   * with false when it will be sent again or was refused. Never rejects.
   */
  post(form: URLSearchParams): Promise<boolean>;
  /** Sends what is due. Called when a page opens and when the browser is online again. */
  send(): void;
}

/** Events kept at most; beyond that the oldest are dropped. */
const MOST = 200;
/** After this time another tab may send an event that one tab began to send. */
const LEASE_MS = 30_000;
/** The service remembers a key for a day; an older event might be stored twice. */
const OLDEST_MS = 23 * 3600_000;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 5 * 60_000;

/** Called with the status of an answer that is none of success, 0 for no answer, and the answer's JSON. */
export type OnFailure = (status: number, answer: Promise<unknown>) => void;

/** @param url Of POST /trace. */
export function createOutbox(
  shelf: Shelf,
  url: string,
  { fetch, now, newId, later }: Pick<Environment, "fetch" | "now" | "newId" | "later">,
  onFailure: OnFailure,
): Outbox {
  const letters = () => listOf(shelf.read("outbox"), isLetter);
  const change = (key: string, changed: (letter: Letter) => Letter | undefined) => {
    shelf.write(
      "outbox",
      letters().flatMap((letter) => (letter.key === key ? (changed(letter) ?? []) : letter)),
    );
  };

  const deliver = async ({ key, form, tries }: Letter): Promise<boolean> => {
    const body = new URLSearchParams(form);
    body.set("idempotency_key", key);
    let waitMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
    try {
      // A form of this type needs no preflight, and `keepalive` lets it finish when the page is left.
      const answer = await fetch(url, { method: "POST", body, keepalive: true, credentials: "include" });
      const said = answer.json().catch(() => undefined); // until it is read, the browser counts the call as under way
      if (answer.status !== 200) onFailure(answer.status, said);
      if (!isTemporary(answer.status)) {
        change(key, () => undefined);
        return answer.status === 200;
      }
      waitMs = Math.max(waitMs, Number(answer.headers.get("retry-after") ?? 0) * 1000);
    } catch {
      // No answer: the event may be stored already. Its key makes another try harmless.
      onFailure(0, Promise.resolve());
    }
    change(key, (letter) => ({ ...letter, tries: tries + 1, nextAt: now() + waitMs }));
    later(send, waitMs);
    return false;
  };

  function send(): void {
    const at = now();
    const kept = letters();
    if (kept.length === 0) return;
    const all = kept.filter((letter) => letter.at > at - OLDEST_MS);
    const isDue = ({ nextAt }: Letter) => nextAt <= at || nextAt > at + LONGEST_DELAY_MS + LEASE_MS;
    const due = all.filter(isDue);
    shelf.write(
      "outbox",
      all.map((letter) => (isDue(letter) ? { ...letter, nextAt: at + LEASE_MS } : letter)),
    );
    for (const letter of due) void deliver(letter);
    const waiting = Math.min(...all.filter((letter) => !isDue(letter)).map(({ nextAt }) => nextAt));
    if (Number.isFinite(waiting)) later(send, waiting - at);
  }

  return {
    send,
    post(form) {
      const at = now();
      const letter: Letter = { key: newId(), form: String(form), at, tries: 0, nextAt: at + LEASE_MS };
      shelf.write("outbox", [...letters(), letter].slice(-MOST));
      return deliver(letter);
    },
  };
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function isLetter(value: unknown): value is Letter {
  if (!isObject(value) || typeof value.key !== "string" || typeof value.form !== "string") return false;
  return [value.at, value.tries, value.nextAt].every((one) => typeof one === "number" && Number.isFinite(one));
}
