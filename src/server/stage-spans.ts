import { type Span, spanOf, type Tracer, traced } from "../adapters/tracer.js";
import type { RunTraining, TrainingProgress } from "../learning/training/trainer.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";

type Wait = <T>(read: () => Promise<T>) => Promise<T>;

/** Wraps the stages in spans. Without a tracer each function returns its argument. */
export function stageSpans(tracer: Tracer | undefined) {
  return {
    around: <A extends unknown[], R>(name: string, work: (...args: A) => R) => traced(tracer, name, work),

    /** From the start of a work until it is durable, including the wait for the commit. */
    unitOfWork(unitOfWork: UnitOfWork): UnitOfWork {
      if (tracer === undefined) return unitOfWork;
      const commit = <T>(run: () => Promise<T>) => spanOf(tracer, "store commit", run);
      return {
        run: (appId, work) => commit(() => unitOfWork.run(appId, work)),
        runEach: (appId, works) => commit(() => unitOfWork.runEach(appId, works)),
      };
    },

    wait(name: string, wait: Wait | undefined): { readonly historyInTime?: Wait } {
      if (tracer === undefined) return wait === undefined ? {} : { historyInTime: wait };
      return { historyInTime: (read) => spanOf(tracer, name, () => (wait === undefined ? read() : wait(read))) };
    },

    /** One span for the training, and in it one for each of its stages. */
    training(run: RunTraining): RunTraining {
      if (tracer === undefined) return run;
      return (appId, onProgress, signal) =>
        spanOf(tracer, "training", async () => {
          let stage: Span | undefined;
          const next = (name: string) => {
            stage?.end("ok");
            stage = tracer.start(`training ${name}`);
          };
          try {
            const shown = (progress: TrainingProgress) => {
              next(progress.stage);
              onProgress(progress);
            };
            const model = await run(appId, shown, signal);
            stage?.end("ok");
            return model;
          } catch (error) {
            stage?.end("failed");
            throw error;
          }
        });
    },
  };
}
