import type { Command } from "commander";
import { confirmLoss } from "./ask.js";
import { type AppOptions, appCommand, CALL, withClients, withDryRun } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { allPages } from "./list.js";
import { timeText } from "./message-values.js";
import { writeLine, writeTable } from "./output.js";

interface RemoveOptions extends AppOptions {
  readonly id: string;
  readonly yes?: boolean;
}

export function define(secret: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) => appCommand(secret, name, description);
  withDryRun(command("create", "create a secret and print it; an app has at most two"))
    .addHelpText("after", "\nExample:\n  $ aisle signing-secret create --app shop1")
    .action((options: AppOptions) => createSecret(options, false, deps));
  command("list", "list the ids and creation times of the secrets")
    .addHelpText("after", "\nExample:\n  $ aisle signing-secret list --app shop1")
    .action((options: AppOptions) => listSecrets(options, deps));
  withDryRun(command("rotate", "create a new secret and keep the previous one until you remove it"))
    .addHelpText(
      "after",
      `
Both secrets are valid until "aisle signing-secret remove" removes the old one. If there are two already, the older
one is removed at once.

Example:
  $ aisle signing-secret rotate --app shop1`,
    )
    .action((options: AppOptions) => createSecret(options, true, deps));
  withDryRun(command("remove", "remove a secret; events signed with it are rejected from now on"))
    .requiredOption("--id <id>", "its id, from aisle signing-secret list")
    .option("--yes", "remove without asking")
    .addHelpText(
      "after",
      "\nExample:\n  $ aisle signing-secret remove --app shop1 --id 01990000-0000-7000-8000-000000000001",
    )
    .action((options: RemoveOptions) => removeSecret(options, deps));
}

async function createSecret({ app: appId, ...options }: AppOptions, replaceOldest: boolean, deps: CommandDeps) {
  const made = await withClients(options, deps, ({ apps }) => apps.createSigningSecret({ appId, replaceOldest }, CALL));
  writeLine(deps.stdout, `Signing secret ${made.signingSecret?.secretId ?? ""} of ${appId}:`);
  writeLine(deps.stdout, `${made.secret} (shown only here)`);
}

async function listSecrets({ app: appId, ...options }: AppOptions, deps: CommandDeps): Promise<void> {
  const signingSecrets = await withClients(options, deps, ({ apps }) =>
    allPages(
      (pageToken) => apps.listSigningSecrets({ appId, pageToken }, CALL),
      (page) => page.signingSecrets,
    ),
  );
  if (signingSecrets.length === 0) {
    writeLine(deps.stdout, "The app has no signing secret: signed events are refused");
    return;
  }
  writeTable(
    deps.stdout,
    [
      ["id", ({ secretId }) => secretId],
      ["made", ({ createTime }) => timeText(createTime)],
    ],
    signingSecrets,
  );
}

async function removeSecret({ app: appId, id: secretId, yes, ...options }: RemoveOptions, deps: CommandDeps) {
  await confirmLoss(deps, {
    yes: yes || options.dryRun,
    loss: `Events signed with ${secretId} will be rejected`,
    word: secretId,
  });
  await withClients(options, deps, ({ apps }) => apps.deleteSigningSecret({ appId, secretId }, CALL));
  writeLine(deps.stdout, `Signing secret ${secretId} of ${appId} is removed`);
}
