import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type FrameConfiguration, FrameVariantSchema } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { ReadyListKind } from "../../src/gen/aisle/v1/ready_list_pb.js";
import { Field } from "./parts.js";

type VariantInit = MessageInitShape<typeof FrameVariantSchema>;

/** One thing that an experiment may try. */
interface Trial {
  readonly label: string;
  /** Name of the list, unless another is typed. */
  readonly name: string;
  readonly settings: (frame: FrameConfiguration, value: number) => Omit<VariantInit, "$typeName">;
  /** A number to type. */
  readonly number?: { readonly label: string; readonly hint: string; readonly usual: number };
}

const TRIALS: readonly Trial[] = [
  {
    label: "more variety in the list",
    name: "more-variety",
    number: { label: "Variety", hint: "0 is none, 1 is the most.", usual: 0.4 },
    settings: (_, value) => ({ diversity: value }),
  },
  {
    label: "another number of products",
    name: "other-number",
    number: { label: "Products", hint: "0 to 100.", usual: 6 },
    settings: (_, value) => ({ recommendedCount: value }),
  },
  {
    label: "bestsellers for everybody",
    name: "bestsellers",
    settings: () => ({ readyList: { kind: ReadyListKind.BESTSELLERS } }),
  },
  {
    label: "products already viewed: shown, or no longer",
    name: "viewed-too",
    settings: ({ includeViewed }) => ({ includeViewed: !includeViewed }),
  },
  {
    label: "products already bought: shown, or no longer",
    name: "bought-too",
    settings: ({ includeBought }) => ({ includeBought: !includeBought }),
  },
  {
    label: "products passed over: they step back, or no longer",
    name: "other-rotation",
    settings: ({ rotation }) => ({ rotation: !(rotation ?? true) }),
  },
];

/** Starts an experiment in a frame without one: the frame as it is against the frame with one difference. */
export function ExperimentForm(props: {
  readonly frames: readonly FrameConfiguration[];
  readonly isSaving: boolean;
  readonly onStart: (frame: FrameConfiguration, text: string) => void;
}) {
  const { frames, isSaving, onStart } = props;
  const [frameId, setFrameId] = useState("");
  const [trialAt, setTrialAt] = useState(0);
  const [value, setValue] = useState("");
  const [name, setName] = useState("");
  const [share, setShare] = useState("50");
  const frame = frames.find((each) => each.frameId === frameId) ?? frames[0];
  const trial = TRIALS[trialAt];
  if (frame === undefined || trial === undefined) return null;
  const percent = Number(share);
  const start = () => {
    const settings = trial.settings(frame, value === "" ? (trial.number?.usual ?? 0) : Number(value));
    const tried = name.trim() || trial.name;
    // Names of its own: results of an earlier experiment of the same day would count, too.
    const variants = [
      create(FrameVariantSchema, { name: `before-${tried}`.slice(0, 64), weight: 100 - percent }),
      create(FrameVariantSchema, { ...settings, name: tried, weight: percent }),
    ];
    onStart({ ...frame, variants }, `An experiment in ${frame.title || frame.frameId} is running.`);
  };
  return (
    <section class="card" aria-labelledby="new-experiment">
      <h3 id="new-experiment" class="name">
        New experiment
      </h3>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <div class="fields">
          <Field id="experiment-frame" label="Frame" hint="One experiment at a time in each frame.">
            {(attributes) => (
              <select {...attributes} value={frame.frameId} onChange={(event) => setFrameId(event.currentTarget.value)}>
                {frames.map((each) => (
                  <option key={each.frameId} value={each.frameId}>
                    {each.title === "" ? each.frameId : `${each.title} (${each.frameId})`}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field id="experiment-trial" label="Try" hint="The other visitors see the frame as it is.">
            {(attributes) => (
              <select
                {...attributes}
                value={trialAt}
                onChange={(event) => {
                  setTrialAt(Number(event.currentTarget.value));
                  setValue("");
                }}
              >
                {TRIALS.map(({ label }, at) => (
                  <option key={label} value={at}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {trial.number && (
            <Field id="experiment-value" label={trial.number.label} hint={trial.number.hint}>
              {(attributes) => (
                <input
                  {...attributes}
                  type="number"
                  step="any"
                  placeholder={String(trial.number?.usual)}
                  value={value}
                  onInput={(event) => setValue(event.currentTarget.value)}
                />
              )}
            </Field>
          )}
          <Field id="experiment-share" label="Visitors who see it (%)" hint="50 needs the least time.">
            {(attributes) => (
              <input
                {...attributes}
                type="number"
                min="1"
                max="99"
                required
                value={share}
                onInput={(event) => setShare(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field id="experiment-name" label="Name of the list" hint="Letters, digits, - and _.">
            {(attributes) => (
              <input
                {...attributes}
                pattern="[A-Za-z0-9_\-]{1,64}"
                placeholder={trial.name}
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <button type="submit" class="primary" disabled={isSaving}>
          Start
        </button>
      </form>
    </section>
  );
}
