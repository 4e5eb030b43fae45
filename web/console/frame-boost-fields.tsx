import { create } from "@bufbuild/protobuf";
import {
  AttributeConditionSchema,
  type Boost,
  DurationRangeSchema,
  NumberRangeSchema,
} from "../../src/gen/aisle/v1/frame_rules_pb.js";
import { daysOf, durationOfDays } from "./days.js";
import { ChoiceInput, NumberInput, OptionalNumberInput, TextInput } from "./frame-inputs.js";
import type { Shelf } from "./products.js";

type Condition = Boost["condition"];
/** The conditions of a boost; `brand` is a group whose id begins with `brand:`. */
type Kind = "brand" | "group" | "attribute" | "margin" | "stock" | "age";

const KINDS: readonly (readonly [Kind, string])[] = [
  ["brand", "brand"],
  ["group", "category, tag or group"],
  ["attribute", "attribute"],
  ["margin", "margin"],
  ["stock", "stock"],
  ["age", "age in the catalogue"],
];

const BRAND = "brand:";

interface FieldsProps {
  readonly path: string;
  readonly faults: ReadonlyMap<string, string>;
}

/** One boost: how many times a product counts, and which products. */
export function BoostFields(
  props: FieldsProps & {
    readonly boost: Boost;
    readonly shelf: Shelf;
    readonly onChange: (boost: Boost) => void;
  },
) {
  const { boost, path, shelf, faults, onChange } = props;
  const setCondition = (condition: Condition) => onChange({ ...boost, condition });
  return (
    <div class="fields">
      <NumberInput
        label="Counts (times)"
        field={`${path}.factor`}
        step="any"
        value={boost.factor}
        faults={faults}
        onChange={(factor) => onChange({ ...boost, factor })}
      />
      <ChoiceInput
        label="Products by"
        field={`${path}.condition`}
        choices={KINDS}
        value={kindOf(boost.condition)}
        faults={faults}
        onChange={(kind) => setCondition(emptyCondition(kind))}
      />
      <ConditionFields condition={boost.condition} path={path} shelf={shelf} faults={faults} onChange={setCondition} />
    </div>
  );
}

function ConditionFields(
  props: FieldsProps & {
    readonly condition: Condition;
    readonly shelf: Shelf;
    readonly onChange: (condition: Condition) => void;
  },
) {
  const { condition, path, shelf, faults, onChange } = props;
  switch (condition.case) {
    case "group": {
      const isBrand = kindOf(condition) === "brand";
      return (
        <Chosen
          label={isBrand ? "Brand" : "Id of the category, tag or group"}
          field={`${path}.group`}
          value={isBrand ? condition.value.slice(BRAND.length) : condition.value}
          choices={isBrand ? shelf.products.map(({ brand }) => [brand, ""]) : groupsOf(shelf)}
          faults={faults}
          onChange={(typed) => onChange({ case: "group", value: isBrand ? BRAND + typed : typed })}
        />
      );
    }
    case "attribute": {
      const { name, value } = condition.value;
      const set = (part: { readonly name?: string; readonly value?: string }) =>
        onChange({ case: "attribute", value: { ...condition.value, ...part } });
      const attributes = shelf.products.flatMap((product) => Object.entries(product.attributes));
      return (
        <>
          <Chosen
            label="Attribute"
            field={`${path}.attribute.name`}
            value={name}
            choices={attributes.map(([known]) => [known, ""])}
            faults={faults}
            onChange={(typed) => set({ name: typed })}
          />
          <Chosen
            label="Its value"
            field={`${path}.attribute.value`}
            value={value}
            choices={attributes.filter(([known]) => known === name).map(([, known]) => [known, ""])}
            faults={faults}
            onChange={(typed) => set({ value: typed })}
          />
        </>
      );
    }
    case "margin":
      return (
        <Range
          unit="% of the price"
          field={`${path}.margin`}
          ends={[times(condition.value.min, 100), times(condition.value.max, 100)]}
          faults={faults}
          onChange={([min, max]) => onChange({ case: "margin", value: numbers(times(min, 0.01), times(max, 0.01)) })}
        />
      );
    case "stock":
      return (
        <Range
          unit="pieces"
          field={`${path}.stock`}
          ends={[condition.value.min, condition.value.max]}
          faults={faults}
          onChange={([min, max]) => onChange({ case: "stock", value: numbers(min, max) })}
        />
      );
    case "age":
      return (
        <Range
          unit="days"
          field={`${path}.age`}
          ends={[daysOf(condition.value.min), daysOf(condition.value.max)]}
          faults={faults}
          onChange={([min, max]) =>
            onChange({
              case: "age",
              value: create(DurationRangeSchema, {
                ...(min !== undefined && { min: durationOfDays(min) }),
                ...(max !== undefined && { max: durationOfDays(max) }),
              }),
            })
          }
        />
      );
    case undefined:
      return null;
  }
}

type Ends = readonly [min: number | undefined, max: number | undefined];

function Range(props: {
  readonly unit: string;
  readonly field: string;
  readonly ends: Ends;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (ends: Ends) => void;
}) {
  const { unit, field, faults, onChange } = props;
  const [min, max] = props.ends;
  return (
    <>
      <OptionalNumberInput
        label={`From (${unit})`}
        field={field}
        value={min}
        placeholder="no limit"
        faults={faults}
        onChange={(least) => onChange([least, max])}
      />
      <OptionalNumberInput
        label={`To (${unit})`}
        field={`${field}.max`}
        value={max}
        placeholder="no limit"
        faults={faults}
        onChange={(most) => onChange([min, most])}
      />
    </>
  );
}

/** A text that the browser completes from what products have. */
function Chosen(props: {
  readonly label: string;
  readonly field: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (value: string) => void;
}) {
  const { choices, ...input } = props;
  const list = `choices-of-${props.field.replaceAll(/[^a-z0-9]+/g, "-")}`;
  return (
    <>
      <TextInput {...input} list={list} />
      <datalist id={list}>
        {[...new Map(choices)]
          .filter(([value]) => value !== "")
          .map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
      </datalist>
    </>
  );
}

function groupsOf({ products }: Shelf): readonly (readonly [string, string])[] {
  return products.flatMap(({ categories, tags }) => [
    ...categories.map(({ categoryId, name }) => [categoryId, `category ${name}`] as const),
    ...tags.map((tag) => [tag, "tag"] as const),
  ]);
}

function kindOf(condition: Condition): Kind {
  if (condition.case === undefined) return "group";
  if (condition.case !== "group") return condition.case;
  return condition.value.startsWith(BRAND) ? "brand" : "group";
}

function emptyCondition(kind: Kind): Condition {
  switch (kind) {
    case "brand":
      return { case: "group", value: BRAND };
    case "group":
      return { case: "group", value: "" };
    case "attribute":
      return { case: "attribute", value: create(AttributeConditionSchema) };
    case "margin":
    case "stock":
      return { case: kind, value: numbers(undefined, undefined) };
    case "age":
      return { case: "age", value: create(DurationRangeSchema) };
  }
}

function numbers(min: number | undefined, max: number | undefined) {
  return create(NumberRangeSchema, { ...(min !== undefined && { min }), ...(max !== undefined && { max }) });
}

/** Without the noise of binary fractions. */
function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : Number((value * factor).toPrecision(12));
}
