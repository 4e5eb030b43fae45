/** The merchant's rules of a frame: boosts, comparisons with the product viewed, and limits by brand and category. */
import { create } from "@bufbuild/protobuf";
import {
  type Boost,
  BoostSchema,
  type FrameRules,
  FrameRulesSchema,
  RelativeFilter,
} from "../../src/gen/aisle/v1/frame_rules_pb.js";
import { boostText } from "./boost-words.js";
import { BoostFields } from "./frame-boost-fields.js";
import { ChoiceInput, NumberInput, TextInput, whole } from "./frame-inputs.js";
import type { Shelf } from "./products.js";

const PRICES: readonly (readonly [RelativeFilter, string])[] = [
  [RelativeFilter.UNSPECIFIED, "of any price"],
  [RelativeFilter.DEARER, "dearer than the product viewed"],
  [RelativeFilter.CHEAPER, "cheaper than the product viewed"],
];

const SAME: readonly (readonly [RelativeFilter, string])[] = [
  [RelativeFilter.SAME_BRAND, "Only the brand of the product viewed"],
  [RelativeFilter.SAME_CATEGORY, "Only the category of the product viewed"],
];

export function RuleFields(props: {
  readonly rules: FrameRules | undefined;
  readonly shelf: Shelf;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (rules: FrameRules | undefined) => void;
}) {
  const { shelf, faults } = props;
  const rules = props.rules ?? create(FrameRulesSchema);
  const { boosts, relativeFilters } = rules;
  const change = (part: Partial<FrameRules>) => {
    const changed = { ...rules, ...part };
    props.onChange(isEmpty(changed) ? undefined : changed);
  };
  const setBoosts = (changed: readonly Boost[]) => change({ boosts: [...changed] });
  const price = relativeFilters.find((filter) => PRICES.some(([known]) => known === filter));
  const others = relativeFilters.filter((filter) => filter !== price);
  const tooMany = faults.get("frame_configuration.rules.boosts");
  return (
    <>
      <fieldset>
        <legend>Boost or bury</legend>
        <ol class="boosts">
          {boosts.map((boost, index) => (
            <li key={index}>
              <BoostFields
                boost={boost}
                path={`rules.boosts[${index}]`}
                shelf={shelf}
                faults={faults}
                onChange={(changed) => setBoosts(boosts.map((other, at) => (at === index ? changed : other)))}
              />
              <button type="button" class="small" onClick={() => setBoosts(boosts.filter((_, at) => at !== index))}>
                Remove<span class="hidden"> {boostText(boost)}</span>
              </button>
            </li>
          ))}
        </ol>
        <button
          type="button"
          class="small"
          onClick={() =>
            setBoosts([...boosts, create(BoostSchema, { factor: 2, condition: { case: "group", value: "brand:" } })])
          }
        >
          Add a boost
        </button>
        <p>
          <small class={tooMany === undefined ? "" : "fault"}>
            {tooMany ?? "A product counts that many times: above 1 it rises, below 1 it sinks."}
          </small>
        </p>
      </fieldset>
      <fieldset>
        <legend>Beside the product viewed</legend>
        {SAME.map(([filter, label]) => (
          <label key={filter} class="check">
            <input
              type="checkbox"
              checked={relativeFilters.includes(filter)}
              onChange={(event) =>
                change({
                  relativeFilters: event.currentTarget.checked
                    ? [...relativeFilters, filter]
                    : relativeFilters.filter((other) => other !== filter),
                })
              }
            />
            {label}
          </label>
        ))}
        <div class="fields">
          <ChoiceInput
            label="Price"
            field="rules.relative_filters"
            choices={PRICES}
            value={price ?? RelativeFilter.UNSPECIFIED}
            faults={faults}
            onChange={(chosen) =>
              change({ relativeFilters: chosen === RelativeFilter.UNSPECIFIED ? others : [...others, chosen] })
            }
          />
          <SameAttributes
            names={rules.sameAttributes}
            faults={faults}
            onChange={(sameAttributes) => change({ sameAttributes })}
          />
          <NumberInput
            label="Most of one brand"
            field="rules.max_per_brand"
            hint="In one list; 0: any number."
            value={rules.maxPerBrand}
            faults={faults}
            onChange={(count) => change({ maxPerBrand: whole(count) })}
          />
          <NumberInput
            label="Most of one category"
            field="rules.max_per_category"
            hint="In one list; 0: any number."
            value={rules.maxPerCategory}
            faults={faults}
            onChange={(count) => change({ maxPerCategory: whole(count) })}
          />
        </div>
      </fieldset>
    </>
  );
}

/** Keeps what is typed between the commas: a name is taken when it is whole. */
function SameAttributes(props: {
  readonly names: readonly string[];
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (names: string[]) => void;
}) {
  return (
    <TextInput
      label="Same attributes"
      field="rules.same_attributes"
      hint="Their names, with commas between, such as line, colour."
      value={props.names.join(",")}
      faults={props.faults}
      onChange={(typed) => props.onChange(typed === "" ? [] : typed.split(",").map((name) => name.trimStart()))}
    />
  );
}

function isEmpty({ boosts, relativeFilters, sameAttributes, maxPerBrand, maxPerCategory }: FrameRules): boolean {
  return boosts.length + relativeFilters.length + sameAttributes.length + maxPerBrand + maxPerCategory === 0;
}
