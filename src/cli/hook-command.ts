import type { Command } from "commander";
import { HookFailure, type HookMessage, HookMessageType } from "../gen/aisle/v1/hook_message_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import { confirmLoss } from "./ask.js";
import {
  allPages,
  CALL_TIMEOUT_MS,
  type Clients,
  type ServerOptions,
  withClients,
  withDryRun,
  withServer,
} from "./client.js";
import type { CommandDeps } from "./deps.js";
import { timeText } from "./message-values.js";
import { idList, plainId } from "./option-values.js";
import { printable, writeJson, writeLine, writeTable } from "./output.js";

interface AppOptions extends ServerOptions {
  readonly app: string;
}

interface SetOptions extends AppOptions {
  readonly url: string;
  readonly erasures?: boolean;
}

const CALL = { timeoutMs: CALL_TIMEOUT_MS };

export function define(hook: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) =>
    withServer(hook.command(name)).description(description).requiredOption("--app <id>", "the app", plainId);
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
    .action((options: AppOptions & { readonly json?: boolean }) => listFailed(options, deps));
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

function allFailed({ hooks }: Clients, appId: string): Promise<HookMessage[]> {
  return allPages(async (pageToken) => {
    const page = await hooks.listFailedMessages({ appId, pageSize: 1000, pageToken }, CALL);
    return { items: page.messages, nextPageToken: page.nextPageToken };
  });
}

/** As in metrics. */
const failureText = (failure: HookFailure) => HookFailure[failure].toLowerCase();

async function listFailed(options: AppOptions & { readonly json?: boolean }, deps: CommandDeps): Promise<void> {
  const messages = await withClients(options, deps, (clients) => allFailed(clients, options.app));
  if (options.json) {
    for (const { messageId, type, contactId, attemptCount: attempts, failure, httpStatus: status } of messages)
      writeJson(deps.stdout, {
        messageId,
        type: HookMessageType[type].toLowerCase(),
        contactId,
        attempts,
        failure: failureText(failure),
        status,
      });
    return;
  }
  if (messages.length === 0) {
    writeLine(deps.stdout, "No failed messages");
    return;
  }
  writeTable(
    deps.stdout,
    [{ title: "id" }, { title: "since" }, { title: "type" }, { title: "channel" }, { title: "sent" }, { title: "why" }],
    messages.map(
      ({ messageId, createTime: createdAt, type, channel, attemptCount: attempts, failure, httpStatus: status }) => [
        messageId,
        timeText(createdAt),
        HookMessageType[type].toLowerCase(),
        channel === SubscriptionChannel.EMAIL ? "e-mail" : "text",
        String(attempts),
        status === 0 ? failureText(failure) : `${failureText(failure)} (${status})`,
      ],
    ),
  );
}

interface ResendOptions extends AppOptions {
  readonly id?: readonly string[];
  readonly json?: boolean;
}

async function resend(options: ResendOptions, deps: CommandDeps): Promise<void> {
  const resent = await withClients(options, deps, async (clients) => {
    const messageIds = options.id ?? (await allFailed(clients, options.app)).map(({ messageId }) => messageId);
    if (messageIds.length === 0) return 0;
    return (await clients.hooks.resendMessages({ appId: options.app, messageIds: [...messageIds] }, CALL)).resent;
  });
  if (options.json) return writeJson(deps.stdout, { resent });
  writeLine(deps.stdout, `${resent} ${resent === 1 ? "message is" : "messages are"} sent again`);
}
