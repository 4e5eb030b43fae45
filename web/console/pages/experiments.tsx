import { useState } from "preact/hooks";
import type { FrameConfiguration } from "../../../src/gen/aisle/v1/frame_configuration_pb.js";
import type { FrameReport } from "../../../src/gen/aisle/v1/frame_report_pb.js";
import { useSurroundings } from "../context.js";
import { ExperimentForm } from "../experiment-form.js";
import {
  type Arm,
  adopted,
  armsOf,
  daysOfExperiment,
  type Ending,
  type Experiment,
  experimentsOf,
  isUnchanged,
  verdictOf,
} from "../experiments.js";
import { pagesOf } from "../pages-of.js";
import { ConfirmButton, Day, Empty, ErrorNote, Status, Table } from "../parts.js";
import { rateText } from "../result-words.js";
import { hashOf } from "../route.js";
import type { Clients } from "../rpc.js";
import { useAction, useLoad } from "../use-load.js";
import { changesOf } from "../variant-words.js";

/** Most versions of a frame that a server keeps. */
const VERSIONS = 100;

interface Measured extends Experiment {
  readonly report: FrameReport | undefined;
}

/** Experiments of an app, running and ended, with what they say. Starts, decides and stops them. */
export function ExperimentsPage({ appId }: { readonly appId: string }) {
  const { clients } = useSurroundings();
  const [said, setSaid] = useState("");
  const load = useLoad((signal) => readExperiments(clients, appId, signal), [appId]);
  const save = useAction(async (frame: FrameConfiguration, text: string) => {
    await clients.apps.setFrameConfiguration({ appId, frameConfiguration: frame, etag: frame.etag });
    setSaid(text);
    load.again();
  });
  const running = load.value?.experiments.filter(({ ending }) => ending === undefined) ?? [];
  const ended = load.value?.experiments.filter(({ ending }) => ending !== undefined) ?? [];
  const free = load.value?.frames.filter(({ variants }) => variants.length === 0) ?? [];
  return (
    <>
      <p class="lead">
        An experiment shows several lists in one frame. Each visitor stays with one of them, and their clicks tell which
        is better.
      </p>
      <ErrorNote error={load.error ?? save.error} />
      <Status>{load.value === undefined && load.error === undefined ? "Loading …" : said}</Status>
      {load.value && (
        <>
          <h2 class="part">Running</h2>
          {running.length === 0 && <Empty>No experiment is running.</Empty>}
          {running.map((experiment) => (
            <ExperimentCard
              key={experiment.frame.frameId}
              appId={appId}
              experiment={experiment}
              isSaving={save.isRunning}
              onSave={save.run}
            />
          ))}
          <ExperimentForm frames={free} isSaving={save.isRunning} onStart={save.run} />
          <h2 class="part">Ended</h2>
          {ended.length === 0 && <Empty>No experiment has ended yet.</Empty>}
          {ended.map((experiment) => (
            <ExperimentCard
              key={`${experiment.frame.frameId} ${experiment.frame.version}`}
              appId={appId}
              experiment={experiment}
            />
          ))}
          <p class="status">
            Figures are shares of visitors, with intervals of 95 %. An interval holds for a single look: decide on a
            number of visitors before you look, not at the first difference.
          </p>
        </>
      )}
    </>
  );
}

function ExperimentCard(props: {
  readonly appId: string;
  readonly experiment: Measured;
  readonly isSaving?: boolean;
  readonly onSave?: (frame: FrameConfiguration, text: string) => void;
}) {
  const { appId, experiment, isSaving = false, onSave } = props;
  const { frame, startTime, endTime, ending, report } = experiment;
  const { frameId } = frame;
  const name = frame.title || frameId;
  const arms = armsOf(experiment, report);
  const verdict = verdictOf(arms);
  const id = `experiment-${frameId}-${frame.version}`;
  return (
    <section class="card" aria-labelledby={id}>
      <div class="row between">
        <h3 id={id} class="name">
          {name}
        </h3>
        <a href={hashOf({ appId, page: "frames", details: { frame: frameId } })}>
          Frame {frameId}
          <span class="hidden"> of the experiment in {name}</span>
        </a>
      </div>
      <p class="muted">
        {endTime === undefined ? "Since " : "From "}
        {startTime === undefined ? "before the oldest version" : <Day at={startTime} />}
        {endTime !== undefined && (
          <>
            {" to "}
            <Day at={endTime} />
          </>
        )}
        {ending !== undefined && `. ${endingText(ending)}.`}
      </p>
      <p class={verdict.kind === "better" ? "note" : "note plain"}>
        <strong>{verdict.text}</strong>
      </p>
      <Arms name={name} frame={frame} arms={arms} isSaving={isSaving} onSave={onSave} />
      {onSave !== undefined && !frame.variants.some((variant) => isUnchanged(frame, variant)) && (
        <ConfirmButton
          label="Stop without a choice"
          question="Show the frame's own settings to all?"
          disabled={isSaving}
          onConfirm={() => onSave({ ...frame, variants: [] }, `The experiment in ${name} has ended.`)}
        />
      )}
    </section>
  );
}

