import { toJsonString } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Event, EventSchema } from "../../../src/gen/aisle/v1/event_pb.js";
import { useSurroundings } from "../context.js";
import { personOf, subjectOf } from "../event-words.js";
import { OrderCard } from "../order-card.js";
import { pagesOf } from "../pages-of.js";
import { Empty, ErrorNote, Field, Snippet, Status, Time } from "../parts.js";
import { useLoad } from "../use-load.js";

const EVERY_MS = 2000;
const MORE = 50;
const MOST = 1000;

/** Accepted events, live, newest first. The address may name a `visitor`, an `order` or an `event` to show first. */
export function EventsPage(props: { readonly appId: string; readonly details: Readonly<Record<string, string>> }) {
  const { appId, details } = props;
  const { clients } = useSurroundings();
  const [visitor, setVisitor] = useState(details.visitor ?? "");
  const [isLive, setIsLive] = useState(true);
  const [pageSize, setPageSize] = useState(MORE);
  const list = useLoad(
    (signal) => {
      const ids = visitor.trim();
      const who = ids === "" ? {} : { visitor: { clientId: ids, fingerprintId: ids, userId: ids } };
      return pagesOf(async (pageToken) => {
        const request = { appId, pageSize, pageToken, newestFirst: true, ...who };
        const page = await clients.events.listEvents(request, { signal });
        return { items: page.events, nextPageToken: page.nextPageToken };
      }, pageSize);
    },
    [appId, visitor, pageSize],
  );
  useEvery(EVERY_MS, isLive && !list.isLoading, list.again);
  const fresh = useFresh(list.value, `${appId} ${visitor}`);
  return (
    <>
      {details.order !== undefined && <OrderCard appId={appId} orderId={details.order} onVisitor={setVisitor} />}
      {details.event !== undefined && <FoundEvent appId={appId} eventId={details.event} onVisitor={setVisitor} />}
      <div class="fields">
        <Field id="visitor" label="Visitor" hint="fp_ccid, client id or the shop's user id. Empty: all.">
          {(attributes) => (
            <input {...attributes} value={visitor} onInput={(event) => setVisitor(event.currentTarget.value)} />
          )}
        </Field>
        <button type="button" aria-pressed={isLive} onClick={() => setIsLive(!isLive)}>
          {isLive ? "Live: pause" : "Paused: resume"}
        </button>
      </div>
      <ErrorNote error={list.error} />
      <Status>{list.value === undefined ? "Loading …" : fresh === 0 ? "" : `${fresh} new since you came`}</Status>
      {list.value?.length === 0 && (
        <Empty>{visitor === "" ? "No event yet. They appear here as they come." : "No event of this visitor."}</Empty>
      )}
      <ul class="log card" hidden={!list.value?.length}>
        {list.value?.map((event) => (
          <EventRow key={event.eventId} event={event} onVisitor={setVisitor} />
        ))}
      </ul>
      {list.value?.length === pageSize && pageSize < MOST && (
        <button type="button" onClick={() => setPageSize(Math.min(MOST, pageSize + MORE))}>
          Show older ones
        </button>
      )}
    </>
  );
}

/** One event, opened. */
function FoundEvent(props: {
  readonly appId: string;
  readonly eventId: string;
  readonly onVisitor: (id: string) => void;
}) {
  const { appId, eventId, onVisitor } = props;
  const { clients } = useSurroundings();
  const load = useLoad(
    async (signal) => (await clients.events.getEvent({ appId, eventId }, { signal })).event,
    [appId, eventId],
  );
  return (
    <section aria-labelledby="found-event">
      <h2 id="found-event">Event</h2>
      <ErrorNote error={load.error} />
      {load.value && (
        <ul class="log card">
          <EventRow event={load.value} onVisitor={onVisitor} isFirstOpen />
        </ul>
      )}
    </section>
  );
}

function EventRow(props: {
  readonly event: Event;
  readonly onVisitor: (id: string) => void;
  readonly isFirstOpen?: boolean;
}) {
  const { event, onVisitor, isFirstOpen = false } = props;
  const [isOpen, setIsOpen] = useState(isFirstOpen);
  const id = event.visitor?.fingerprintId || event.visitor?.clientId || "";
  return (
    <li>
      <details open={isOpen} onToggle={(toggled) => setIsOpen(toggled.currentTarget.open)}>
        <summary>
          <span class="muted">
            <Time at={event.receiveTime} />
          </span>
          <span>
            <span class="tag">{event.actionType}</span>
            {event.bot && <span class="tag">robot</span>}
          </span>
          <span>{subjectOf(event)}</span>
          <span class="muted">{personOf(event)}</span>
        </summary>
        {isOpen && (
          <>
            {event.notes.map((note) => (
              <p key={note} class="note">
                {note}
              </p>
            ))}
            {id !== "" && (
              <button type="button" class="small" onClick={() => onVisitor(id)}>
                Only this visitor
              </button>
            )}
            <Snippet title="As it was understood" text={toJsonString(EventSchema, event, { prettySpaces: 2 })} />
          </>
        )}
      </details>
    </li>
  );
}

/** Repeats a function `ms` after its last run, while the page is visible. */
function useEvery(ms: number, isDue: boolean, act: () => void): void {
  useEffect(() => {
    if (!isDue) return;
    const timer = setInterval(() => {
      if (!document.hidden) act();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, isDue, act]);
}

/** Number of events newer than the newest one at first. */
function useFresh(events: readonly Event[] | undefined, question: string): number {
  const first = useRef<{ question: string; newest: string } | undefined>(undefined);
  if (events !== undefined && first.current?.question !== question)
    first.current = { question, newest: events[0]?.eventId ?? "" };
  const { newest = "" } = first.current ?? {};
  return events?.filter(({ eventId }) => eventId > newest).length ?? 0;
}
