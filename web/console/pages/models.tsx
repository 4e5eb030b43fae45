import { durationMs } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import { type Model, TrainingReason } from "../../../src/gen/aisle/v1/model_pb.js";
import { algorithmTitle, figuresText } from "../algorithm-words.js";
import { useSurroundings } from "../context.js";
import { followed, stageText } from "../follow-operation.js";
import { EvaluationsCard } from "../model-evaluations.js";
import { pagesOf } from "../pages-of.js";
import { ConfirmButton, Empty, ErrorNote, Status, Table, Time } from "../parts.js";
import { useAction, useLoad } from "../use-load.js";
import { EvaluationCard } from "./evaluation.js";

/** The stored models: which one serves, which ones can be restored, and their data. */
export function ModelsPage({ appId }: { readonly appId: string }) {
  const { clients } = useSurroundings();
  const [said, setSaid] = useState("");
  const [share, setShare] = useState<number>();
  const models = useLoad(
    (signal) =>
      pagesOf(async (pageToken) => {
        const page = await clients.models.listModels({ appId, pageToken }, { signal });
        return { items: page.models, nextPageToken: page.nextPageToken };
      }),
    [appId],
  );
  const train = useAction(async () => {
    try {
      const { operation: begun } = await clients.models.trainModel({ appId });
      for await (const operation of followed(clients, begun)) {
        const { result, progress } = operation;
        setSaid(
          result.case !== "model"
            ? `Training: ${stageText(operation)}`
            : result.value.active
              ? `Version ${result.value.version} serves now`
              : "Trained; it does not serve, as another model is held",
        );
        setShare(progress?.doneShare ?? 0);
      }
    } finally {
      setShare(undefined);
    }
    models.again();
  });
  const activate = useAction(async (modelId: string) => {
    const { model } = await clients.models.activateModel({ appId, modelId });
    setSaid(`Version ${model?.version ?? ""} serves now`);
    models.again();
  });
  const release = useAction(async () => {
    const { model } = await clients.models.setModelHold({ appId, held: false });
    setSaid(`Version ${model?.version ?? ""} serves now`);
    models.again();
  });
  return (
    <>
      <EvaluationsCard models={models.value ?? []} />
      <section class="card" aria-labelledby="kept">
        <div class="row between">
          <h2 id="kept">Stored models</h2>
          <button type="button" disabled={train.isRunning} onClick={() => train.run()}>
            Train now
          </button>
        </div>
        <ErrorNote error={models.error ?? train.error ?? activate.error ?? release.error} />
        <Status>{models.value === undefined ? "Loading …" : said}</Status>
        {share !== undefined && <progress value={share} aria-label="Share of the training done" />}
        {models.value?.length === 0 && <Empty>No model yet: train one.</Empty>}
        {models.value && models.value.length > 0 && (
          <Table label="Stored models">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Made</th>
                <th scope="col">Learned from</th>
                <th scope="col" class="number">
                  Training
                </th>
                <th scope="col" class="number">
                  Size
                </th>
                <th scope="col">Serving</th>
              </tr>
            </thead>
            <tbody>
              {models.value.map((model) => (
                <ModelRow
                  key={model.modelId}
                  model={model}
                  isBusy={activate.isRunning || train.isRunning || release.isRunning}
                  onActivate={() => activate.run(model.modelId)}
                  onRelease={() => release.run()}
                />
              ))}
            </tbody>
          </Table>
        )}
      </section>
      {models.value?.[0] && <Algorithms model={models.value.find(({ active }) => active) ?? models.value[0]} />}
      <EvaluationCard key={appId} appId={appId} />
    </>
  );
}

const TRAINING_REASONS: Readonly<Record<TrainingReason, string>> = {
  [TrainingReason.UNSPECIFIED]: "",
  [TrainingReason.REQUESTED]: "requested",
  [TrainingReason.FIRST_DATA]: "first data",
  [TrainingReason.DATA_GREW]: "data grew by a tenth",
  [TrainingReason.SCHEDULE]: "by schedule",
};

function ModelRow(props: {
  readonly model: Model;
  readonly isBusy: boolean;
  readonly onActivate: () => void;
  readonly onRelease: () => void;
}) {
  const { model, isBusy, onActivate, onRelease } = props;
  const counts = (["interactions", "sessions", "orders", "products"] as const).map(
    (name) => `${(model.dataCounts?.[name] ?? 0n).toLocaleString()} ${name}`,
  );
  return (
    <tr>
      <th scope="row">{model.version || <span class="muted">{model.modelId.slice(-8)}</span>}</th>
      <td class="time">
        <Time at={model.createTime} />
        <p class="muted">{TRAINING_REASONS[model.trainingReason]}</p>
      </td>
      <td class="wide">{counts.join(", ")}</td>
      <td class="number">
        {((model.trainingDuration === undefined ? 0 : durationMs(model.trainingDuration)) / 1000).toFixed(1)} s
      </td>
      <td class="number">{(Number(model.sizeBytes) / 1024).toFixed(0)} KiB</td>
      <td>
        {model.active ? (
          <>
            <span class="tag good">{model.held ? "serves, held" : "serves"}</span>
            {model.held && (
              <ConfirmButton
                label="Release"
                question="Serve the newest model, and each one that is trained?"
                disabled={isBusy}
                onConfirm={onRelease}
              />
            )}
          </>
        ) : (
          <ConfirmButton
            label="Roll back"
            question="Serve this one until it is released?"
            disabled={isBusy}
            onConfirm={onActivate}
          />
        )}
      </td>
    </tr>
  );
}

function Algorithms({ model }: { readonly model: Model }) {
  return (
    <details class="card">
      <summary>Its algorithms</summary>
      <ul class="log">
        {model.algorithms.map((algorithm) => (
          <li key={algorithm.algorithm}>
            <h2 class="name">
              {algorithmTitle(algorithm)} {!algorithm.included && <span class="tag">left out</span>}
            </h2>
            <p class="muted">{algorithm.included ? figuresText(algorithm) : algorithm.reason}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