function Arms(props: {
  readonly name: string;
  readonly frame: FrameConfiguration;
  readonly arms: readonly Arm[];
  readonly isSaving: boolean;
  readonly onSave: ((frame: FrameConfiguration, text: string) => void) | undefined;
}) {
  const { name, frame, arms, isSaving, onSave } = props;
  return (
    <Table label={`Lists of the experiment in ${name}`} isStacked>
      <thead>
        <tr>
          <th scope="col">List</th>
          <th scope="col" class="number">
            Share
          </th>
          <th scope="col" class="number">
            Visitors
          </th>
          <th scope="col">Clicked</th>
          <th scope="col">Ordered</th>
          {onSave && <th scope="col">Decide</th>}
        </tr>
      </thead>
      <tbody>
        {arms.map(({ variant, share, report }) => (
          <tr key={variant.name}>
            <th scope="row" class="arm">
              {variant.name}
              <div class="muted">{changesOf(frame, variant).join(", ") || "the frame as it is"}</div>
            </th>
            <td class="number" data-label="Share">
              {Math.round(share * 100)} %
            </td>
            <td class="number" data-label="Visitors">
              {(report?.results?.visitorCount ?? 0).toLocaleString()}
            </td>
            <td class="rate" data-label="Clicked">
              {rateText(report?.results?.clickRate)}
            </td>
            <td class="rate" data-label="Ordered">
              {rateText(report?.results?.orderRate)}
            </td>
            {onSave && (
              <td>
                <ConfirmButton
                  label={`Show ${variant.name} to all`}
                  question="End the experiment with this list?"
                  disabled={isSaving}
                  onConfirm={() => onSave(adopted(frame, variant), `All visitors of ${name} see ${variant.name} now.`)}
                />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function endingText(ending: Ending): string {
  switch (ending.kind) {
    case "decided":
      return `Since then all visitors see ${ending.variant}`;
    case "stopped":
      return "It was stopped, and the frame has other settings";
    case "replaced":
      return "Another experiment followed";
    case "deleted":
      return "The frame was deleted";
  }
}

interface Found {
  readonly frames: readonly FrameConfiguration[];
  /** The newest first. */
  readonly experiments: readonly Measured[];
}

async function readExperiments({ apps }: Clients, appId: string, signal: AbortSignal): Promise<Found> {
  const [frames, { frames: reports }] = await Promise.all([
    pagesOf(async (pageToken) => {
      const page = await apps.listFrameConfigurations({ appId, pageSize: 1000, pageToken }, { signal });
      return { items: page.frameConfigurations, nextPageToken: page.nextPageToken };
    }),
    apps.getFrameReport({ appId }, { signal }),
  ]);
  // Variants that a frame had once are in its report.
  const split = [
    ...frames.filter(({ variants }) => variants.length > 0),
    ...reports.filter(({ variants }) => variants.length > 0),
  ];
  const ids = [...new Set(split.map(({ frameId }) => frameId))];
  const found = await Promise.all(
    ids.map(async (frameId) => {
      const versions = await pagesOf(async (pageToken) => {
        const page = await apps.listFrameVersions({ appId, frameId, pageSize: VERSIONS, pageToken }, { signal });
        return { items: page.versions, nextPageToken: page.nextPageToken };
      });
      return Promise.all(
        experimentsOf(versions).map(async (experiment): Promise<Measured> => {
          const request = { appId, frameId, ...daysOfExperiment(experiment) };
          const [report] = (await apps.getFrameReport(request, { signal })).frames;
          const current = frames.find((frame) => frame.frameId === frameId);
          // The etag of a running one is that of the frame.
          return { ...experiment, ...(experiment.ending === undefined && current && { frame: current }), report };
        }),
      );
    }),
  );
  const startOf = ({ startTime }: Experiment) => startTime?.seconds ?? 0n;
  const experiments = found.flat().sort((a, b) => Number(startOf(b) - startOf(a)));
  return { frames, experiments };
}
