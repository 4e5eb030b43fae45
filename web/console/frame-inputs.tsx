/** Inputs of a frame's form; each shows the server's fault of its field. */
import { useState } from "preact/hooks";
import { faultOf } from "./frame-fields.js";
import { Field } from "./parts.js";

interface InputProps<T> {
  readonly label: string;
  /** Path of the field in the frame. */
  readonly field: string;
  readonly hint?: string;
  readonly value: T;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (value: T) => void;
}

export function TextInput({ value, onChange, ...place }: InputProps<string> & { readonly list?: string }) {
  return (
    <Field {...placed(place)}>
      {(attributes) => (
        <input
          {...attributes}
          value={value}
          list={place.list}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** An empty input is 0. */
export function NumberInput({ value, onChange, ...input }: InputProps<number> & { readonly step?: string }) {
  return <OptionalNumberInput step="1" min="0" {...input} value={value} onChange={(typed) => onChange(typed ?? 0)} />;
}

/** A number that may be left out. */
export function OptionalNumberInput(
  props: InputProps<number | undefined> & {
    readonly placeholder?: string;
    readonly step?: string;
    readonly min?: string;
  },
) {
  const { value, onChange, placeholder, step = "any", min } = props;
  // What is typed stays as it is: "0." is on its way to "0.5".
  const [typed, setTyped] = useState("");
  const isTyped = numberOf(typed) === value || (numberOf(typed) ?? 0) === value;
  return (
    <Field {...placed(props)}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={min}
          step={step}
          placeholder={placeholder}
          value={isTyped && typed !== "" ? typed : (value ?? "")}
          onInput={(event) => {
            if (event.currentTarget.validity.badInput) return;
            setTyped(event.currentTarget.value);
            onChange(numberOf(event.currentTarget.value));
          }}
        />
      )}
    </Field>
  );
}

function numberOf(typed: string): number | undefined {
  return typed === "" ? undefined : Number(typed);
}

export function ChoiceInput<T extends string | number>(
  props: InputProps<T> & { readonly choices: readonly (readonly [value: T, name: string])[] },
) {
  const { value, choices, onChange } = props;
  return (
    <Field {...placed(props)}>
      {(attributes) => (
        <select
          {...attributes}
          value={String(value)}
          onChange={(event) => {
            const chosen = choices.find(([choice]) => String(choice) === event.currentTarget.value);
            if (chosen !== undefined) onChange(chosen[0]);
          }}
        >
          {choices.map(([choice, name]) => (
            <option key={choice} value={String(choice)}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function placed({ label, field, hint, faults }: Omit<InputProps<never>, "value" | "onChange">) {
  return { id: field.replaceAll(/[^a-z0-9]+/g, "-"), label, hint, fault: faultOf(faults, field) };
}

/** Counts are whole and not negative: the message can carry no others. */
export function whole(value: number): number {
  return Math.min(Math.max(0, Math.trunc(value)), 2 ** 31 - 1);
}
