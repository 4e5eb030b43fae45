import { useState } from "preact/hooks";
import type { FrameReport, FrameResults } from "../../../src/gen/aisle/v1/frame_report_pb.js";
import { useSurroundings } from "../context.js";
import { Empty, ErrorNote, Status, Table } from "../parts.js";
import { rateText, salesTexts } from "../result-words.js";
import { hashOf } from "../route.js";
import { useLoad } from "../use-load.js";

const PERIODS = [
  { days: 7, label: "7 days" },
  { days: 28, label: "28 days" },
  { days: 0, label: "All" },
] as const;
const DAY_MS = 86_400_000;

/** What came of frames: visitors, clicks, orders and revenue, by frame, day and variant. */
export function ResultsPage({ appId }: { readonly appId: string }) {
  const { clients, now } = useSurroundings();
  const [days, setDays] = useState<number>(28);
  const [frameId, setFrameId] = useState("");
  const report = useLoad(
    async (signal) => {
      const fromDay = days === 0 ? "" : new Date(now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return (await clients.apps.getFrameReport({ appId, fromDay }, { signal })).frames;
    },
    [appId, days],
  );
  const frames = report.value ?? [];
  const chosen = frames.find((frame) => frame.frameId === frameId) ?? mostSeen(frames);
  return (
    <>
      <ErrorNote error={report.error} />
      <Status>{report.value === undefined && report.error === undefined ? "Loading …" : ""}</Status>
      <ul class="choices" aria-label="Period">
        {PERIODS.map((period) => (
          <li key={period.days}>
            <button type="button" aria-pressed={period.days === days} onClick={() => setDays(period.days)}>
              {period.label}
            </button>
          </li>
        ))}
      </ul>
      {chosen === undefined && report.value !== undefined && (
        <Empty>No visitor with an id has been shown a frame yet. Results appear seconds after the first.</Empty>
      )}
      {chosen && (
        <>
          <section class="card" aria-labelledby="by-frame">
            <h2 id="by-frame">By frame</h2>
            <ResultsTable
              label="Results by frame"
              first="Frame"
              rows={frames.map((frame) => ({
                name: frame.frameId,
                results: frame.total,
                onChoose: () => setFrameId(frame.frameId),
                isChosen: frame === chosen,
              }))}
            />
          </section>
          {chosen.variants.length > 0 && (
            <p class="note">
              Visitors of {chosen.frameId} see or saw several lists:{" "}
              <a href={hashOf({ appId, page: "experiments" })}>Experiments</a> compares them.
            </p>
          )}
          <section class="card" aria-labelledby="by-day">
            <h2 id="by-day">{chosen.frameId} by day</h2>
            <ResultsTable
              label={`Results of ${chosen.frameId} by day, newest first`}
              first="Day (UTC)"
              rows={chosen.days.map(({ day, results }) => ({ name: day, results })).reverse()}
            />
          </section>
          <p class="status">
            Each visitor counts once, on the day when they first saw the frame, clicks and orders with them. Rates are
            shares of visitors, with intervals of 95 % (Wilson). An order counts once for each frame that was seen in
            the 7 days before it, with the newest amount that the shop sent: a refund lowers the revenue, and a
            cancelled order is left out.
          </p>
        </>
      )}
    </>
  );
}

function mostSeen(frames: readonly FrameReport[]): FrameReport | undefined {
  const seen = (frame: FrameReport) => frame.total?.visitorCount ?? 0;
  const [first] = [...frames].sort((a, b) => seen(b) - seen(a) || b.variants.length - a.variants.length);
  return first !== undefined && seen(first) > 0 ? first : undefined;
}

interface Row {
  readonly name: string;
  readonly results: FrameResults | undefined;
  readonly onChoose?: () => void;
  readonly isChosen?: boolean;
}

function ResultsTable(props: { readonly label: string; readonly first: string; readonly rows: readonly Row[] }) {
  const { label, first, rows } = props;
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" class="number">
            Visitors
          </th>
          <th scope="col">Clicked</th>
          <th scope="col">Ordered</th>
          <th scope="col">After a click</th>
          <th scope="col">Other orders</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, results, onChoose, isChosen }) => (
          <tr key={name}>
            <th scope="row">
              {onChoose === undefined ? (
                name
              ) : (
                <button
                  type="button"
                  class={isChosen === true ? "small primary" : "small"}
                  aria-pressed={isChosen === true}
                  onClick={onChoose}
                >
                  {name}
                </button>
              )}
            </th>
            <td class="number">{(results?.visitorCount ?? 0).toLocaleString()}</td>
            <td class="nowrap">{rateText(results?.clickRate)}</td>
            <td class="nowrap">{rateText(results?.orderRate)}</td>
            <td>
              <Lines texts={salesTexts(results?.salesAfterClick ?? [])} />
            </td>
            <td>
              <Lines texts={salesTexts(results?.salesWithoutClick ?? [])} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Lines({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return <>–</>;
  return (
    <>
      {texts.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </>
  );
}
