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
  /** Earliest time of the next try: the last one failed, or a tab is sending. */
  readonly nextAt: number;
  /** A tab is sending it. */
  readonly isSent?: boolean;
}

/**
 * Sends events until the service acknowledges them, across page changes, reloads and offline times. While one has failed, it
 * goes first, and the others follow in order as long as the service takes them.
 */
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

  /** Returns the status of the answer; 0 without one. */
  const deliver = async ({ key, form, tries }: Letter): Promise<number> => {
    const body = new URLSearchParams(form);
    body.set("idempotency_key", key);
    let waitMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
    let status = 0;
    try {
      // A form of this type needs no preflight, and `keepalive` lets it finish when the page is left.
      const answer = await fetch(url, { method: "POST", body, keepalive: true, credentials: "include" });
      const said = answer.json().catch(() => undefined); // until it is read, the browser counts the call as under way
      status = answer.status;
      if (status !== 200) onFailure(status, said);
      if (!isTemporary(status)) {
        change(key, () => undefined);
        return status;
      }
      waitMs = Math.max(waitMs, Number(answer.headers.get("retry-after") ?? 0) * 1000);
    } catch {
      // No answer: the event may be stored already. Its key makes another try harmless.
      onFailure(0, Promise.resolve());
    }
    change(key, (letter) => ({ ...letter, tries: tries + 1, nextAt: now() + waitMs, isSent: false }));
    later(send, waitMs);
    return status;
  };

  const isDue = ({ nextAt }: Letter) => nextAt <= now() || nextAt > now() + LONGEST_DELAY_MS + LEASE_MS;
  const isFresh = ({ at }: Letter) => at > now() - OLDEST_MS;
  const isWaiting = (letter: Letter) => isFresh(letter) && (!letter.isSent || isDue(letter));
  let sending: Promise<unknown> = Promise.resolve();
  const accepted = new Set<string>();

  /** Sends what waits. A new event is a reason to try; without one something must be due. */
  const sendInOrder = async (isNew: boolean) => {
    const tried = new Set<string>();
    while (isNew || tried.size > 0 || letters().some(isDue)) {
      const next = letters().find((letter) => isWaiting(letter) && !tried.has(letter.key));
      if (next === undefined) return;
      const { key } = next;
      tried.add(key);
      change(key, (letter) => ({ ...letter, nextAt: now() + LEASE_MS, isSent: true }));
      const status = await deliver(next);
      if (status === 200) accepted.add(key);
      // A fault of the service may concern this event alone; otherwise no event would be taken now.
      else if (isTemporary(status) && status !== 500) return;
    }
  };

  function send(): void {
    const at = now();
    const kept = letters();
    const all = kept.filter(isFresh);
    if (all.length < kept.length) shelf.write("outbox", all);
    if (all.some(isDue)) sending = sending.then(() => sendInOrder(false));
    const waiting = Math.min(...all.filter((letter) => !isDue(letter)).map(({ nextAt }) => nextAt));
    if (Number.isFinite(waiting)) later(send, waiting - at);
  }

  return {
    send,
    async post(form) {
      const at = now();
      const isSent = !letters().some((letter) => letter.tries > 0 && isWaiting(letter));
      const letter = { key: newId(), form: String(form), at, tries: 0, nextAt: isSent ? at + LEASE_MS : at, isSent };
      shelf.write("outbox", [...letters(), letter].slice(-MOST));
      if (isSent) return (await deliver(letter)) === 200;
      sending = sending.then(() => sendInOrder(true));
      await sending;
      return accepted.delete(letter.key);
    },
  };
}

function isTemporary(status: number): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

function isLetter(value: unknown): value is Letter {
  if (!isObject(value) || typeof value.key !== "string" || typeof value.form !== "string") return false;
  return [value.at, value.tries, value.nextAt].every((one) => typeof one === "number" && Number.isFinite(one));
}
