/** Pinning and banning a product wherever it is shown. */
import { useState } from "preact/hooks";
import type { FrameEdits } from "./frame-edits.js";
import { ErrorNote, Status } from "./parts.js";
import { decisionsAbout, released, withBan, withPin } from "./pins.js";

/** What was done last, with a button that undoes it. */
export function EditStatus({ edits }: { readonly edits: FrameEdits }) {
  return (
    <div class="edit-status">
      <ErrorNote error={edits.error} />
      <Status>
        {edits.said}{" "}
        {edits.undo && (
          <button type="button" class="small" disabled={edits.isRunning} onClick={edits.undo}>
            Undo
          </button>
        )}
      </Status>
    </div>
  );
}

/** Where a product is pinned and banned, and the choice to do so. */
export function PinAndBan(props: { readonly productId: string; readonly title: string; readonly edits: FrameEdits }) {
  const { productId, title, edits } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Decisions {...props} />
      <details class="decide" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          Pin or ban<span class="hidden"> {title}</span>
        </summary>
        {isOpen && <Choice productId={productId} title={title} edits={edits} onDone={() => setIsOpen(false)} />}
      </details>
    </>
  );
}

function Decisions({ productId, title, edits }: Parameters<typeof PinAndBan>[0]) {
  const decisions = decisionsAbout(edits.frames, productId);
  if (decisions.length === 0) return null;
  return (
    <ul class="chips">
      {decisions.map(({ frameId, text }) => (
        <li key={frameId}>
          {text}
          <button
            type="button"
            aria-label={`${title}: no longer ${text}`}
            disabled={edits.isRunning}
            onClick={() =>
              edits.change({ said: `${title} is no longer ${text}`, of: (frame) => released(frame, productId) }, [
                frameId,
              ])
            }
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function Choice(props: Parameters<typeof PinAndBan>[0] & { readonly onDone: () => void }) {
  const { productId, title, edits, onDone } = props;
  const { frames } = edits;
  const [chosen, setChosen] = useState("");
  const frameId = [chosen, edits.current].find((id) => frames.some((frame) => frame.frameId === id)) ?? "default";
  const pinned = frames.find((frame) => frame.frameId === frameId)?.pinnedProductIds ?? [];
  const places = pinned.includes(productId) ? pinned.length : pinned.length + 1;
  const [place, setPlace] = useState(0);
  const at = Math.min(place, places - 1);
  const change = (...args: Parameters<FrameEdits["change"]>) => {
    onDone();
    edits.change(...args);
  };
  const ban = (frameIds: readonly string[], where: string) =>
    change({ said: `${title} is banned in ${where}`, of: (frame) => withBan(frame, productId) }, frameIds);
  return (
    <fieldset class="decision" disabled={edits.isRunning}>
      <legend class="hidden">Pin or ban {title}</legend>
      <label>
        Frame{" "}
        <select value={frameId} onChange={(event) => setChosen(event.currentTarget.value)}>
          {frames.map((frame) => (
            <option key={frame.frameId} value={frame.frameId}>
              {frame.title === "" ? frame.frameId : `${frame.frameId} – ${frame.title}`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Place{" "}
        <select value={String(at)} onChange={(event) => setPlace(Number(event.currentTarget.value))}>
          {Array.from({ length: places }, (_, index) => (
            <option key={index} value={String(index)}>
              {index + 1}
            </option>
          ))}
        </select>
      </label>
      <div class="row">
        <button
          type="button"
          class="small primary"
          onClick={() =>
            change(
              {
                said: `${title} is pinned in ${frameId}, place ${at + 1}`,
                of: (frame) => withPin(frame, productId, at),
              },
              [frameId],
            )
          }
        >
          Pin
        </button>
        <button type="button" class="small" onClick={() => ban([frameId], frameId)}>
          Ban in {frameId}
        </button>
        {frames.length > 1 && (
          <button
            type="button"
            class="small"
            onClick={() =>
              ban(
                frames.map((frame) => frame.frameId),
                "all frames",
              )
            }
          >
            Ban in all frames
          </button>
        )}
      </div>
    </fieldset>
  );
}
