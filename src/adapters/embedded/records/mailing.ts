import { CHANNELS } from "../../../domain/contact.js";
import {
  type Confirmation,
  HOOK_FAILURES,
  HOOK_KINDS,
  type HookEntry,
  type HookFailure,
  type MailingSecrets,
} from "../../../domain/mailing.js";
import type { RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

export const mailingSecretsRecord: RecordCodec<MailingSecrets> = {
  toCells: ({ linkKey, hook }) => [linkKey, hook?.url ?? "", hook?.secret ?? ""],
  fromCells: (cells) => {
    const url = cell.text(cells, 1);
    return { linkKey: cell.text(cells, 0), hook: url === "" ? null : { url, secret: cell.text(cells, 2) } };
  },
};

const FAILURES: readonly (HookFailure | "")[] = ["", ...HOOK_FAILURES];

export const hookEntryRecord: RecordCodec<HookEntry> = {
  toCells: (entry) => [
    entry.messageId,
    entry.kind,
    entry.contactId,
    entry.channel,
    entry.changeId,
    entry.createdAt,
    entry.attempts,
    entry.nextAt,
    entry.failure,
    entry.status,
  ],
  fromCells: (cells) => ({
    messageId: cell.text(cells, 0),
    kind: cell.oneOf(cells, 1, HOOK_KINDS),
    contactId: cell.text(cells, 2),
    channel: cell.oneOf(cells, 3, CHANNELS),
    changeId: cell.text(cells, 4),
    createdAt: cell.number(cells, 5),
    attempts: cell.number(cells, 6),
    nextAt: cell.number(cells, 7),
    failure: cell.oneOf(cells, 8, FAILURES),
    status: cell.number(cells, 9),
  }),
};

export const confirmationRecord: RecordCodec<Confirmation> = {
  toCells: ({ askedAt, askedBy, eventId, visitorKey }) => [askedAt, askedBy, eventId, visitorKey],
  fromCells: (cells) => ({
    askedAt: cell.number(cells, 0),
    askedBy: cell.text(cells, 1),
    eventId: cell.text(cells, 2),
    visitorKey: cell.text(cells, 3),
  }),
};
