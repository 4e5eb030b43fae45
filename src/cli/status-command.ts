import type { Command } from "commander";
import { SubscriptionState } from "../gen/aisle/v1/subscription_pb.js";
import { type AppOptions, CALL, withClients, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { plainId } from "./option-values.js";
import { writeJson, writeTable } from "./output.js";

interface StatusOptions extends AppOptions {
  readonly fpcid: string;
}

export function define(status: Command, deps: CommandDeps): void {
  withServer(status)
    .requiredOption("--app <id>", "the app", plainId)
    .requiredOption("--fpcid <id>", "the visitor's fingerprint cookie id")
    .option("--json", "print JSON with identified and status, named as in the REST interface, and sms")
    .addHelpText("after", "\nExample:\n  $ aisle status --app shop1 --fpcid 6f0c2f8ab1")
    .action((options: StatusOptions) => showStatus(options, deps));
}

async function showStatus(options: StatusOptions, deps: CommandDeps): Promise<void> {
  const answer = await withClients(options, deps, ({ subscriptions }) =>
    subscriptions.getStatus({ appId: options.app, visitor: { fingerprintId: options.fpcid } }, CALL),
  );
  const { identified, emailState, smsState } = answer;
  if (options.json)
    return writeJson(deps.stdout, { identified, status: isSubscribed(emailState), sms: isSubscribed(smsState) });
  writeTable(
    deps.stdout,
    [
      ["identified", () => (identified ? "yes" : "no")],
      ["newsletter", () => stateText(emailState)],
      ["text messages", () => stateText(smsState)],
    ],
    [answer],
  );
}

function isSubscribed(state: SubscriptionState): boolean | null {
  if (state === SubscriptionState.SUBSCRIBED) return true;
  return state === SubscriptionState.UNSUBSCRIBED ? false : null;
}

function stateText(state: SubscriptionState): string {
  const subscribed = isSubscribed(state);
  return subscribed === null ? "unknown" : subscribed ? "subscribed" : "unsubscribed";
}
