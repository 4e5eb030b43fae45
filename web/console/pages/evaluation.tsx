import { useMemo, useState } from "preact/hooks";
import { type EvaluatedTask, type Evaluation, RankingKind } from "../../../src/gen/aisle/v1/evaluation_pb.js";
import { Chart, type Curve } from "../chart.js";
import { useSurroundings } from "../context.js";
import { type FigureName, figuresOf, figureTitle, historyTitle, rankingTitle, taskTitle } from "../evaluation-words.js";
import { followed, stageText } from "../follow-operation.js";
import { ErrorNote, Field, Status, Table, Time } from "../parts.js";
import { useAction } from "../use-load.js";

/** Runs an evaluation on request and shows it. */
export function EvaluationCard({ appId }: { readonly appId: string }) {
  const { clients } = useSurroundings();
  const [progress, setProgress] = useState<{ stage: string; share: number }>();
  const [evaluation, setEvaluation] = useState<Evaluation>();
  const evaluate = useAction(async () => {
    try {
      const { operation: begun } = await clients.models.evaluateModel({ appId });
      for await (const operation of followed(clients, begun)) {
        setProgress({ stage: stageText(operation), share: operation.progress?.doneShare ?? 0 });
        if (operation.result.case === "evaluation") setEvaluation(operation.result.value);
      }
    } finally {
      setProgress(undefined);
    }
  });
  return (
    <section class="card" aria-labelledby="evaluation">
      <div class="row between">
        <h2 id="evaluation">Evaluation</h2>
        <button type="button" disabled={evaluate.isRunning} onClick={() => evaluate.run()}>
          Evaluate
        </button>
      </div>
      <p class="muted">
        Trains on all but the newest tenth of the visits and judges the result on these. Stores nothing and does not
        affect serving.
      </p>
      <ErrorNote error={evaluate.error} />
      <Status>{progress && `Working: ${progress.stage}`}</Status>
      {progress && <progress value={progress.share} aria-label="Share of the evaluation done" />}
      {evaluation && <EvaluationFigures evaluation={evaluation} />}
    </section>
  );
}

function EvaluationFigures({ evaluation }: { readonly evaluation: Evaluation }) {
  const asked = evaluation.tasks.filter(({ queryCount: queries }) => queries > 0);
  const [chosen, setChosen] = useState(asked[0]?.task);
  const task = asked.find((each) => each.task === chosen);
  return (
    <>
      <p class="muted">
        Learned up to <Time at={evaluation.cutOffTime} />.
      </p>
      <Field id="task" label="Question" hint={task && `Asked ${task.queryCount} times.`}>
        {(attributes) => (
          <select
            {...attributes}
            value={String(chosen)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            {asked.map((each) => (
              <option key={each.task} value={String(each.task)}>
                {taskTitle(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {task && <TaskFigures key={task.task} task={task} />}
    </>
  );
}

function TaskFigures({ task }: { readonly task: EvaluatedTask }) {
  const names = figuresOf(task.rankings);
  const [figure, setFigure] = useState<FigureName>(names[0] ?? "hitRate");
  const histories = task.rankings[0]?.histories ?? [];
  const steps = useMemo(() => histories.map(historyTitle), [histories]);
  const curves = useMemo(
    () =>
      task.rankings.map(
        (ranking): Curve => ({
          name: rankingTitle(ranking),
          isDashed: ranking.kind === RankingKind.BASELINE,
          values: ranking.histories.map(({ figures }) => figures?.[figure]),
        }),
      ),
    [task, figure],
  );
  return (
    <>
      <Field id="figure" label="Figure">
        {(attributes) => (
          <select
            {...attributes}
            value={figure}
            onChange={(event) => setFigure(names.find((name) => name === event.currentTarget.value) ?? figure)}
          >
            {names.map((each) => (
              <option key={each} value={each}>
                {figureTitle(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {steps.length > 1 && (
        <Chart
          label={`${figureTitle(figure)} by length of history`}
          steps={steps}
          stepsLabel="steps known"
          curves={curves}
        />
      )}
      <Table label="Figures of each ranking">
        <thead>
          <tr>
            <th scope="col">Ranking</th>
            <th scope="col" class="number">
              All
            </th>
            {histories.map((history) => (
              <th key={history.minLength} scope="col" class="number">
                {historyTitle(history)} <span class="hidden">known</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {task.rankings.map((ranking) => (
            <tr key={`${ranking.ranking} ${ranking.kind}`}>
              <th scope="row">
                {rankingTitle(ranking)} <span class="tag">{KINDS[ranking.kind]}</span>
              </th>
              <td class="number">{share(ranking.figures?.[figure])}</td>
              {histories.map(({ minLength: least }, index) => (
                <td key={least} class="number">
                  {share(ranking.histories[index]?.figures?.[figure])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

const KINDS: Readonly<Record<RankingKind, string>> = {
  [RankingKind.UNSPECIFIED]: "",
  [RankingKind.ANSWER]: "answer",
  [RankingKind.SOURCE]: "source alone",
  [RankingKind.BASELINE]: "baseline",
};

function share(value: number | undefined): string {
  return value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
}
