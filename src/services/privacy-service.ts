import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { InvalidArgument } from "../domain/errors.js";
import type { ExposedFrame, ShownList } from "../domain/frame-exposure.js";
import { type Confirmation, confirmationOf, endsWithContact } from "../domain/hook.js";
import type { Operation } from "../domain/operation.js";
import { sentOrderId } from "../domain/order.js";
import type { Visitor } from "../domain/visitor.js";
import { ErasureSchema } from "../gen/aisle/v1/erasure_pb.js";
import type { Person as PersonMessage } from "../gen/aisle/v1/person_pb.js";
import type {
  AwaitedSubscriptionSchema,
  KeptFrameExposureSchema,
  KeptShownListSchema,
  KeptVisitorSchema,
} from "../gen/aisle/v1/personal_data_pb.js";
import {
  type ExportVisitorRequest,
  type ExportVisitorResponseSchema,
  PrivacyService,
} from "../gen/aisle/v1/privacy_service_pb.js";
import type { Erasures } from "../identity/privacy/erasure.js";
import { type PersonItem, type PersonStores, readPerson } from "../identity/privacy/export.js";
import type { PersonNames } from "../identity/privacy/person.js";
import type { Operations } from "../operations/operations.js";
import { clickOfKey, type ExposureResults, resultsOf } from "../results/person-results.js";
import type { AppStore } from "../store/ports/app-store.js";
import { timestampOf, visitorIdsOf } from "./common-messages.js";
import { erasureMessage, removedMessage } from "./erasure-messages.js";
import { guarded, guardedStream, type ReportInternal } from "./errors/errors.js";
import { eventMessage } from "./event-messages.js";
import { hookMessage } from "./hook-service.js";
import type { Mutation } from "./mutations.js";
import { operationMessage } from "./operation-messages.js";
import { orderMessage } from "./order-messages.js";
import { readPage } from "./paging.js";
import { rejectedEventMessage } from "./rejected-event-handlers.js";
import { requireApp } from "./require-app.js";
import { changeMessage, channelOf, contactMessage } from "./subscription-messages.js";

export interface PrivacyServiceDependencies extends PersonStores {
  readonly erasures: Pick<Erasures, "begin">;
  readonly operations: Pick<Operations, "removeOld">;
  readonly apps: Pick<AppStore, "get">;
  readonly now: Now;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

export function createPrivacyService(deps: PrivacyServiceDependencies): ServiceImpl<typeof PrivacyService> {
  const { apps, copies, mutation, report } = deps;
  return {
    exportVisitor: guardedStream(report, (request) => exportVisitor(deps, request)),

    eraseVisitor: mutation(PrivacyService.method.eraseVisitor, async (request, once, { signal }) => {
      const { appId } = await requireApp(apps, request.appId);
      const names = namesOf(request.person);
      if (request.validateOnly)
        return { outcome: { case: "preview", value: await previewErasure(deps, appId, names, signal) } };
      const answer = (operation: Operation) => ({
        outcome: { case: "operation" as const, value: operationMessage(appId, operation) },
      });
      const answered = await once.change(answer, (change) => deps.erasures.begin(appId, names, change), appId);
      deps.operations.removeOld(appId);
      return answered;
    }),

    listErasures: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      const { items, nextPageToken } = await readPage(PrivacyService.method.listErasures, request, {
        schema: ErasureSchema,
        read: (after, limit) => copies.scan(appId, "erasures", after, limit),
        keyOf: ({ key }) => key,
        message: ({ value }) => erasureMessage(value),
      });
      return { erasures: items, nextPageToken };
    }),
  };
}

async function* exportVisitor(
  deps: PrivacyServiceDependencies,
  { appId, person }: ExportVisitorRequest,
): AsyncGenerator<MessageInitShape<typeof ExportVisitorResponseSchema>> {
  await requireApp(deps.apps, appId);
  for await (const { items } of readPerson(deps, appId, namesOf(person), deps.now())) {
    for (const one of items) for (const item of itemMessages(one)) yield { item };
  }
}

type ItemMessage = NonNullable<MessageInitShape<typeof ExportVisitorResponseSchema>["item"]>;

/** Empty for records that only repeat others: history rows repeat events and orders. */
function itemMessages(item: PersonItem): ItemMessage[] {
  if (item.kind === "frameExposures")
    return [
      ...[...resultsOf([item.value])].map(([frame, results]) => ({
        case: "frameExposure" as const,
        value: exposureMessage(item.key, frame, results),
      })),
      ...item.value.shownLists.map((list) => ({ case: "shownList" as const, value: shownListMessage(item.key, list) })),
    ];
  const message = itemMessage(item);
  return message === undefined ? [] : [message];
}

