import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { useSurroundings } from "./context.js";
import { daysOf, durationOfDays } from "./days.js";
import { fieldFaults } from "./errors.js";
import { faultOf, PAGE_KINDS, SOURCES, weightOf, withWeight } from "./frame-fields.js";
import { ChoiceInput, NumberInput, TextInput, whole } from "./frame-inputs.js";
import { ReadyListFields } from "./frame-list-fields.js";
import { RuleFields } from "./frame-rule-fields.js";
import { ErrorNote, Field } from "./parts.js";
import { ProductChoice, type Shelf } from "./products.js";
import { SOURCE_NAMES } from "./reasons.js";
import { useAction } from "./use-load.js";

type Change = (part: Partial<FrameConfiguration>) => void;

/** A form for a frame. Variants and the filter, which it does not show, do not change. */
export function FrameForm(props: {
  readonly appId: string;
  readonly frame: FrameConfiguration;
  /** The etag of the stored frame that the form began with. */
  readonly etag: string;
  readonly isNew: boolean;
  readonly shelf: Shelf;
  readonly onChange: (frame: FrameConfiguration) => void;
  readonly onSaved: (frame: FrameConfiguration | undefined) => void;
}) {
  const { appId, frame, etag, isNew, shelf, onChange, onSaved } = props;
  const { clients } = useSurroundings();
  const change: Change = (part) => onChange({ ...frame, ...part });
  const save = useAction(async () => {
    const request = { appId, frameConfiguration: frame, etag };
    onSaved((await clients.apps.setFrameConfiguration(request)).frameConfiguration);
  });
  const faults = fieldFaults(save.error);
  const kept = [
    frame.variants.length > 0 && `${frame.variants.length} variants`,
    frame.filter !== undefined && "a filter",
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
          <TextInput
            label="Id"
            field="frame_id"
            hint="Its name in the shop's pages."
            value={frame.frameId}
            faults={faults}
            onChange={(frameId) => change({ frameId })}
          />
        )}
        <TextInput
          label="Title"
          field="title"
          hint="Display name."
          value={frame.title}
          faults={faults}
          onChange={(title) => change({ title })}
        />
        <ChoiceInput
          label="Page type"
          field="page_kind"
          hint="Decides what comes first while no source has a weight."
          choices={PAGE_KINDS}
          value={frame.pageKind}
          faults={faults}
          onChange={(pageKind) => change({ pageKind })}
        />
        <NumberInput
          label="Recommended"
          field="recommended_count"
          hint="Maximum products, 0 to 100."
          value={frame.recommendedCount}
          faults={faults}
          onChange={(recommendedCount) => change({ recommendedCount: whole(recommendedCount) })}
        />
        <NumberInput
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
          onChange={(readyList) => {
            const { readyList: _, ...rest } = frame;
            onChange(readyList ? { ...rest, readyList } : rest);
          }}
        />
        <NumberInput
          label="Diversity"
          field="diversity"
          hint="0 (by score) to 1 (unlike each other)."
          step="0.1"
          value={frame.diversity}
          faults={faults}
          onChange={(diversity) => change({ diversity })}
        />
        <NumberInput
          label="Show again after purchase (days)"
          field="rebuy_delay"
          hint="0: never."
          value={daysOf(frame.rebuyDelay) ?? 0}
          faults={faults}
          onChange={(days) => change({ rebuyDelay: durationOfDays(whole(days)) })}
        />
        <NumberInput
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
                  onInput={(event) => onChange(withWeight(frame, source, event.currentTarget.value))}
                />
              )}
            </Field>
          ))}
        </div>
        <small class={faultOf(faults, "sources") === undefined ? "" : "fault"}>
          {faultOf(faults, "sources") ?? "All empty: chosen for each visitor automatically."}
        </small>
      </fieldset>
      <RuleFields
        rules={frame.rules}
        shelf={shelf}
        faults={faults}
        onChange={(rules) => {
          const { rules: _, ...rest } = frame;
          onChange(rules ? { ...rest, rules } : rest);
        }}
      />
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
      {kept.length > 0 && <p class="note">The frame also has {kept.join(" and ")}; saving does not change this.</p>}
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
      <NumberInput
        label="Rotation rate"
        field="rotation_rate"
        hint="Share of a list that is replaced after all of it was passed over, 0 to 1."
        step="0.1"
        value={frame.rotationRate ?? 0.2}
        faults={faults}
        onChange={(rotationRate) => change({ rotationRate })}
      />
      <NumberInput
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
