import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { rpcClients, temporaryDirectory } from "../fixtures/server.js";
import { type StoredEvent, storedEvents } from "./event-load.js";

const PRELOAD = pathToFileURL(join(import.meta.dirname, "children/shifted-clock.mjs")).href;

/** A system clock for servers under test: a preloaded script moves it by what stands in a file. */
export async function shiftedClock() {
  const file = join(await temporaryDirectory(), "shift");
  const set = async (ms: number) => {
    await writeFile(`${file}.new`, String(ms));
    await rename(`${file}.new`, file);
  };
  await set(0);
  return {
    set,
    /** For a server. `boot` names the start of its machine; with another one nothing is known of the time between. */
    env: (boot = "") => ({ NODE_OPTIONS: `--import=${PRELOAD}`, AISLE_TEST_CLOCK: file, AISLE_TEST_BOOT: boot }),
  };
}

async function trace(facadeUrl: string, form: Readonly<Record<string, string>>, key = ""): Promise<string> {
  const headers = { connection: "close", ...(key !== "" && { "idempotency-key": key }) };
  const body = new URLSearchParams({ app_id: "shop", ...form });
  for (let tries = 20; ; tries--) {
    const answer = await fetch(`${facadeUrl}/trace`, { method: "POST", headers, body });
    if (answer.status === 200) return answer.headers.get("x-service-event-id") ?? "";
    if (tries === 0 || answer.status !== 503) throw new Error(`${answer.status}: ${await answer.text()}`);
  }
}

/** A shop that sends each event under a key of its own, and sends all of them again. */
export class KeyedEvents {
  /** By mark: what was sent, and the event id that was answered. */
  private readonly sent = new Map<string, { readonly time: string; readonly eventId: string }>();

  /** Sends so many new events, each with the time that the shop's own clock shows. */
  async send(facadeUrl: string, count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const mark = String(this.sent.size);
      const time = new Date().toISOString();
      const eventId = await this.post(facadeUrl, mark, time);
      this.sent.set(mark, { time, eventId });
      ids.push(eventId);
    }
    return ids;
  }

  /** Sends every event again, byte by byte. @returns how many of them were stored once more */
  async resend(facadeUrl: string): Promise<number> {
    let again = 0;
    for (const [mark, { time, eventId }] of this.sent)
      if ((await this.post(facadeUrl, mark, time)) !== eventId) again++;
    return again;
  }

  judge(stored: readonly StoredEvent[]) {
    const marks = stored.map(({ mark }) => mark);
    const ids = new Set(stored.map(({ eventId }) => eventId));
    const lost = [...this.sent.values()].filter(({ eventId }) => !ids.has(eventId)).length;
    return { acknowledged: this.sent.size, lost, duplicated: marks.length - new Set(marks).size, wrong: 0 };
  }

  private post(facadeUrl: string, mark: string, time: string): Promise<string> {
    const form = { action_type: "product_view", product_ids: "p1", c_id: `c${mark}`, utc_time: time, mark };
    return trace(facadeUrl, form, `key-${mark}`);
  }
}

/** Somebody subscribes or unsubscribes in the shop. */
export async function subscribe(facadeUrl: string, who: string, status: "1" | "0"): Promise<void> {
  await trace(facadeUrl, {
    action_type: "subscribe",
    fp_ccid: who,
    email: `${who}@shop.example`,
    subscriber_status: status,
    // Shops' clocks are no better: this one is four minutes ahead.
    utc_time: new Date(Date.now() + (status === "1" ? 240_000 : 0)).toISOString(),
  });
}

export async function isSubscribed(facadeUrl: string, who: string): Promise<unknown> {
  const answer = await fetch(`${facadeUrl}/subscription_status?app_id=shop&fpcid=${who}&force=1`);
  const said: unknown = await answer.json();
  return typeof said === "object" && said !== null ? Reflect.get(said, "status") : undefined;
}

/** Reads the list of events on from where it ended before, as a program that waits for new ones does. */
export function eventReader() {
  let lastId = "";
  return {
    async read(rpcUrl: string): Promise<readonly StoredEvent[]> {
      const fresh = (await storedEvents(rpcUrl)).filter(({ eventId }) => eventId > lastId);
      lastId = fresh.at(-1)?.eventId ?? lastId;
      return fresh;
    },
  };
}

const OTHERS = 4;

/** Expects that a program which reads the list on sees exactly these, and whoever reads it from its end sees them first. */
export async function expectListed(
  rpcUrl: string,
  reader: ReturnType<typeof eventReader>,
  ids: readonly string[],
): Promise<void> {
  expect((await reader.read(rpcUrl)).map(({ eventId }) => eventId).sort()).toEqual([...ids].sort());
  // Somebody who subscribed stands among them.
  const pageSize = ids.length + OTHERS;
  const newest = await rpcClients(rpcUrl).events.listEvents({ appId: "shop", pageSize, newestFirst: true });
  expect(newest.events.map(({ eventId }) => eventId)).toEqual(expect.arrayContaining([...ids]));
}
