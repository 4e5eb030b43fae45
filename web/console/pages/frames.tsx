import { useState } from "preact/hooks";
import type { FrameConfiguration } from "../../../src/gen/aisle/v1/frame_configuration_pb.js";
import { useSurroundings } from "../context.js";
import { newFrame } from "../frame-fields.js";
import { FrameForm } from "../frame-form.js";
import { pagesOf } from "../pages-of.js";
import { ConfirmButton, ErrorNote, Status, Table, Time } from "../parts.js";
import { ProductChoice, type Shelf, useShelf } from "../products.js";
import { BothLists } from "../reasoned-list.js";
import { useAction, useLoad } from "../use-load.js";

/** Frames of an app: choose, edit, preview and restore one. `frame` is chosen first. */
export function FramesPage({ appId, frame }: { readonly appId: string; readonly frame: string | undefined }) {
  const { clients } = useSurroundings();
  const shelf = useShelf(appId);
  const [frameId, setFrameId] = useState(frame ?? "default");
  const [said, setSaid] = useState("");
  const frames = useLoad(
    (signal) =>
      pagesOf(async (pageToken) => {
        const page = await clients.apps.listFrameConfigurations({ appId, pageSize: 1000, pageToken }, { signal });
        return { items: page.frameConfigurations, nextPageToken: page.nextPageToken };
      }),
    [appId],
  );
  const isNew = frameId === "";
  const saved = isNew ? newFrame() : frames.value?.find((frame) => frame.frameId === frameId);
  const took = (frame: FrameConfiguration | undefined) => {
    setSaid(`${frame?.frameId} is saved as version ${frame?.version}.`);
    setFrameId(frame?.frameId ?? "default");
    frames.again();
  };
  const remove = useAction(async () => {
    await clients.apps.deleteFrameConfiguration({ appId, frameId });
    setSaid(
      frameId === "default" ? "default has its initial settings again." : `${frameId} is deleted; its versions stay.`,
    );
    setFrameId("default");
    frames.again();
  });
  return (
    <>
      <ErrorNote error={frames.error ?? shelf.error ?? remove.error} />
      <Status>{saved === undefined ? "Loading …" : said}</Status>
      <ul class="choices" aria-label="Frames">
        {[...(frames.value ?? []), undefined].map((frame) => (
          <li key={frame?.frameId ?? ""}>
            <button
              type="button"
              aria-pressed={(frame?.frameId ?? "") === frameId}
              onClick={() => {
                setSaid("");
                setFrameId(frame?.frameId ?? "");
              }}
            >
              {frame?.frameId ?? "New frame"}
            </button>
          </li>
        ))}
      </ul>
      {saved && shelf.value && (
        <>
          <section class="card" aria-labelledby="frame-heading">
            <div class="row between">
              <h2 id="frame-heading">
                {isNew ? "New frame" : saved.version === 0 ? frameId : `${frameId}, version ${saved.version}`}
              </h2>
              {!isNew && saved.version > 0 && (
                <ConfirmButton
                  label="Delete"
                  question={frameId === "default" ? "Restore its initial settings?" : "Delete this frame?"}
                  disabled={remove.isRunning}
                  onConfirm={() => remove.run()}
                />
              )}
            </div>
            <FrameForm
              key={`${frameId} ${saved.version}`}
              appId={appId}
              saved={saved}
              isNew={isNew}
              shelf={shelf.value}
              onSaved={took}
            />
          </section>
          {!isNew && (
            <>
              <Preview key={`preview ${frameId}`} appId={appId} saved={saved} shelf={shelf.value} />
              <History key={`history ${frameId} ${saved.version}`} appId={appId} saved={saved} onSaved={took} />
            </>
          )}
        </>
      )}
    </>
  );
}

/** A preview of the saved frame for a product. */
function Preview(props: { readonly appId: string; readonly saved: FrameConfiguration; readonly shelf: Shelf }) {
  const { appId, saved, shelf } = props;
  const { clients } = useSurroundings();
  const [current, setCurrent] = useState<readonly string[]>(
    shelf.products.slice(0, 1).map(({ productId }) => productId),
  );
  const { frameId, version } = saved;
  const answer = useLoad(
    (signal) =>
      clients.recommendations.explainRecommendation(
        { request: { appId, frameId, currentProductIds: [...current] } },
        { signal },
      ),
    [appId, frameId, version, current],
  );
  return (
    <>
      <section class="card" aria-labelledby="preview">
        <h2 id="preview">Preview</h2>
        <ProductChoice
          id="beside"
          label="As saved, on the page of"
          single
          shelf={shelf}
          chosen={current}
          onChange={setCurrent}
        />
        <ErrorNote error={answer.error} />
      </section>
      {answer.value && <BothLists answer={answer.value} shelf={shelf} />}
    </>
  );
}

/** The versions of the frame, each with a button to restore it. */
function History(props: {
  readonly appId: string;
  readonly saved: FrameConfiguration;
  readonly onSaved: (frame: FrameConfiguration | undefined) => void;
}) {
  const { appId, saved, onSaved } = props;
  const { clients } = useSurroundings();
  const versions = useLoad(
    async (signal) => {
      if (saved.version === 0) return [];
      return pagesOf(async (pageToken) => {
        const request = { appId, frameId: saved.frameId, pageToken };
        const page = await clients.apps.listFrameVersions(request, { signal });
        return { items: page.versions, nextPageToken: page.nextPageToken };
      });
    },
    [appId],
  );
  const bringBack = useAction(async (frame: FrameConfiguration) => {
    const request = { appId, frameConfiguration: frame, etag: saved.etag };
    onSaved((await clients.apps.setFrameConfiguration(request)).frameConfiguration);
  });
  if (!versions.value?.length) return null;
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ErrorNote error={versions.error ?? bringBack.error} />
      <Table label="Versions of the frame">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Written</th>
            <th scope="col">Lists</th>
            <th scope="col">Back</th>
          </tr>
        </thead>
        <tbody>
          {versions.value.flatMap(({ frameConfiguration: frame, deleted }) => {
            if (frame === undefined) return [];
            const isNow = frame.version === saved.version;
            return (
              <tr key={frame.version}>
                <th scope="row">{frame.version}</th>
                <td class="time">
                  <Time at={frame.updateTime} />
                </td>
                <td>{deleted ? "deleted" : `${frame.recommendedCount} + ${frame.alternativeCount} ${frame.title}`}</td>
                <td>
                  {isNow ? (
                    <span class="tag good">now</span>
                  ) : (
                    <ConfirmButton
                      label={`Restore ${frame.version}`}
                      question="Make it a new version?"
                      disabled={bringBack.isRunning}
                      onConfirm={() => bringBack.run(frame)}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </section>
  );
}
