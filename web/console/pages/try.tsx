import { useState } from "preact/hooks";
import { useSurroundings } from "../context.js";
import { useFrameEdits, useFrames } from "../frame-edits.js";
import { interactionsOf, type TriedHistory } from "../history.js";
import { Empty, ErrorNote, Field, Status } from "../parts.js";
import { ProductChoice, type Shelf, useShelf } from "../products.js";
import { BothLists } from "../reasoned-list.js";
import { useLoad, useSettled } from "../use-load.js";

interface Situation extends TriedHistory {
  readonly current: readonly string[];
  readonly fingerprintId: string;
  readonly frameId: string;
}

const NOBODY: Situation = { viewed: [], inCart: [], ordered: [], current: [], fingerprintId: "", frameId: "" };

/** Recommendations for an entered history, with reasons. Asking records nothing. */
export function TryPage({ appId }: { readonly appId: string }) {
  const shelf = useShelf(appId);
  return (
    <>
      <p class="lead">Enter what a visitor did, and see both lists with reasons. Nothing is recorded.</p>
      <ErrorNote error={shelf.error} />
      <Status>{shelf.isLoading ? "Loading the catalogue …" : ""}</Status>
      {shelf.value?.products.length === 0 && (
        <Empty>The catalogue is empty: import a feed, call UpsertProducts, or let events add products.</Empty>
      )}
      {shelf.value && <Trial key={appId} appId={appId} shelf={shelf.value} />}
    </>
  );
}

function Trial({ appId, shelf }: { readonly appId: string; readonly shelf: Shelf }) {
  const { clients, now } = useSurroundings();
  const first = shelf.products[0]?.productId;
  const [situation, setSituation] = useState<Situation>({ ...NOBODY, current: first === undefined ? [] : [first] });
  const change = (part: Partial<Situation>) => setSituation((before) => ({ ...before, ...part }));
  const frames = useFrames(appId);
  const edits = useFrameEdits(appId, frames, situation.frameId || "default");
  const settled = useSettled(situation, 250);
  const answer = useLoad(
    (signal) =>
      clients.recommendations.explainRecommendation(
        {
          request: {
            appId,
            visitor: { fingerprintId: settled.fingerprintId },
            interactions: interactionsOf(settled, now()),
            currentProductIds: [...settled.current],
            frameId: settled.frameId,
          },
        },
        { signal },
      ),
    [appId, settled, edits.revision],
  );
  const response = answer.value?.response;
  return (
    <div class="split">
      <section class="card" aria-labelledby="visitor">
        <div class="row between">
          <h2 id="visitor">The visitor</h2>
          <button type="button" class="small" onClick={() => setSituation(NOBODY)}>
            Clear
          </button>
        </div>
        <ProductChoice
          id="current"
          label="Current product"
          single
          shelf={shelf}
          chosen={situation.current}
          onChange={(current) => change({ current })}
        />
        <ProductChoice
          id="viewed"
          label="Viewed before"
          shelf={shelf}
          chosen={situation.viewed}
          onChange={(viewed) => change({ viewed })}
        />
        <ProductChoice
          id="in-cart"
          label="In the cart"
          shelf={shelf}
          chosen={situation.inCart}
          onChange={(inCart) => change({ inCart })}
        />
        <ProductChoice
          id="ordered"
          label="Bought yesterday"
          shelf={shelf}
          chosen={situation.ordered}
          onChange={(ordered) => change({ ordered })}
        />
        <Field id="fingerprint" label="Known as" hint="fp_ccid: adds this visitor's stored history.">
          {(attributes) => (
            <input
              {...attributes}
              value={situation.fingerprintId}
              onInput={(event) => change({ fingerprintId: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field id="frame" label="Frame" hint="The place in the shop's pages.">
          {(attributes) => (
            <select
              {...attributes}
              value={situation.frameId}
              onChange={(event) => change({ frameId: event.currentTarget.value })}
            >
              <option value="">default</option>
              {frames.value
                ?.filter(({ frameId }) => frameId !== "default")
                .map(({ frameId, title }) => (
                  <option key={frameId} value={frameId}>
                    {title === "" ? frameId : `${frameId} – ${title}`}
                  </option>
                ))}
            </select>
          )}
        </Field>
      </section>
      <div>
        <ErrorNote error={answer.error} />
        <Status>
          {answer.isLoading || response === undefined
            ? "Asking …"
            : `${response.recommended.length} recommended, ${response.alternative.length} alternatives; version ${response.version}` +
              `${response.variant === "" ? "" : `, variant ${response.variant}`}`}
        </Status>
        {answer.value && <BothLists answer={answer.value} shelf={shelf} edits={edits} />}
      </div>
    </div>
  );
}
