import { type Command, Option } from "commander";
import { LinkPurpose } from "../gen/aisle/v1/link_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import { type AppOptions, CALL, withClients, withDryRun, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { timeText } from "./message-values.js";
import { plainId, wholeNumber } from "./option-values.js";
import { writeLine } from "./output.js";

interface LinkOptions extends AppOptions {
  readonly email?: string;
  readonly phone?: string;
  readonly for: "confirm" | "unsubscribe";
  readonly days?: number;
}

const PURPOSES = { confirm: LinkPurpose.CONFIRM, unsubscribe: LinkPurpose.UNSUBSCRIBE } as const;

export function define(link: Command, deps: CommandDeps): void {
  withDryRun(withServer(link))
    .requiredOption("--app <id>", "the app", plainId)
    .addOption(
      new Option("--for <purpose>", "purpose of the link").choices(["confirm", "unsubscribe"]).makeOptionMandatory(),
    )
    .option("--email <address>", "the contact's e-mail address")
    .option("--phone <number>", "the contact's phone number, instead of an e-mail address")
    .option("--days <n>", "lifetime in days (default: 7 for confirm, 730 for unsubscribe)", wholeNumber(1, 3660))
    .addHelpText("after", "\nExample:\n  $ aisle link --app shop1 --for unsubscribe --email ada@shop.example")
    .action((options: LinkOptions) => makeLink(options, deps));
}

async function makeLink(options: LinkOptions, deps: CommandDeps): Promise<void> {
  const { app: appId, email = "", phone = "", days } = options;
  const {
    url,
    expireTime: validUntil,
    mailHeaders,
  } = await withClients(options, deps, ({ subscriptions }) =>
    subscriptions.createLink(
      {
        appId,
        contact: email === "" ? { case: "phone", value: phone } : { case: "email", value: email },
        purpose: PURPOSES[options.for],
        channel: email === "" ? SubscriptionChannel.SMS : SubscriptionChannel.EMAIL,
        ...(days !== undefined && { ttl: { seconds: BigInt(days) * 86_400n } }),
      },
      CALL,
    ),
  );
  writeLine(deps.stdout, url);
  writeLine(deps.stdout, `valid until ${timeText(validUntil)}`);
  for (const line of mailHeaders.split("\r\n")) if (line !== "") writeLine(deps.stdout, line);
}
