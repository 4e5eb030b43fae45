import { ERASURE_STEPS, type Erasure, type Person } from "../../../domain/erasure.js";
import { list, map, number, oneOf, record, text } from "../shape.js";

const personShape = record<Person>({
  visitorKeys: list(text),
  contactKeys: list(text),
  contactIds: list(text),
  historyIds: list(text),
  orderIds: list(text),
  eventIds: list(text),
});

export const erasureShape = record<Erasure>({
  erasureId: text,
  startedAt: number,
  finishedAt: number,
  workedAt: number,
  step: oneOf(...ERASURE_STEPS),
  upTo: text,
  person: personShape,
  counts: map(number),
});
