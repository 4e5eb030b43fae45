import type { Command } from "commander";
import { HookFailure, HookMessageType } from "../gen/aisle/v1/hook_message_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import { confirmLoss } from "./ask.js";
import { type AppOptions, appCommand, CALL, type Clients, withClients, withDryRun } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { allPages, printList } from "./list.js";
import { timeText } from "./message-values.js";
import { idList } from "./option-values.js";
import { printable, writeJson, writeLine } from "./output.js";

interface SetOptions extends AppOptions {
  readonly url: string;
  readonly erasures?: boolean;
}

export function define(hook: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) => appCommand(hook, name, description);
  withDryRun(command("set", "set the URL that receives changes, and print the secret that signs the messages"))
    .requiredOption("--url <url>", "an https address")
    .option("--erasures", "also tell of erasures, by ids")
    .addHelpText("after", "\nExample:\n  $ aisle hook set --app shop1 --url https://shop.example/aisle-hook")
    .action((options: SetOptions) => setHook(options, deps));
  command("show", "show the URL that receives changes")
    .addHelpText("after", "\nExample:\n  $ aisle hook show --app shop1")
    .action((options: AppOptions) => showHook(options, deps));
  withDryRun(command("remove", "remove the hook; waiting messages are dropped"))
    .option("--yes", "remove without asking")
    .addHelpText("after", "\nExample:\n  $ aisle hook remove --app shop1")
    .action((options: AppOptions & { readonly yes?: boolean }) => removeHook(options, deps));
  command("failed", "list messages that could not be delivered")
    .option("--json", "print one JSON document a line")
    .addHelpText("after", "\nExample:\n  $ aisle hook failed --app shop1")
    .action((options: AppOptions) => listFailed(options, deps));
  withDryRun(command("resend", "resend messages that could not be delivered"))
    .option("--id <ids>", "only these, comma-separated", idList)
    .option("--json", "print their number as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle hook resend --app shop1 --id n000000000017")
    .action((options: ResendOptions) => resend(options, deps));
}

async function setHook(options: SetOptions, deps: CommandDeps): Promise<void> {
  const request = { appId: options.app, url: options.url, tellErasures: options.erasures ?? false };
  const { secret } = await withClients(options, deps, ({ hooks }) => hooks.setHook(request, CALL));
  writeLine(deps.stdout, `Changes of ${options.app} are sent to ${printable(options.url)}`);
  writeLine(deps.stdout, `Messages are signed with ${secret} (shown only here)`);
}

async function showHook(options: AppOptions, deps: CommandDeps): Promise<void> {
  const call = ({ hooks }: Clients) => hooks.getHook({ appId: options.app }, CALL);
  const { url, tellErasures } = await withClients(options, deps, call);
  writeLine(deps.stdout, printable(url));
  if (tellErasures) writeLine(deps.stdout, "It is told of erasures");
}

async function removeHook(options: AppOptions & { readonly yes?: boolean }, deps: CommandDeps): Promise<void> {
  const loss = `This ends the messages of ${options.app} and drops those that wait`;
  await confirmLoss(deps, { yes: options.yes || options.dryRun, loss, word: options.app });
  await withClients(options, deps, ({ hooks }) => hooks.deleteHook({ appId: options.app }, CALL));
  writeLine(deps.stdout, `Changes of ${options.app} are no longer sent`);
}

const pageOfFailed = ({ hooks }: Clients, appId: string, pageToken: string) =>
  hooks.listFailedMessages({ appId, pageSize: 1000, pageToken }, CALL);

/** As in metrics. */
const failureText = (failure: HookFailure) => HookFailure[failure].toLowerCase();

function listFailed(options: AppOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: (clients, pageToken) => pageOfFailed(clients, options.app, pageToken),
    items: ({ messages }) => messages,
    json: ({ messageId, type, contactId, attemptCount, failure, httpStatus }) => ({
      messageId,
      type: HookMessageType[type].toLowerCase(),
      contactId,
      attempts: attemptCount,
      failure: failureText(failure),
      status: httpStatus,
    }),
    inDocuments: true,
    none: "No failed messages",
    columns: [
      ["id", ({ messageId }) => messageId],
      ["since", ({ createTime }) => timeText(createTime)],
      ["type", ({ type }) => HookMessageType[type].toLowerCase()],
      ["channel", ({ channel }) => (channel === SubscriptionChannel.EMAIL ? "e-mail" : "text")],
      ["sent", ({ attemptCount }) => String(attemptCount)],
      [
        "why",
        ({ failure, httpStatus }) =>
          httpStatus === 0 ? failureText(failure) : `${failureText(failure)} (${httpStatus})`,
      ],
    ],
  });
}

interface ResendOptions extends AppOptions {
  readonly id?: readonly string[];
}

async function resend(options: ResendOptions, deps: CommandDeps): Promise<void> {
  const resent = await withClients(options, deps, async (clients) => {
    const messageIds =
      options.id ??
      (await allPages(
        (pageToken) => pageOfFailed(clients, options.app, pageToken),
        ({ messages }) => messages.map(({ messageId }) => messageId),
      ));
    if (messageIds.length === 0) return 0;
    return (await clients.hooks.resendMessages({ appId: options.app, messageIds: [...messageIds] }, CALL)).resent;
  });
  if (options.json) return writeJson(deps.stdout, { resent });
  writeLine(deps.stdout, `${resent} ${resent === 1 ? "message is" : "messages are"} sent again`);
}
