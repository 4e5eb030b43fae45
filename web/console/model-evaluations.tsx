/** Whether the models of an app are better than its most popular products, in words. */
import { EvaluatedPage, type Model, type ModelEvaluation } from "../../src/gen/aisle/v1/model_pb.js";
import { Table, Time } from "./parts.js";

const PAGES: readonly (readonly [EvaluatedPage, string])[] = [
  [EvaluatedPage.BROWSING, "product pages"],
  [EvaluatedPage.BROWSING_WITH_CART, "product pages with a cart"],
  [EvaluatedPage.CART, "the cart"],
];

/** Models whose figures are shown, the newest ones. */
const MOST_MODELS = 10;

/** The verdict of a page in words. */
export function evaluationText({ page, questionCount, hitRate, popularityHitRate, gain }: ModelEvaluation): string {
  const where = PAGES.find(([known]) => known === page)?.[1] ?? "other pages";
  const figures =
    `of ${questionCount.toLocaleString("en")} questions, its first 20 products had the answer in ${percent(hitRate)} %, ` +
    `the 20 most popular ones in ${percent(popularityHitRate)} %`;
  return `On ${where}: ${verdictText(gain)}. ${figures[0]?.toUpperCase()}${figures.slice(1)}.`;
}

function verdictText(gain: ModelEvaluation["gain"]): string {
  if (gain === undefined) return "not compared";
  const { value, low, high } = gain;
  if (low > 0) return `better than bestsellers by ${points(value)} (${percent(low)} to ${percent(high)})`;
  if (high < 0) return `worse than bestsellers by ${points(-value)} (${percent(-high)} to ${percent(-low)})`;
  return `no difference from bestsellers seen (${percent(low)} to ${percent(high)} points)`;
}

/** The verdict on the model that serves, and the figures of the last ones. */
export function EvaluationsCard({ models }: { readonly models: readonly Model[] }) {
  const serving = models.find(({ active }) => active);
  if (serving === undefined) return null;
  const judged = models.filter(({ evaluations }) => evaluations.length > 0).slice(0, MOST_MODELS);
  return (
    <section class="card" aria-labelledby="better">
      <h2 id="better">Is it better than bestsellers?</h2>
      {serving.evaluations.length === 0 ? (
        <p>Not known yet: the training needs 50 newer steps of visits or orders to judge the model by.</p>
      ) : (
        <ul class="verdicts">
          {serving.evaluations.map((evaluation) => (
            <li key={evaluation.page}>{evaluationText(evaluation)}</li>
          ))}
        </ul>
      )}
      <p class="muted">
        Each training asks the model for what its newest visitors did next, without having learned from them. In
        brackets: the range that chance allows, 95 %.
      </p>
      {judged.length > 1 && (
        <Table label="How much better than bestsellers the last models were">
          <thead>
            <tr>
              <th scope="col">Made</th>
              {PAGES.map(([page, name]) => (
                <th key={page} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {judged.map((model) => (
              <tr key={model.modelId}>
                <th scope="row">
                  <Time at={model.createTime} />
                </th>
                {PAGES.map(([page]) => (
                  <td key={page} class="number">
                    {gainText(model.evaluations.find((one) => one.page === page))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function gainText(evaluation: ModelEvaluation | undefined): string {
  if (evaluation?.gain === undefined) return "–";
  const { value, low, high } = evaluation.gain;
  return `${value > 0 ? "+" : ""}${points(value)} (${percent(low)} to ${percent(high)})`;
}

function points(share: number): string {
  return `${percent(share)} points`;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
