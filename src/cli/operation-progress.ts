import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { Presets, SingleBar } from "cli-progress";
import { type Operation, OperationStage, OperationState } from "../gen/aisle/v1/operation_pb.js";
import type { WatchOperationRequestSchema } from "../gen/aisle/v1/operation_service_pb.js";
import type { Clients } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure } from "./errors.js";
import { type Output, writeLine } from "./output.js";

/**
 * Shows the progress of an operation until it has ended, and returns it. Throws ConnectError when it failed, as a failed
 * call would, and Failure when it was cancelled. The operation goes on when this ends early.
 */
export async function followOperation(
  { operations }: Pick<Clients, "operations">,
  begun: Operation | undefined,
  { stderr, name }: { readonly stderr: Output; readonly name: string },
): Promise<Operation> {
  if (begun === undefined) throw new Failure("The server answered no operation");
  const { appId, operationId } = begun;
  const stages = createStages(stderr, name);
  let last = begun;
  try {
    const request: MessageInitShape<typeof WatchOperationRequestSchema> = { appId, operationId };
    for await (const { operation } of operations.watchOperation(request)) {
      last = operation ?? last;
      stages.show(stageText(last), last.progress?.doneShare ?? 0);
    }
  } finally {
    stages.stop();
  }
  return ended(last);
}

/** Follows the operation that a command began; undefined in a dry run, and with `--no-wait`, which prints its id. */
export async function followUnless(
  clients: Pick<Clients, "operations">,
  begun: Operation | undefined,
  { wait, dryRun = false }: { readonly wait: boolean; readonly dryRun?: boolean },
  { name, deps }: { readonly name: string; readonly deps: Pick<CommandDeps, "stdout" | "stderr"> },
): Promise<Operation | undefined> {
  if (dryRun) return undefined;
  if (wait) return followOperation(clients, begun, { stderr: deps.stderr, name });
  writeLine(deps.stdout, begun?.operationId ?? "");
  return undefined;
}

/** The operation, if it succeeded. */
export function ended(operation: Operation): Operation {
  const { result, state, operationId } = operation;
  if (result.case === "error") throw new ConnectError(result.value.message, codeOf(result.value.code));
  if (state === OperationState.CANCELLED) throw new Failure(`Operation ${operationId} was cancelled`);
  if (state !== OperationState.SUCCEEDED) throw new Failure(`Operation ${operationId} has not ended; it goes on`);
  return operation;
}

/** `association_rules`; "" for none. */
export function stageText({ progress }: Operation): string {
  const stage = progress?.stage ?? OperationStage.UNSPECIFIED;
  return stage === OperationStage.UNSPECIFIED ? "" : (OperationStage[stage]?.toLowerCase() ?? "");
}

function codeOf(code: number): Code {
  return code in Code ? code : Code.Unknown;
}

/** Shows the progress of long work on the server. */
interface Stages {
  /** Shows `stage` as it is; `share` of the work is done, 0 to 1. */
  show(stage: string, share: number): void;
  stop(): void;
}

/** A bar on a terminal, otherwise a line for each stage. */
function createStages(output: Output, name: string): Stages {
  if (output.isTTY) {
    const format = `${name} {bar} {percentage} % | {stage}`;
    const bar = new SingleBar(
      { stream: output, format, barsize: 20, hideCursor: false, linewrap: true, gracefulExit: false },
      Presets.shades_classic,
    );
    let started = false;
    return {
      show(stage: string, share: number) {
        if (!started) bar.start(100, 0, { stage });
        started = true;
        bar.update(Math.round(share * 100), stage ? { stage } : {});
      },
      stop() {
        if (started) bar.stop();
      },
    };
  }
  let last = "";
  return {
    show(stage: string, share: number) {
      if (stage !== "" && stage !== last) writeLine(output, `${Math.round(share * 100)} % ${stage}`);
      last = stage;
    },
    stop() {},
  };
}
