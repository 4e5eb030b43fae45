import { create } from "@bufbuild/protobuf";
import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { ReadyListKind, ReadyListSchema } from "../../src/gen/aisle/v1/ready_list_pb.js";
import { daysOf, durationOfDays } from "./days.js";
import { ChoiceInput, OptionalNumberInput } from "./frame-inputs.js";

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
  return (
    <>
      <ChoiceInput
        label="Recommended shows"
        field="ready_list.kind"
        hint="The model's choice, or a ready list."
        choices={KINDS}
        value={kind}
        faults={faults}
        onChange={(chosen) => onChange(listOf(chosen, undefined))}
      />
      {WITH_DAYS.has(kind) && (
        <OptionalNumberInput
          label="Days that count"
          field="ready_list.period"
          hint="Empty: 7 for trending, else 30."
          value={daysOf(list?.period)}
          faults={faults}
          onChange={(days) => onChange(listOf(kind, days))}
        />
      )}
    </>
  );
}

function listOf(kind: ReadyListKind, days: number | undefined): ReadyList {
  if (kind === ReadyListKind.UNSPECIFIED) return undefined;
  const period = days === undefined || !(days >= 0) ? {} : { period: durationOfDays(days) };
  return create(ReadyListSchema, { kind, ...period });
}
