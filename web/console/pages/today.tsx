import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { FrameReport } from "../../../src/gen/aisle/v1/frame_report_pb.js";
import { useSurroundings } from "../context.js";
import { pagesOf } from "../pages-of.js";
import { Empty, ErrorNote, Status, Table } from "../parts.js";
import { rateText, salesTexts } from "../result-words.js";
import { days, nextStep, type Standing, todaysEvents, warnings } from "../today.js";
import { useLoad } from "../use-load.js";

/** Events that are read for the figures of the day. */
const MOST_EVENTS = 2000;

/** What happened today, what is wrong, and the next step of a shop that is being set up. */
export function TodayPage({ appId }: { readonly appId: string }) {
  const { clients, now } = useSurroundings();
  const today = new Date(now()).toISOString().slice(0, 10);
  const loaded = useLoad(
    async (signal) => {
      const call = { signal };
      const { apps, catalog, events, models } = clients;
      const [newest, reports, everything, products, unknown, rejected, stored] = await Promise.all([
        pagesOf(async (pageToken) => {
          const page = await events.listEvents({ appId, pageSize: 500, newestFirst: true, pageToken }, call);
          return { items: page.events, nextPageToken: page.nextPageToken };
        }, MOST_EVENTS),
        apps.getFrameReport({ appId, fromDay: today }, call),
        apps.getFrameReport({ appId }, call),
        catalog.listProducts({ appId, pageSize: 1 }, call),
        catalog.listUnknownProducts({ appId, pageSize: 1 }, call),
        events.listRejectedEvents({ appId, pageSize: 1 }, call),
        models.listModels({ appId }, call),
      ]);
      const standing: Standing = {
        appId,
        hasProducts: products.products.length > 0,
        lastEventAt: msOf(newest[0]?.receiveTime),
        modelMadeAt: msOf(stored.models.find(({ active }) => active)?.createTime),
        hasResults: everything.frames.some(({ total }) => (total?.visitorCount ?? 0) > 0),
        lastRejectedAt: msOf(rejected.rejectedEvents[0]?.rejectTime),
        unknownEvents: unknown.unknownEventCount,
      };
      return {
        events: todaysEvents(newest, now()),
        isCut: newest.length === MOST_EVENTS,
        frames: reports.frames,
        standing,
      };
    },
    [appId, today],
  );
  const { value } = loaded;
  return (
    <>
      <ErrorNote error={loaded.error} />
      <Status>{value === undefined && loaded.error === undefined ? "Loading …" : ""}</Status>
      {value && (
        <>
          <Advice standing={value.standing} now={now()} />
          <section class="card" aria-labelledby="so-far">
            <h2 id="so-far">{today} so far (UTC)</h2>
            <Table label="Figures of the day">
              <tbody>
                <Figure name="Events" text={value.events.total.toLocaleString()} />
                <Figure name="Product views" text={value.events.views.toLocaleString()} />
                <Figure name="Orders" text={value.events.orders.toLocaleString()} />
                <Figure name="Age of the model" text={ageText(value.standing.modelMadeAt, now())} />
              </tbody>
            </Table>
            <p class="status">
              Without robots and cancelled orders
              {value.isCut && `, among the newest ${MOST_EVENTS.toLocaleString()} events`}.
            </p>
          </section>
          <ByFrame frames={value.frames} />
          <section class="card" aria-labelledby="top">
            <h2 id="top">Viewed most today</h2>
            {value.events.top.length === 0 && <Empty>No product was viewed today.</Empty>}
            <ol>
              {value.events.top.map(({ productId, title, views }) => (
                <li key={productId}>
                  {title || productId}: {views.toLocaleString()} {views === 1 ? "view" : "views"}
                </li>
              ))}
            </ol>
          </section>
        </>
      )}
    </>
  );
}

function Advice({ standing, now }: { readonly standing: Standing; readonly now: number }) {
  const next = nextStep(standing);
  return (
    <>
      {next !== undefined && (
        <p class="note">
          <strong>Next:</strong> {next}
        </p>
      )}
      {warnings(standing, now).map((text) => (
        <p key={text} class="note error">
          {text}
        </p>
      ))}
    </>
  );
}

function ByFrame({ frames }: { readonly frames: readonly FrameReport[] }) {
  const seen = frames.filter(({ total }) => (total?.visitorCount ?? 0) > 0);
  return (
    <section class="card" aria-labelledby="by-frame">
      <h2 id="by-frame">By frame</h2>
      {seen.length === 0 ? (
        <Empty>No visitor with an id has met a frame for the first time today.</Empty>
      ) : (
        <Table label="Results of today by frame">
          <thead>
            <tr>
              <th scope="col">Frame</th>
              <th scope="col" class="number">
                Visitors
              </th>
              <th scope="col">Clicked</th>
              <th scope="col">Orders after a click</th>
            </tr>
          </thead>
          <tbody>
            {seen.map(({ frameId, total }) => (
              <tr key={frameId}>
                <th scope="row">{frameId}</th>
                <td class="number">{(total?.visitorCount ?? 0).toLocaleString()}</td>
                <td class="nowrap">{rateText(total?.clickRate)}</td>
                <td>{salesTexts(total?.salesAfterClick ?? []).join("; ") || "–"}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function Figure({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{text}</td>
    </tr>
  );
}

function ageText(madeAt: number | undefined, now: number): string {
  return madeAt === undefined ? "no model" : days(Math.max(0, now - madeAt));
}

function msOf(at: Timestamp | undefined): number | undefined {
  return at === undefined ? undefined : timestampMs(at);
}
