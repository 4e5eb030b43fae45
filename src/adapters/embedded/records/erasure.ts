import { ERASURE_STEPS, type Erasure, type Person } from "../../../domain/erasure.js";
import type { Cells, RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

export const erasureRecord: RecordCodec<Erasure> = {
  toCells: (erasure) => [
    erasure.erasureId,
    erasure.startedAt,
    erasure.finishedAt,
    erasure.workedAt,
    erasure.step,
    erasure.upTo,
    personCells(erasure.person),
    cell.fromNumberMap(erasure.counts),
  ],
  fromCells: (cells) => ({
    erasureId: cell.text(cells, 0),
    startedAt: cell.number(cells, 1),
    finishedAt: cell.number(cells, 2),
    workedAt: cell.number(cells, 3),
    step: cell.oneOf(cells, 4, ERASURE_STEPS),
    upTo: cell.text(cells, 5),
    person: personFrom(cell.list(cells, 6)),
    counts: cell.numberMap(cells, 7),
  }),
};

function personCells(person: Person): unknown[] {
  return [
    person.visitorKeys,
    person.contactKeys,
    person.contactIds,
    person.historyIds,
    person.orderIds,
    person.eventIds,
  ];
}

function personFrom(cells: Cells): Person {
  return {
    visitorKeys: cell.texts(cells, 0),
    contactKeys: cell.texts(cells, 1),
    contactIds: cell.texts(cells, 2),
    historyIds: cell.texts(cells, 3),
    orderIds: cell.texts(cells, 4),
    eventIds: cell.texts(cells, 5),
  };
}
