import { useState } from "preact/hooks";
import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { useSurroundings } from "./context.js";
import { daysOf, durationOfDays } from "./days.js";
import { fieldFaults } from "./errors.js";
import { faultOf, PAGE_KINDS, SOURCES, weightOf, withWeight } from "./frame-fields.js";
import { ReadyListFields } from "./frame-list-fields.js";
import { ErrorNote, Field } from "./parts.js";
import { ProductChoice, type Shelf } from "./products.js";
import { SOURCE_NAMES } from "./reasons.js";
import { useAction } from "./use-load.js";

type Change = (part: Partial<FrameConfiguration>) => void;

/** A form for a frame. Settings that it does not show (variants, filter, rules) do not change. */
export function FrameForm(props: {
  readonly appId: string;
  readonly saved: FrameConfiguration;
  readonly isNew: boolean;
  readonly shelf: Shelf;
  readonly onSaved: (frame: FrameConfiguration | undefined) => void;
}) {
  const { appId, saved, isNew, shelf, onSaved } = props;
  const { clients } = useSurroundings();
  const [frame, setFrame] = useState(saved);
  const change: Change = (part) => setFrame((before) => ({ ...before, ...part }));
  const save = useAction(async () => {
    const request = { appId, frameConfiguration: frame, etag: saved.etag };
    onSaved((await clients.apps.setFrameConfiguration(request)).frameConfiguration);
  });
  const faults = fieldFaults(save.error);
  const kept = [
    frame.variants.length > 0 && `${frame.variants.length} variants`,
    frame.filter !== undefined && "a filter",
    frame.rules !== undefined && "rules",
  ].filter((text) => text !== false);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.run();
      }}
    >
      <div class="fields">
        {isNew && (
          <Field id="frame-id" label="Id" hint="Its name in the shop's pages." fault={faultOf(faults, "frame_id")}>
            {(attributes) => (
              <input
                {...attributes}
                value={frame.frameId}
                onInput={(event) => change({ frameId: event.currentTarget.value })}
              />
            )}
          </Field>
        )}
        <Field id="title" label="Title" hint="Display name." fault={faultOf(faults, "title")}>
          {(attributes) => (
            <input
              {...attributes}
              value={frame.title}
              onInput={(event) => change({ title: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field
          id="page-kind"
          label="Page type"
          hint="Decides what comes first while no source has a weight."
          fault={faultOf(faults, "page_kind")}
        >
          {(attributes) => (
            <select
              {...attributes}
              value={String(frame.pageKind)}
              onChange={(event) => change({ pageKind: Number(event.currentTarget.value) })}
            >
              {PAGE_KINDS.map(([kind, name]) => (
                <option key={kind} value={String(kind)}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label="Recommended"
          field="recommended_count"
          hint="Maximum products, 0 to 100."
          value={frame.recommendedCount}
          faults={faults}
          onChange={(recommendedCount) => change({ recommendedCount: whole(recommendedCount) })}
        />
        <NumberField
          label="Alternative"
          field="alternative_count"
          hint="Maximum products, 0 to 100."
          value={frame.alternativeCount}
          faults={faults}
          onChange={(alternativeCount) => change({ alternativeCount: whole(alternativeCount) })}
        />
        <ReadyListFields
          list={frame.readyList}
          faults={faults}
          onChange={(readyList) => setFrame(({ readyList: _, ...rest }) => (readyList ? { ...rest, readyList } : rest))}
        />
        <NumberField
          label="Diversity"
          field="diversity"
          hint="0 (by score) to 1 (unlike each other)."
          step="0.1"
          value={frame.diversity}
          faults={faults}
          onChange={(diversity) => change({ diversity })}
        />
        <NumberField
          label="Show again after purchase (days)"
          field="rebuy_delay"
          hint="0: never."
          value={daysOf(frame.rebuyDelay) ?? 0}
          faults={faults}
          onChange={(days) => change({ rebuyDelay: durationOfDays(whole(days)) })}
        />
        <NumberField
          label="Exploration"
          field="exploration"
          hint="Share of the places for products of which little is known, 0 to 0.2."
          step="0.05"
          value={frame.exploration}
          faults={faults}
          onChange={(exploration) => change({ exploration })}
        />
        {frame.rotation !== false && <RotationFields frame={frame} faults={faults} change={change} />}
      </div>
      <Switches frame={frame} change={change} />
      <fieldset>
        <legend>Weights of the sources</legend>
        <div class="fields">
          {SOURCES.map((source) => (
            <Field key={source} id={`weight-${source}`} label={SOURCE_NAMES[source]} fault={undefined}>
              {(attributes) => (
                <input
                  {...attributes}
                  type="number"
                  min="0"
                  step="any"
                  placeholder="–"
                  value={weightOf(frame, source)}
                  onInput={(event) => setFrame(withWeight(frame, source, event.currentTarget.value))}
                />
              )}
            </Field>
          ))}
        </div>
        <small class={faultOf(faults, "sources") === undefined ? "" : "fault"}>
          {faultOf(faults, "sources") ?? "All empty: chosen for each visitor automatically."}
        </small>
      </fieldset>
      <div class="fields">
        <ProductChoice
          id="pinned"
          label="Pinned products"
          shelf={shelf}
          chosen={frame.pinnedProductIds}
          fault={faultOf(faults, "pinned_product_ids")}
          onChange={(chosen) => change({ pinnedProductIds: [...chosen] })}
        />
        <ProductChoice
          id="banned"
          label="Banned products"
          shelf={shelf}
          chosen={frame.bannedProductIds}
          fault={faultOf(faults, "banned_product_ids")}
          onChange={(chosen) => change({ bannedProductIds: [...chosen] })}
        />
      </div>
      {kept.length > 0 && <p class="note">The frame also has {kept.join(" and ")}, which do not change.</p>}
      <ErrorNote error={save.error} />
      <button type="submit" class="primary" disabled={save.isRunning}>
        Save
      </button>
    </form>
  );
}

function RotationFields(props: {
  readonly frame: FrameConfiguration;
  readonly faults: ReadonlyMap<string, string>;
  readonly change: Change;
}) {
  const { frame, faults, change } = props;
  return (
    <>
      <NumberField
        label="Rotation rate"
        field="rotation_rate"
        hint="Share of a list that is replaced after all of it was passed over, 0 to 1."
        step="0.1"
        value={frame.rotationRate ?? 0.2}
        faults={faults}
        onChange={(rotationRate) => change({ rotationRate })}
      />
      <NumberField
        label="Rotation days"
        field="rotation_period"
        hint="Days after which passed-over products return, up to 7."
        step="0.5"
        value={daysOf(frame.rotationPeriod) ?? 3}
        faults={faults}
        onChange={(days) => change({ rotationPeriod: durationOfDays(days) })}
      />
    </>
  );
}

function Switches({ frame, change }: { readonly frame: FrameConfiguration; readonly change: Change }) {
  const switches: readonly (readonly [label: string, isOn: boolean, set: (isOn: boolean) => void])[] = [
    ["Include current and viewed products", frame.includeViewed, (includeViewed) => change({ includeViewed })],
    ["Include bought products", frame.includeBought, (includeBought) => change({ includeBought })],
    ["Rotate after each use", frame.rotation ?? true, (rotation) => change({ rotation })],
    ["Only products in stock", frame.inStockOnly ?? true, (inStockOnly) => change({ inStockOnly })],
    ["Fill empty places with popular products", frame.fallback ?? true, (fallback) => change({ fallback })],
  ];
  return (
    <fieldset>
      <legend>Products</legend>
      {switches.map(([label, isOn, set]) => (
        <label key={label} class="check">
          <input type="checkbox" checked={isOn} onChange={(event) => set(event.currentTarget.checked)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function NumberField(props: {
  readonly label: string;
  readonly field: string;
  readonly hint: string;
  readonly step?: string;
  readonly value: number;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (value: number) => void;
}) {
  const { label, field, hint, step = "1", value, faults, onChange } = props;
  return (
    <Field id={field} label={label} hint={hint} fault={faultOf(faults, field)}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min="0"
          step={step}
          value={value}
          onInput={(event) => onChange(event.currentTarget.valueAsNumber || 0)}
        />
      )}
    </Field>
  );
}

/** Counts are whole and not negative: the message can carry no others. */
function whole(value: number): number {
  return Math.min(Math.max(0, Math.trunc(value)), 2 ** 32 - 1);
}
