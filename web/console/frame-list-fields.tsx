import { create } from "@bufbuild/protobuf";
import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { ReadyListKind, ReadyListSchema } from "../../src/gen/aisle/v1/ready_list_pb.js";
import { daysOf, durationOfDays } from "./days.js";
import { faultOf } from "./frame-fields.js";
import { Field } from "./parts.js";

const KINDS: readonly (readonly [ReadyListKind, string])[] = [
  [ReadyListKind.UNSPECIFIED, "what the model recommends"],
  [ReadyListKind.RECENTLY_VIEWED, "recently viewed"],
  [ReadyListKind.BUY_AGAIN, "buy again"],
  [ReadyListKind.NEW_ARRIVALS, "new arrivals"],
  [ReadyListKind.TRENDING, "trending"],
  [ReadyListKind.BESTSELLERS, "bestsellers"],
];

const WITH_DAYS: ReadonlySet<ReadyListKind> = new Set([
  ReadyListKind.NEW_ARRIVALS,
  ReadyListKind.TRENDING,
  ReadyListKind.BESTSELLERS,
]);

type ReadyList = FrameConfiguration["readyList"];

/** What fills `recommended`, and the days that count. */
export function ReadyListFields(props: {
  readonly list: ReadyList;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (list: ReadyList) => void;
}) {
  const { list, faults, onChange } = props;
  const kind = list?.kind ?? ReadyListKind.UNSPECIFIED;
  const days = String(daysOf(list?.period) ?? "");
  return (
    <>
      <Field
        id="ready-list"
        label="Recommended shows"
        hint="The model's choice, or a ready list."
        fault={faultOf(faults, "ready_list.kind")}
      >
        {(attributes) => (
          <select
            {...attributes}
            value={String(kind)}
            onChange={(event) => onChange(listOf(Number(event.currentTarget.value), ""))}
          >
            {KINDS.map(([known, name]) => (
              <option key={known} value={String(known)}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {WITH_DAYS.has(kind) && (
        <Field
          id="ready-list-days"
          label="Days that count"
          hint="Empty: 7 for trending, else 30."
          fault={faultOf(faults, "ready_list.period")}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="number"
              min="1"
              step="1"
              value={days}
              onInput={(event) => onChange(listOf(kind, event.currentTarget.value))}
            />
          )}
        </Field>
      )}
    </>
  );
}

function listOf(kind: ReadyListKind, typedDays: string): ReadyList {
  if (kind === ReadyListKind.UNSPECIFIED) return undefined;
  const days = Number(typedDays);
  const period = typedDays === "" || !(days >= 0) ? {} : { period: durationOfDays(days) };
  return create(ReadyListSchema, { kind, ...period });
}
