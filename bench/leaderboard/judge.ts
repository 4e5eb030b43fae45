/** Figures of answers, with 95 % intervals by bootstrap over sessions, orders or customers. */
import { bootstrapInterval, type Interval } from "../bootstrap.js";
import type { Question } from "./data-set.js";

const K = 20;

export interface Figure extends Interval {
  readonly value: number;
}

const MEASURES = ["hitRate", "reciprocalRank", "recall"] as const;
export type Measure = (typeof MEASURES)[number];
export type Figures = Readonly<Record<Measure, Figure>>;

/** Sums of a unit's questions. */
type Sums = Record<Measure | "questions", number>;

/** What one server answered to the questions of one reading. */
export class Judge {
  /** Sums by unit, in the order in which they were met: the same for all servers. */
  private readonly units: Map<string, Sums>;

  constructor(
    private readonly isNew: boolean,
    units: Iterable<readonly [string, Sums]> = [],
  ) {
    this.units = new Map(units);
  }

  /** What the constructor takes. */
  toJSON() {
    return { isNew: this.isNew, units: [...this.units] };
  }

  take(products: readonly string[], { unit, call, wanted }: Question): void {
    const seen = new Set(this.isNew ? call.history.map(({ product }) => product) : []);
    const sought = new Set([...wanted].filter((product) => !seen.has(product)));
    if (sought.size === 0) return;
    const shown = products.filter((product) => !seen.has(product)).slice(0, K);
    const place = shown.findIndex((product) => sought.has(product));
    const sums = this.units.get(unit) ?? { questions: 0, hitRate: 0, reciprocalRank: 0, recall: 0 };
    this.units.set(unit, sums);
    sums.questions++;
    sums.hitRate += place < 0 ? 0 : 1;
    sums.reciprocalRank += place < 0 ? 0 : 1 / (place + 1);
    sums.recall += shown.filter((product) => sought.has(product)).length / sought.size;
  }

  get questions(): number {
    return total(this.sums("questions"));
  }

  figures(): Figures {
    const of = (measure: Measure) => this.figure(this.sums(measure));
    return { hitRate: of("hitRate"), reciprocalRank: of("reciprocalRank"), recall: of("recall") };
  }

  /** By how much this one is better than another that was asked the same. */
  lead(other: Judge, measure: Measure): Figure {
    const theirs = other.sums(measure);
    return this.figure(this.sums(measure).map((sum, unit) => sum - theirs[unit]!));
  }

  private figure(sums: readonly number[]): Figure {
    return { value: total(sums) / Math.max(1, this.questions), ...bootstrapInterval(sums, this.sums("questions")) };
  }

  private sums(of: Measure | "questions"): number[] {
    return [...this.units.values()].map((sums) => sums[of]);
  }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
