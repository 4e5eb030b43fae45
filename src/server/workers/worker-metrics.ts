/**
 * One metrics text for several processes. The scraped process asks the keeper, which asks all and returns their
 * metrics. A process that ends takes its counts with it; scrapers treat that as a restart.
 */
import { type Figures, type PrometheusMetrics, textOfAll } from "../../adapters/metrics/prometheus.js";
import type { MetricsText } from "../../services/wire/http-endpoints.js";
import type { ToWorker } from "./worker-messages.js";

/** Processes that are busy for longer are left out, ms. */
const GATHER_MS = 1000;
/** Maximum wait for the keeper; the process then shows its own metrics, ms. */
const ANSWER_MS = 2000;

/** The keeper's side. `Child` identifies a process. */
export interface Scrapes<Child> {
  /** `asker` requests the metrics of all, under a number of its own. */
  begin(asker: Child, round: number): void;
  take(child: Child, round: number, figures: Figures): void;
  /** The process has ended. */
  forget(child: Child): void;
}

interface Scrape<Child> {
  readonly figures: Figures[];
  readonly missing: Set<Child>;
  readonly finish: () => void;
}

export function createScrapes<Child>(
  children: ReadonlySet<Child>,
  tell: (child: Child, message: ToWorker) => void,
): Scrapes<Child> {
  const scrapes = new Map<number, Scrape<Child>>();
  let last = 0;
  const arrived = (scrape: Scrape<Child>, child: Child) => {
    scrape.missing.delete(child);
    if (scrape.missing.size === 0) scrape.finish();
  };
  return {
    begin(asker, askersRound) {
      const round = ++last;
      const figures: Figures[] = [];
      const finish = () => {
        clearTimeout(timer);
        if (scrapes.delete(round)) tell(asker, { kind: "counted", round: askersRound, figures });
      };
      const timer = setTimeout(finish, GATHER_MS);
      scrapes.set(round, { figures, missing: new Set(children), finish });
      for (const child of children) tell(child, { kind: "count", round });
    },
    take(child, round, figures) {
      const scrape = scrapes.get(round);
      if (!scrape?.missing.has(child)) return;
      scrape.figures.push(figures);
      arrived(scrape, child);
    },
    forget(child) {
      for (const scrape of [...scrapes.values()]) arrived(scrape, child);
    },
  };
}

/** The side of a scraped process. */
export interface WorkerMetrics extends MetricsText {
  /** Handles the keeper's answer to the request of this number. */
  counted(round: number, figures: readonly Figures[]): void;
}

export function createWorkerMetrics(deps: {
  readonly metrics: PrometheusMetrics;
  readonly ask: (round: number) => void;
}): WorkerMetrics {
  const waiting = new Map<number, (figures: readonly Figures[]) => void>();
  let last = 0;
  return {
    contentType: deps.metrics.contentType,
    async text() {
      const round = ++last;
      let timer: NodeJS.Timeout | undefined;
      const figures = await new Promise<readonly Figures[]>((resolve) => {
        waiting.set(round, resolve);
        timer = setTimeout(() => resolve([]), ANSWER_MS);
        deps.ask(round);
      });
      clearTimeout(timer);
      waiting.delete(round);
      return figures.length === 0 ? deps.metrics.text() : textOfAll(figures);
    },
    counted: (round, figures) => waiting.get(round)?.(figures),
  };
}
