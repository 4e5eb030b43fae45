/** What `aisle doctor` finds, and sets right, of people whom earlier versions stored wrongly. */
import { v7 as uuidv7 } from "uuid";
import type { DoctorStep } from "../cli/doctor-command.js";
import { DomainError } from "../domain/errors.js";
import type { Finding } from "../domain/finding.js";
import { type Parted, partPlaceholders } from "../identity/part-placeholders.js";
import { type ExaminedPeople, examinePeople } from "../identity/placeholders.js";
import type { Store } from "../store/ports/store.js";
import { openStore, type StoreLocation, StoreNotOpened } from "./open-store.js";

const TIMEOUTS = { answerMs: 10_000, workMs: 120_000 };
const PART = "aisle doctor --part-placeholders";
const about = "visitors";

/** Examines the visitors of all apps, and with `all` their contacts. Yields nothing for a store that cannot be read. */
export async function* examineVisitors(location: StoreLocation, all: boolean): AsyncGenerator<DoctorStep> {
  const store = await opened(location, true);
  if (store instanceof StoreNotOpened) return; // the finding of the store says why
  try {
    let joined = 0;
    for await (const appId of appIds(store)) {
      const people = await examinePeople(store, appId, all);
      joined += people.joined.length;
      yield* findingsOf(appId, people);
    }
    const how = all ? "" : " (usual spellings looked up; --verify reads every id)";
    const text = `none is joined by a placeholder such as 0 or guest${how}`;
    if (joined === 0) yield { finding: { about, state: "ok", text } };
  } catch (error) {
    yield failed(about, "they could not be read", error);
  } finally {
    await store.close();
  }
}

/** Parts the joined visitors of all apps. Servers of this version may run meanwhile. */
export async function* partVisitors(location: StoreLocation): AsyncGenerator<DoctorStep> {
  // Opening a missing store for writing would make it.
  const readable = await opened(location, true);
  const store =
    readable instanceof StoreNotOpened ? readable : await readable.close().then(() => opened(location, false));
  if (store instanceof StoreNotOpened) {
    yield { finding: { about: "part", state: "problem", text: `nothing was parted: ${store.message}` } };
    return;
  }
  try {
    let parted = 0;
    for await (const appId of appIds(store)) {
      const done = await partPlaceholders({ ...store, newId: uuidv7 }, appId);
      parted += done.keys;
      if (done.keys > 0) yield* partedFindings(appId, done);
    }
    if (parted === 0) yield { finding: { about: "part", state: "ok", text: "no visitor is joined by a placeholder" } };
  } catch (error) {
    yield failed("part", "interrupted, run it again", error);
  } finally {
    await store.close();
  }
}

/** The step of work that the store has stopped. Other errors are ours. */
function failed(topic: string, text: string, error: unknown): DoctorStep {
  if (!(error instanceof DomainError)) throw error;
  return { finding: { about: topic, state: "problem", text: `${text}: ${error.message}` } };
}

function opened(location: StoreLocation, readOnly: boolean): Promise<Store | StoreNotOpened> {
  return openStore(location, { now: Date.now, newId: uuidv7, readOnly, ...TIMEOUTS }).catch((error: unknown) => {
    if (error instanceof StoreNotOpened) return error;
    throw error;
  });
}

async function* appIds({ apps }: Store): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const page = await apps.list(after, 100);
    for (const { appId } of page) yield appId;
    if (page.length < 100) return;
    after = page.at(-1)?.appId ?? after;
  }
}

/** Words that a line names. */
const MAX_WORDS = 8;

function* findingsOf(appId: string, { joined, unusable, contactIds }: ExaminedPeople): Generator<DoctorStep> {
  const sum = (of: "ids" | "contacts" | "events" | "orders") => joined.reduce((total, one) => total + one[of], 0);
  if (joined.length > 0) {
    const words = [...new Set(joined.flatMap((one) => one.words))];
    const named = words.slice(0, MAX_WORDS).map((word) => JSON.stringify(word));
    const more = words.length > MAX_WORDS ? ` and ${words.length - MAX_WORDS} more` : "";
    const held = `${sum("ids")} ids, ${sum("contacts")} contacts, ${sum("events")} events and ${sum("orders")} orders`;
    const text = `app ${appId}: placeholders joined people into visitors (${joined.length}), by the ids ${named.join(", ")}${more}; they hold ${held}; run \`${PART}\``;
    yield { finding: { about, state: "problem", text }, people: { appId, joined } };
  }
  if (unusable === 0) return;
  const text = `app ${appId}: contacts with an unusable address (${unusable}), which nobody finds by it; --json lists their ids for \`aisle privacy erase --contact ID\``;
  yield { finding: { about: "contacts", state: "note", text }, people: { appId, contactIds } };
}

function* partedFindings(appId: string, done: Parted): Generator<DoctorStep> {
  const line = (state: Finding["state"], text: string) => ({ finding: { about: "part", state, text } });
  const { visitors, keys, unlinked, events, orders, unknown, statements } = done;
  yield line(
    "ok",
    `app ${appId}: ${visitors} visitors parted, ${keys} placeholder keys removed, ${unlinked} contacts unlinked; ${events} events and ${orders} orders went to whom they name`,
  );
  if (unknown.ids + unknown.events + unknown.orders > 0)
    yield line(
      "note",
      `app ${appId}: no event tells whose ${unknown.ids} ids, ${unknown.events} events and ${unknown.orders} orders are; they belong to nobody now`,
    );
  if (statements > 0)
    yield line(
      "note",
      `app ${appId}: ${statements} subscription statements came from events of other people; the ledger keeps them, and they still count`,
    );
}
