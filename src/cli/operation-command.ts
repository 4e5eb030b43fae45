import { toJson } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { type Operation, OperationKind, OperationSchema, OperationState } from "../gen/aisle/v1/operation_pb.js";
import { type AppOptions, appCommand, CALL, withClients } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { printList } from "./list.js";
import { timeText } from "./message-values.js";
import { ended, followOperation, stageText } from "./operation-progress.js";
import { printable, writeJson, writeLine } from "./output.js";

export function define(operation: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) =>
    appCommand(operation, name, description).option("--json", "print as JSON");
  command("list", "list the operations of an app, newest first")
    .addHelpText("after", "\nExample:\n  $ aisle operation list --app shop1")
    .action((options: AppOptions) => listOperations(options, deps));
  command("get <operation-id>", "show an operation")
    .addHelpText("after", "\nExample:\n  $ aisle operation get 01920f1c-… --app shop1")
    .action((operationId: string, options: AppOptions) => getOperation(operationId, options, deps));
  command("wait <operation-id>", "wait until an operation has ended; fails when it failed")
    .addHelpText("after", "\nExample:\n  $ aisle operation wait 01920f1c-… --app shop1")
    .action((operationId: string, options: AppOptions) => waitOperation(operationId, options, deps));
  command("cancel <operation-id>", "stop a training or an evaluation; other operations go on")
    .addHelpText("after", "\nExample:\n  $ aisle operation cancel 01920f1c-… --app shop1")
    .action((operationId: string, options: AppOptions) => cancelOperation(operationId, options, deps));
}

function listOperations(options: AppOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: ({ operations }, pageToken) =>
      operations.listOperations({ appId: options.app, pageSize: 1000, pageToken }, CALL),
    items: ({ operations }) => operations,
    json: (operation) => toJson(OperationSchema, operation),
    inDocuments: true,
    none: "No operations",
    columns: [
      ["id", ({ operationId }) => operationId],
      ["what", ({ kind }) => nameOf(OperationKind[kind])],
      ["since", ({ createTime }) => timeText(createTime)],
      ["state", stateText],
    ],
  });
}

async function getOperation(operationId: string, options: AppOptions, deps: CommandDeps): Promise<void> {
  const request = { appId: options.app, operationId };
  const { operation } = await withClients(options, deps, ({ operations }) => operations.getOperation(request, CALL));
  if (operation !== undefined) show(operation, options, deps);
}

async function waitOperation(operationId: string, options: AppOptions, deps: CommandDeps): Promise<void> {
  const request = { appId: options.app, operationId };
  const operation = await withClients(options, deps, async (clients) => {
    const { operation: begun } = await clients.operations.waitOperation(
      { ...request, timeout: durationFromMs(0) },
      CALL,
    );
    return followOperation(clients, begun, { stderr: deps.stderr, name: "operation" });
  });
  show(ended(operation), options, deps);
}

async function cancelOperation(operationId: string, options: AppOptions, deps: CommandDeps): Promise<void> {
  const request = { appId: options.app, operationId };
  const { operation } = await withClients(options, deps, ({ operations }) => operations.cancelOperation(request, CALL));
  if (operation === undefined) return;
  const isResumed = operation.kind === OperationKind.ERASE_VISITOR || operation.kind === OperationKind.RUN_FEED;
  const isStopping = operation.state === OperationState.RUNNING && !isResumed;
  if (options.json || !isStopping) show(operation, options, deps);
  else writeLine(deps.stdout, `Operation ${operationId} stops within some seconds`);
}

function show(operation: Operation, { json }: AppOptions, { stdout }: CommandDeps): void {
  if (json) writeJson(stdout, toJson(OperationSchema, operation));
  else writeLine(stdout, `${operation.operationId}: ${nameOf(OperationKind[operation.kind])}, ${stateText(operation)}`);
}

function stateText(operation: Operation): string {
  const state = nameOf(OperationState[operation.state]);
  if (operation.result.case === "error") return `${state}: ${printable(operation.result.value.message)}`;
  if (operation.state !== OperationState.RUNNING) return state;
  const share = Math.round((operation.progress?.doneShare ?? 0) * 100);
  return `${state}, ${share} % ${stageText(operation)}`.trimEnd();
}

/** `train model` of TRAIN_MODEL. */
function nameOf(name: string | undefined): string {
  return (name ?? "unknown").toLowerCase().replaceAll("_", " ");
}