function itemMessage(item: Exclude<PersonItem, { kind: "frameExposures" }>): ItemMessage | undefined {
  switch (item.kind) {
    case "contacts":
      return { case: "contact", value: contactMessage(item.value) };
    case "changes":
      return { case: "subscriptionChange", value: changeMessage(item.value) };
    case "visitors":
      return { case: "visitor", value: visitorMessage(item.value) };
    case "orders":
      return { case: "order", value: orderMessage(item.value) };
    case "events":
      return { case: "event", value: eventMessage(item.value) };
    case "rejectedEvents":
      return { case: "rejectedEvent", value: rejectedEventMessage(item.value) };
    case "confirmations":
      return { case: "awaitedSubscription", value: awaitedMessage(item.key, item.value) };
    case "outbox":
    case "deadHooks":
      return { case: "hookMessage", value: hookMessage(item.value) };
    case "interactions":
    case "idempotency":
      return undefined;
  }
}

/** Counts what an erasure would remove. */
async function previewErasure(
  deps: PrivacyServiceDependencies,
  appId: string,
  names: PersonNames,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof ErasureSchema>> {
  const counts = new Map<string, number>();
  let kept = 0;
  const startedAt = deps.now();
  for await (const { items, contactsKept } of readPerson(deps, appId, names, startedAt)) {
    signal.throwIfAborted();
    for (const item of items)
      if (item.kind !== "outbox" || endsWithContact(item.value))
        counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1);
    kept = contactsKept;
  }
  return {
    startTime: timestampOf(startedAt),
    removed: removedMessage(Object.fromEntries(counts)),
    keptContactCount: kept,
  };
}

function namesOf(person: PersonMessage | undefined): PersonNames {
  if (person === undefined) throw new InvalidArgument("person", "missing");
  const { email, phone, contactId, includeLinkedContact: withLinkedContact } = person;
  return { visitor: visitorIdsOf(person.visitor), email, phone, contactId, withLinkedContact };
}

function awaitedMessage(
  key: string,
  { askedAt, eventId }: Confirmation,
): MessageInitShape<typeof AwaitedSubscriptionSchema> {
  const { channel, contactId } = confirmationOf(key);
  return { contactId, channel: channelOf(channel), requestTime: timestampOf(askedAt), eventId };
}

/** @param key The visitor key of the record. */
function keptIds(key: string) {
  const idOf = (kind: string) => idsOf([key], kind)[0] ?? "";
  return { clientId: idOf("c:"), fingerprintId: idOf("f:"), userId: idOf("u:") };
}

function shownListMessage(
  key: string,
  { frameId, at, productIds }: ShownList,
): MessageInitShape<typeof KeptShownListSchema> {
  return { visitor: keptIds(key), frameId, firstShowTime: timestampOf(at), productIds: [...productIds] };
}

function exposureMessage(
  key: string,
  frame: ExposedFrame,
  { named, times, orders }: ExposureResults,
): MessageInitShape<typeof KeptFrameExposureSchema> {
  const earliest = (all: readonly number[]) => timestampOf(all.length === 0 ? 0 : Math.min(...all));
  return {
    visitor: keptIds(key),
    frameId: frame.frameId,
    variant: frame.variant,
    firstExposureTime: timestampOf(frame.firstAt),
    lastExposureTime: timestampOf(frame.lastAt),
    shownProductIds: [...frame.shown],
    clickTime: earliest(times),
    orderTime: earliest(orders.map(({ at }) => at)),
    orderIds: orders.map(sentOrderId),
    recommendationIds: [...frame.recommendationIds],
    lastClickTime: timestampOf(Math.max(0, ...times)),
    clicks: [...named].map(clickOfKey),
    explored: [...frame.explored],
  };
}

function visitorMessage({
  visitorId,
  keys,
  contactId,
  createdAt,
}: Visitor): MessageInitShape<typeof KeptVisitorSchema> {
  return {
    visitorId,
    clientIds: idsOf(keys, "c:"),
    fingerprintIds: idsOf(keys, "f:"),
    userIds: idsOf(keys, "u:"),
    contactId,
    createTime: timestampOf(createdAt),
  };
}

function idsOf(keys: readonly string[], kind: string): string[] {
  return keys.filter((key) => key.startsWith(kind)).map((key) => key.slice(kind.length));
}
