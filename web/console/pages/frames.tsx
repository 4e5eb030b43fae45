import { useRef, useState } from "preact/hooks";
import type { FrameConfiguration } from "../../../src/gen/aisle/v1/frame_configuration_pb.js";
import { useSurroundings } from "../context.js";
import { type FrameEdits, useFrames } from "../frame-edits.js";
import { newFrame } from "../frame-fields.js";
import { FrameForm } from "../frame-form.js";
import { pagesOf } from "../pages-of.js";
import { ConfirmButton, ErrorNote, Status, Table, Time } from "../parts.js";
import { withPinsOf } from "../pins.js";
import { ProductChoice, type Shelf, useShelf } from "../products.js";
import { BothLists } from "../reasoned-list.js";
import { useAction, useLoad, useSettled } from "../use-load.js";

const NEW = newFrame();

/** Frames of an app: choose, edit, preview and restore one. `frame` is chosen first. */
export function FramesPage({ appId, frame }: { readonly appId: string; readonly frame: string | undefined }) {
  const { clients } = useSurroundings();
  const shelf = useShelf(appId);
  const [frameId, setFrameId] = useState(frame ?? "default");
  const [said, setSaid] = useState("");
  const frames = useFrames(appId);
  const isNew = frameId === "";
  const saved = isNew ? NEW : frames.value?.find((frame) => frame.frameId === frameId);
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
        <FrameEditor
          key={frameId}
          appId={appId}
          saved={saved}
          isNew={isNew}
          shelf={shelf.value}
          onSaved={took}
          onDelete={remove.isRunning ? undefined : () => remove.run()}
        />
      )}
    </>
  );
}

/** One frame: what is typed is previewed, and stored with Save. */
function FrameEditor(props: {
  readonly appId: string;
  readonly saved: FrameConfiguration;
  readonly isNew: boolean;
  readonly shelf: Shelf;
  readonly onSaved: (frame: FrameConfiguration | undefined) => void;
  /** Undefined while it is deleted. */
  readonly onDelete: (() => void) | undefined;
}) {
  const { appId, saved, isNew, shelf, onSaved, onDelete } = props;
  const { frameId, version } = saved;
  const [draft, setDraft] = useState(saved);
  const begun = useRef(saved);
  if (begun.current.version !== version) {
    begun.current = saved;
    setDraft(saved);
  }
  return (
    <>
      <section class="card" aria-labelledby="frame-heading">
        <div class="row between">
          <h2 id="frame-heading">{isNew ? "New frame" : version === 0 ? frameId : `${frameId}, version ${version}`}</h2>
          {!isNew && version > 0 && (
            <ConfirmButton
              label="Delete"
              question={frameId === "default" ? "Restore its initial settings?" : "Delete this frame?"}
              disabled={onDelete === undefined}
              onConfirm={() => onDelete?.()}
            />
          )}
        </div>
        <FrameForm
          key={version}
          appId={appId}
          frame={draft}
          etag={begun.current.etag}
          isNew={isNew}
          shelf={shelf}
          onChange={setDraft}
          onSaved={onSaved}
        />
      </section>
      <Preview appId={appId} draft={draft} isChanged={draft !== begun.current} shelf={shelf} onChange={setDraft} />
      {!isNew && <History key={version} appId={appId} saved={saved} onSaved={onSaved} />}
    </>
  );
}

/** What the frame would show beside a product, as it is typed. Pins and bans chosen here are typed, too. */
function Preview(props: {
  readonly appId: string;
  readonly draft: FrameConfiguration;
  readonly isChanged: boolean;
  readonly shelf: Shelf;
  readonly onChange: (draft: FrameConfiguration) => void;
}) {
  const { appId, draft, isChanged, shelf, onChange } = props;
  const { clients } = useSurroundings();
  const [current, setCurrent] = useState<readonly string[]>(
    shelf.products.slice(0, 1).map(({ productId }) => productId),
  );
  const [done, setDone] = useState<{ readonly said: string; readonly before: FrameConfiguration }>();
  const settled = useSettled(draft, 250);
  const answer = useLoad(
    (signal) => {
      const frameConfiguration = { ...settled, frameId: settled.frameId || "new" };
      const request = { appId, frameId: frameConfiguration.frameId, currentProductIds: [...current] };
      return clients.recommendations.explainRecommendation({ request, frameConfiguration }, { signal });
    },
    [appId, settled, current],
  );
  const edits: FrameEdits = {
    frames: [draft],
    current: draft.frameId,
    isRunning: false,
    error: undefined,
    said: done === undefined || !isChanged ? "" : `${done.said}, once the frame is saved.`,
    undo: done && isChanged ? () => onChange(withPinsOf(draft, done.before)) : undefined,
    revision: 0,
    change: ({ said, of }) => {
      setDone({ said, before: draft });
      onChange(of(draft));
    },
  };
  return (
    <>
      <section class="card" aria-labelledby="preview">
        <h2 id="preview">Preview</h2>
        <ProductChoice
          id="beside"
          label={isChanged ? "As typed, not saved yet, on the page of" : "As saved, on the page of"}
          single
          shelf={shelf}
          chosen={current}
          onChange={setCurrent}
        />
        <ErrorNote error={answer.error} />
      </section>
      {answer.value && <BothLists answer={answer.value} shelf={shelf} edits={edits} />}
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
