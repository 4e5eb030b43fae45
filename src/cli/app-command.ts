import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { AppSchema, LinkTrust, PrivacySignals } from "../gen/aisle/v1/app_pb.js";
import { confirmLoss } from "./ask.js";
import { BULK_TIMEOUT_MS, CALL, type ServerOptions, withClients, withDryRun, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { printList } from "./list.js";
import { durationOfDays, timeText } from "./message-values.js";
import { choice, plainId, repeated, wholeNumber } from "./option-values.js";
import { printable, writeJson, writeLine } from "./output.js";

interface CreateOptions extends ServerOptions {
  readonly name?: string;
  readonly origin?: readonly string[];
  readonly linkTrust?: LinkTrust;
  readonly json?: boolean;
}

interface SetOptions extends ServerOptions {
  readonly doubleOptIn?: boolean;
  readonly privacySignals?: PrivacySignals;
  readonly retentionDays?: number;
  readonly rejectedRetentionDays?: number;
  readonly linkTrust?: LinkTrust;
  readonly learnedAfterVisitors?: number;
  readonly json?: boolean;
}

interface DeleteOptions extends ServerOptions {
  readonly yes?: boolean;
}

interface ListOptions extends ServerOptions {
  readonly json?: boolean;
}

const linkTrust = choice(
  [
    ["open", LinkTrust.OPEN],
    ["strict", LinkTrust.STRICT],
  ],
  "open or strict",
);
const onOrOff = choice(
  [
    ["on", true],
    ["off", false],
  ],
  "on or off",
);
const privacySignals = choice(
  [
    ["off", PrivacySignals.OFF],
    ["gpc", PrivacySignals.GPC],
    ["gpc_and_dnt", PrivacySignals.GPC_AND_DNT],
  ],
  "off, gpc or gpc_and_dnt",
);

export function define(app: Command, deps: CommandDeps): void {
  withDryRun(withServer(app.command("create")))
    .description("create an app")
    .argument("<id>", "the id: 1 to 64 letters, digits, _ or -", plainId)
    .option("--name <name>", "display name")
    .option("--origin <url>", "an origin whose pages may call the server; repeatable (default: any)", repeated)
    .option("--link-trust <trust>", "open or strict; see aisle app set --help (default: open)", linkTrust)
    .option("--json", "print the app as JSON")
    .addHelpText("after", '\nExample:\n  $ aisle app create shop1 --name "My shop" --origin https://shop.example')
    .action((id: string, options: CreateOptions) => createApp(id, options, deps));
  withDryRun(withServer(app.command("set")))
    .description("change settings of an app; settings not named stay")
    .argument("<id>", "the app", plainId)
    .option(
      "--link-trust <trust>",
      "what an unverified link between visitor and contact reveals: open or strict",
      linkTrust,
    )
    .option("--double-opt-in <switch>", "require a click in a mail to subscribe: on or off", onOrOff)
    .option(
      "--privacy-signals <signals>",
      "privacy signals of browsers to honour: off, gpc or gpc_and_dnt",
      privacySignals,
    )
    .option("--retention-days <n>", "retention of visitor data in days; 0 keeps it for ever", wholeNumber(0, 36_500))
    .option(
      "--rejected-retention-days <n>",
      "retention of rejected events in days; 0 keeps them until the log is full",
      wholeNumber(0, 36_500),
    )
    .option(
      "--learned-after-visitors <n>",
      "visitors from different networks who must send a product before it is learned; 0 or 1 trusts every visitor",
      wholeNumber(0, 100),
    )
    .option("--json", "print the app as JSON")
    .addHelpText(
      "after",
      `
Anybody can post an event that links a visitor to an e-mail address, and then request that visitor's status. With
--link-trust strict, such a visitor sees only changes made since the link; with open, the whole status.

Example:
  $ aisle app set shop1 --link-trust strict --double-opt-in on`,
    )
    .action((id: string, options: SetOptions) => setApp(id, options, deps));
  withDryRun(withServer(app.command("delete")))
    .description("delete an app with all its data; cannot be undone")
    .argument("<id>", "the app", plainId)
    .option("--yes", "delete without asking")
    .addHelpText("after", "\nExample:\n  $ aisle app delete shop1")
    .action((id: string, options: DeleteOptions) => deleteApp(id, options, deps));
  withServer(app.command("list"))
    .description("list all apps")
    .option("--json", "print the apps as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle app list")
    .action((options: ListOptions) => listApps(options, deps));
}

async function createApp(appId: string, options: CreateOptions, deps: CommandDeps): Promise<void> {
  const created = await withClients(options, deps, async ({ apps }) => {
    const app = {
      appId,
      displayName: options.name ?? "",
      allowedOrigins: [...(options.origin ?? [])],
      linkTrust: options.linkTrust ?? LinkTrust.UNSPECIFIED,
    };
    return (await apps.createApp({ app }, CALL)).app;
  });
  if (options.json && created) writeJson(deps.stdout, toJson(AppSchema, created));
  else writeLine(deps.stdout, `App ${created?.appId ?? appId} is made`);
}

async function setApp(appId: string, options: SetOptions, deps: CommandDeps): Promise<void> {
  const { linkTrust, doubleOptIn, learnedAfterVisitors, privacySignals, retentionDays, rejectedRetentionDays } =
    options;
  const named = [
    ["link_trust", linkTrust],
    ["double_opt_in", doubleOptIn],
    ["learned_after_visitors", learnedAfterVisitors],
    ["privacy.signals", privacySignals],
    ["privacy.retention", retentionDays],
    ["privacy.rejected_retention", rejectedRetentionDays],
  ] as const;
  const paths = named.filter(([, value]) => value !== undefined).map(([path]) => path);
  const app = {
    appId,
    ...(linkTrust !== undefined && { linkTrust }),
    ...(doubleOptIn !== undefined && { doubleOptIn }),
    ...(learnedAfterVisitors !== undefined && { learnedAfterVisitors }),
    privacy: {
      ...(privacySignals !== undefined && { signals: privacySignals }),
      ...(retentionDays !== undefined && { retention: durationOfDays(retentionDays) }),
      ...(rejectedRetentionDays !== undefined && { rejectedRetention: durationOfDays(rejectedRetentionDays) }),
    },
  };
  const updated = await withClients(options, deps, async ({ apps }) =>
    // An empty mask would mean every field that is set.
    paths.length === 0
      ? (await apps.getApp({ appId }, CALL)).app
      : (await apps.updateApp({ app, updateMask: { paths } }, CALL)).app,
  );
  if (options.json && updated) writeJson(deps.stdout, toJson(AppSchema, updated));
  else writeLine(deps.stdout, `App ${updated?.appId ?? appId} is changed`);
}

async function deleteApp(appId: string, options: DeleteOptions, deps: CommandDeps): Promise<void> {
  const loss = `This deletes the app ${appId} with its products, events, contacts and models`;
  await confirmLoss(deps, { yes: options.yes || options.dryRun, loss, word: appId });
  await withClients(options, deps, ({ apps }) => apps.deleteApp({ appId }, { timeoutMs: BULK_TIMEOUT_MS }));
  writeLine(deps.stdout, `App ${appId} is deleted`);
}

function listApps(options: ListOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: ({ apps }, pageToken) => apps.listApps({ pageSize: 1000, pageToken }, CALL),
    items: ({ apps }) => apps,
    json: (app) => toJson(AppSchema, app),
    none: 'There are no apps yet; make one with "aisle app create ID"',
    columns: [
      ["id", ({ appId }) => appId],
      ["name", ({ displayName }) => displayName],
      ["made", ({ createTime }) => timeText(createTime)],
      ["origins", ({ allowedOrigins }) => allowedOrigins.map(printable).join(" ") || "any"],
    ],
  });
}
