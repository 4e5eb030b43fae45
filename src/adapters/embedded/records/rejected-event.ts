import type { RejectedEvent, RejectedLog } from "../../../domain/rejected-event.js";
import type { RecordCodec } from "../codec.js";
import * as cell from "./cells.js";
import { eventRecord } from "./event.js";

const FAULTS = ["missing", "invalid", "reused"] as const;

export const rejectedEventRecord: RecordCodec<RejectedEvent> = {
  toCells: (rejected) => [
    rejected.rejectedId,
    rejected.rejectedAt,
    rejected.fault,
    rejected.field,
    rejected.accepted,
    rejected.idempotencyKey,
    rejected.event === null ? null : eventRecord.toCells(rejected.event),
    rejected.bytes,
    rejected.replayedAs,
  ],
  fromCells: (cells, key) => ({
    rejectedId: cell.text(cells, 0),
    rejectedAt: cell.number(cells, 1),
    fault: cell.oneOf(cells, 2, FAULTS),
    field: cell.text(cells, 3),
    accepted: cell.text(cells, 4),
    idempotencyKey: cell.text(cells, 5),
    // Behind the cells of a record comes its checksum; here it is that of the whole.
    event: cells[6] === null ? null : eventRecord.fromCells([...cell.list(cells, 6), 0], key),
    bytes: cell.number(cells, 7),
    replayedAs: cell.text(cells, 8),
  }),
};

export const rejectedLogRecord: RecordCodec<RejectedLog> = {
  toCells: ({ first, next, bytes }) => [first, next, bytes],
  fromCells: (cells) => ({ first: cell.number(cells, 0), next: cell.number(cells, 1), bytes: cell.number(cells, 2) }),
};
