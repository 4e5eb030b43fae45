import { create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { EventSchema } from "../../../src/gen/aisle/v1/event_pb.js";
import type { ReplayRejectedEventsResponse } from "../../../src/gen/aisle/v1/event_service_pb.js";
import type { RejectedEvent } from "../../../src/gen/aisle/v1/rejected_event_pb.js";
import { useSurroundings } from "../context.js";
import { personOf, subjectOf } from "../event-words.js";
import { pagesOf } from "../pages-of.js";
import { Empty, ErrorNote, Field, Status, Time } from "../parts.js";
import { useAction, useLoad } from "../use-load.js";

const MOST = 200;

/** Rejected events with the reason, to be replayed as they were sent or corrected. */
export function RejectedPage({ appId }: { readonly appId: string }) {
  const { clients } = useSurroundings();
  const [outcome, setOutcome] = useState("");
  const list = useLoad(
    (signal) =>
      pagesOf(async (pageToken) => {
        const page = await clients.events.listRejectedEvents({ appId, pageSize: MOST, pageToken }, { signal });
        return { items: page.rejectedEvents, nextPageToken: page.nextPageToken };
      }, MOST),
    [appId],
  );
  const replay = useAction(async (id: string, corrected: string | undefined) => {
    const correctedEvent = corrected === undefined ? {} : { correctedEvent: fromJsonString(EventSchema, corrected) };
    const rejectedEventIds = id === "" ? [] : [id];
    setOutcome(outcomeText(await clients.events.replayRejectedEvents({ appId, rejectedEventIds, ...correctedEvent })));
    list.again();
  });
  const waiting = list.value?.filter(({ replayedEventId }) => replayedEventId === "") ?? [];
  return (
    <>
      <p class="lead">
        Invalid events (400 and 422), newest first. A replay records an event once, with the time of its rejection.
      </p>
      <div class="row">
        <button
          type="button"
          disabled={waiting.length === 0 || replay.isRunning}
          onClick={() => replay.run("", undefined)}
        >
          Replay all
        </button>
        <button type="button" onClick={list.again}>
          Refresh
        </button>
      </div>
      <ErrorNote error={list.error ?? replay.error} />
      <Status>{list.value === undefined ? "Loading …" : replay.isRunning ? "Replaying …" : outcome}</Status>
      {list.value?.length === 0 && <Empty>No rejected events.</Empty>}
      <ul class="log card" hidden={!list.value?.length}>
        {list.value?.map((rejected) => (
          <RejectedRow
            key={rejected.rejectedEventId}
            rejected={rejected}
            isBusy={replay.isRunning}
            onReplay={replay.run}
          />
        ))}
      </ul>
    </>
  );
}

function RejectedRow(props: {
  readonly rejected: RejectedEvent;
  readonly isBusy: boolean;
  readonly onReplay: (id: string, corrected: string | undefined) => void;
}) {
  const { rejected, isBusy, onReplay } = props;
  const { rejectedEventId: id, event = create(EventSchema) } = rejected;
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState("");
  const isReplayed = rejected.replayedEventId !== "";
  const sent = () => toJsonString(EventSchema, event, { prettySpaces: 2 });
  return (
    <li>
      <details
        onToggle={(toggled) => {
          setIsOpen(toggled.currentTarget.open);
          setText(sent());
        }}
      >
        <summary>
          <span class="muted">
            <Time at={rejected.rejectTime} />
          </span>
          <span class="tag">{event.actionType || (isReplayed ? "replayed" : "–")}</span>
          <span>
            {isReplayed ? `Recorded as ${rejected.replayedEventId}` : `${rejected.field}: ${rejected.reason}`}
          </span>
          <span class="muted">{[subjectOf(event), personOf(event)].filter((part) => part !== "").join(" · ")}</span>
        </summary>
        {isOpen && !isReplayed && (
          <>
            <Field id={`event-${id}`} label="The event as it was sent" hint="Correct it here, then replay it.">
              {(attributes) => (
                <textarea
                  {...attributes}
                  class="code"
                  rows={12}
                  spellcheck={false}
                  value={text}
                  onInput={(typed) => setText(typed.currentTarget.value)}
                />
              )}
            </Field>
            <button
              type="button"
              class="primary"
              disabled={isBusy}
              onClick={() => onReplay(id, text === sent() ? undefined : text)}
            >
              Replay
            </button>
          </>
        )}
      </details>
    </li>
  );
}

function outcomeText({ replayed, refused }: ReplayRejectedEventsResponse): string {
  const reasons = refused.slice(0, 3).map(({ field, reason }) => `${field}: ${reason}`);
  return [`${replayed.length} recorded, ${refused.length} rejected again`, ...reasons].join("; ");
}
