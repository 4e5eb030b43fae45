/** A data set of the leaderboard: what servers learn from, and what they are asked. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { createRandom } from "../../src/learning/common/random.js";
import type { HistoryStep, RecommendCall, TrainCall } from "./protocol.js";
import { hiddenLines, type Step, sessionsOf, writeEvents } from "./recorded.js";

/** Products asked for, so that 20 new ones are among them. */
const ASKED_FOR = 60;
/** The newest steps of a visitor, which a server gets. */
const MAX_HISTORY = 1000;

export interface Question {
  /** Its session, order or customer: what the bootstrap draws. */
  readonly unit: string;
  readonly call: RecommendCall;
  readonly wanted: ReadonlySet<string>;
}

/** Questions of one kind. `readings`: the rows they are judged for, `new` without products of the history. */
export interface Task {
  /** Visits have an order; the orders of customers come again. */
  readonly kind: "visits" | "orders" | "customers";
  readonly questions: readonly Question[];
  readonly readings: readonly { readonly name: string; readonly isNew: boolean }[];
}

export interface DataSet {
  readonly training: TrainCall;
  readonly counts: { readonly products: number; readonly sessions: number };
  readonly tasks: readonly Task[];
}

export interface Sample {
  /** Sessions, orders or customers of a task. */
  readonly size: number;
  readonly seed: number;
}

/** Reads the files of `folder` and writes for the servers what they learn from to `directory`. */
export async function openDataSet(folder: string, directory: string, sample: Sample): Promise<DataSet> {
  const [train, dev, catalog] = ["train", "dev", "products"].map((part) => join(folder, `${part}.csv.gz`));
  const events = join(directory, "events.csv");
  const learned = await sessionsOf(train!);
  const judged = await sessionsOf(dev!);
  const orders = judged[0]?.[0]?.customer !== undefined;
  const counts = await writeEvents(train!, events, orders);
  const tasks = orders ? orderTasks(learned, judged, counts) : [nextItems(judged, counts)];
  return {
    training: { dataSet: basename(folder), events, products: existsSync(catalog!) ? catalog! : "" },
    counts: { products: counts.size, sessions: learned.length },
    tasks: tasks
      .map((task) => ({ ...task, questions: sampled(task.questions, sample) }))
      .filter(({ questions }) => questions.length > 0),
  };
}

type Counts = ReadonlyMap<string, number>;

/** Each step of a session is to be found from those before it. */
function nextItems(sessions: readonly (readonly Step[])[], known: Counts): Task {
  const questions: Question[] = [];
  for (const session of sessions)
    for (let i = 1; i < session.length; i++) {
      const { item } = session[i]!;
      if (!known.has(item)) continue;
      const call = asked(session.slice(0, i), "product_view", { current: session[i - 1]!.item, repeats: true });
      questions.push({ unit: String(session[0]!.session), call, wanted: new Set([item]) });
    }
  const readings = [
    { name: "next_item", isNew: false },
    { name: "next_new_item", isNew: true },
  ];
  return { kind: "visits", questions, readings };
}

function orderTasks(
  learned: readonly (readonly Step[])[],
  judged: readonly (readonly Step[])[],
  known: Counts,
): Task[] {
  const inCart = { current: "", repeats: false };
  const hidden = [...hiddenLines(judged, known)].map(({ prefix, next }) => ({
    unit: String(prefix[0]!.session),
    call: asked(prefix, "add_to_cart", inCart),
    wanted: new Set([next]),
  }));
  const rest = judged.flatMap((order): Question[] => {
    const lines = order.filter(({ item }) => known.has(item));
    const [first] = lines;
    const wanted = new Set(lines.map(({ item }) => item));
    if (first === undefined || !wanted.delete(first.item) || wanted.size === 0) return [];
    const call = asked([first], "product_view", { current: first.item, repeats: false });
    return [{ unit: String(first.session), call, wanted }];
  });
  const next = nextOrders(learned, judged, known);
  const task = (kind: Task["kind"], name: string, questions: readonly Question[], isNew = true) => {
    return { kind, questions, readings: [{ name, isNew }] };
  };
  return [
    task("orders", "hidden_line", hidden),
    task("orders", "rest_of_order", rest),
    task(
      "customers",
      "next_order_new",
      next.map((question) => withRepeats(question, false)),
    ),
    task("customers", "next_order", next, false),
  ];
}

function withRepeats(question: Question, repeats: boolean): Question {
  return { ...question, call: { ...question.call, repeats } };
}

/** A customer's first order of the judged part, from all orders of the learned part. */
function nextOrders(learned: readonly (readonly Step[])[], judged: readonly (readonly Step[])[], known: Counts) {
  const earlier = new Map<string, Step[]>();
  for (const step of learned.flat()) {
    const { customer = "" } = step;
    if (customer === "") continue;
    const steps = earlier.get(customer);
    if (steps === undefined) earlier.set(customer, [step]);
    else steps.push(step);
  }
  const questions: Question[] = [];
  for (const order of judged) {
    const customer = order[0]?.customer ?? "";
    const history = earlier.get(customer);
    const wanted = new Set(order.map(({ item }) => item).filter((item) => known.has(item)));
    if (history === undefined || wanted.size === 0) continue;
    earlier.delete(customer);
    history.sort((a, b) => a.at - b.at);
    questions.push({ unit: customer, call: asked(history, "order", { current: "", repeats: true }), wanted });
  }
  return questions;
}

function asked(
  steps: readonly Step[],
  type: HistoryStep["type"],
  rest: Pick<RecommendCall, "current" | "repeats">,
): RecommendCall {
  const history = steps.slice(-MAX_HISTORY).map(({ item, at }) => {
    return { type, product: item, time: new Date(at).toISOString() };
  });
  return { history, ...rest, count: ASKED_FOR };
}

/** All questions of so many units, drawn by the seed; the same units whatever the order of the questions. */
function sampled(questions: readonly Question[], { size, seed }: Sample): readonly Question[] {
  const units = [...new Set(questions.map(({ unit }) => unit))];
  if (units.length <= size) return questions;
  const random = createRandom(seed);
  const drawn = new Set<string>();
  while (drawn.size < size) drawn.add(units[Math.floor(random() * units.length)]!);
  return questions.filter(({ unit }) => drawn.has(unit));
}
