/** One metric: what it says, and each label with all values it can have. Another value is shown as `other`. */
export interface MetricDefinition {
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined;
}

export type Labels = Readonly<Record<string, string>>;

const OTHER = "other";

interface Label {
  readonly name: string;
  /** Numbers of the values; what is not in it has the number of `other`. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly values: readonly string[];
  readonly other: number;
  /** Numbers of all combinations of the labels after it. */
  readonly stride: number;
}

/**
 * All combinations of a metric's labels, numbered. What a caller gives becomes a number, so that nothing it sends can
 * become a series; and counting is an addition in an array, where prom-client puts a text together each time.
 */
export class LabelSets {
  readonly size: number;
  private readonly labels: readonly Label[];
  private readonly declared: number;

  constructor(definition: MetricDefinition) {
    let stride = 1;
    let declared = 1;
    const labels: Label[] = [];
    for (const [name, known] of Object.entries(definition.labels ?? {}).reverse()) {
      const values = [...new Set([...known, OTHER])];
      const numbers = new Map(values.map((value, n) => [value, n]));
      labels.unshift({ name, values, numbers, other: values.indexOf(OTHER), stride });
      stride *= values.length;
      declared *= known.length;
    }
    this.labels = labels;
    this.size = stride;
    this.declared = declared;
  }

  /** The number of these labels: those declared and no others, each with a declared value or `other`. */
  numberOf(given: Labels | undefined): number {
    let number = 0;
    for (const { name, numbers, other, stride } of this.labels) {
      const value = given?.[name];
      number += (value === undefined ? other : (numbers.get(value) ?? other)) * stride;
    }
    return number;
  }

  labelsOf(number: number): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const { name, values, stride } of this.labels)
      shown[name] = values[Math.floor(number / stride) % values.length] ?? OTHER;
    return shown;
  }

  /** Whether the combination is shown before it is counted: those of one label are, so that an alarm sees a zero. */
  isShownAtZero(number: number): boolean {
    return this.labels.length === 0 || (this.labels.length === 1 && number < this.declared);
  }
}
