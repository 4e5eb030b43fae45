import type { Command } from "commander";
import type { ProgramDeps } from "./program.js";

/** A command that follows `aisle`. Its module is loaded when it is called: most load the RPC clients' messages. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Has commands of its own in place of options. */
  readonly isGroup?: boolean;
  /** Gives the function that adds options and actions to the command. */
  readonly load: () => Promise<(command: Command, deps: ProgramDeps) => void>;
}

export interface CommandSection {
  /** As the help shows it. */
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}

export const SECTIONS: readonly CommandSection[] = [
  {
    title: "A shop, from its files to its lists:",
    commands: [
      {
        name: "app",
        description: "create, change and list apps; an app is one shop",
        isGroup: true,
        load: async () => (await import("./app-command.js")).defineApp,
      },
      {
        name: "import",
        description: "import products, past events and contacts into an app",
        isGroup: true,
        load: async () => (await import("./import-command.js")).defineImport,
      },
      {
        name: "export",
        description: "write all products, contacts, orders and events of an app to files of JSON lines",
        load: async () => (await import("./export-command.js")).defineExport,
      },
      {
        name: "train",
        description: "train a model on everything stored, and serve it",
        load: async () => (await import("./train-command.js")).defineTrain,
      },
      {
        name: "recommend",
        description: "show the recommendations for a visitor",
        load: async () => (await import("./recommend-command.js")).defineRecommend,
      },
      {
        name: "frame",
        description: "manage frames: places in a shop's pages that show products",
        isGroup: true,
        load: async () => (await import("./frame-command.js")).defineFrame,
      },
      {
        name: "check",
        description: "check whether an app's pages name products as its catalogue does",
        load: async () => (await import("./check-command.js")).defineCheck,
      },
    ],
  },
  {
    title: "Products and models:",
    commands: [
      {
        name: "feed",
        description: "import products from a URL on a schedule",
        isGroup: true,
        load: async () => (await import("./feed-command.js")).defineFeed,
      },
      {
        name: "product",
        description: "show products of the catalogue and their sources",
        isGroup: true,
        load: async () => (await import("./product-command.js")).defineProduct,
      },
      {
        name: "group",
        description: "manage named groups of products, for filters and filterByGroups",
        isGroup: true,
        load: async () => (await import("./group-command.js")).defineGroup,
      },
      {
        name: "model",
        description: "list and compare the models of an app, and choose the one that serves",
        isGroup: true,
        load: async () => (await import("./model-command.js")).defineModel,
      },
      {
        name: "evaluate",
        description: "train without the newest visits and measure how well the model predicts them; stores nothing",
        load: async () => (await import("./evaluate-command.js")).defineEvaluate,
      },
      {
        name: "operation",
        description: "trainings, evaluations, erasures and imports of an app",
        isGroup: true,
        load: async () => (await import("./operation-command.js")).defineOperation,
      },
    ],
  },
  {
    title: "Visitors and events:",
    commands: [
      {
        name: "status",
        description: "show whether a visitor is known and subscribed",
        load: async () => (await import("./status-command.js")).defineStatus,
      },
      {
        name: "events",
        description: "show the events of an app",
        isGroup: true,
        load: async () => (await import("./events-command.js")).defineEvents,
      },
      {
        name: "ledger",
        description: "check the ledger of consent",
        isGroup: true,
        load: async () => (await import("./ledger-command.js")).defineLedger,
      },
      {
        name: "link",
        description: "create a link for an e-mail or text message to confirm a subscription or unsubscribe",
        load: async () => (await import("./link-command.js")).defineLink,
      },
      {
        name: "privacy",
        description: "export or erase the data of a person",
        isGroup: true,
        load: async () => (await import("./privacy-command.js")).definePrivacy,
      },
      {
        name: "suppress",
        description: "keep addresses out of imported lists",
        isGroup: true,
        load: async () => (await import("./suppress-command.js")).defineSuppress,
      },
      {
        name: "hook",
        description: "send subscription changes to the shop's own server",
        isGroup: true,
        load: async () => (await import("./hook-command.js")).defineHook,
      },
      {
        name: "signing-secret",
        description: "manage the secrets with which the shop's server signs events",
        isGroup: true,
        load: async () => (await import("./signing-secret-command.js")).defineSigningSecret,
      },
    ],
  },
  {
    title: "The server and its store:",
    commands: [
      {
        name: "serve",
        description: "run a server until SIGTERM or Ctrl-C",
        load: async () => (await import("./serve-command.js")).defineServe,
      },
      {
        name: "token",
        description: "create a token for RPC callers, and its line for the server's --rpc-tokens file",
        load: async () => (await import("./token-command.js")).defineToken,
      },
      {
        name: "migrate",
        description: "copy apps from one store to another and compare the copies",
        load: async () => (await import("./migrate-command.js")).defineMigrate,
      },
      {
        name: "backup",
        description: "back up an embedded store while servers run",
        load: async () => (await import("./backup-command.js")).defineBackup,
      },
      {
        name: "doctor",
        description: "check the machine, the ports and the store, and report problems",
        load: async () => (await import("./doctor-command.js")).defineDoctor,
      },
    ],
  },
];
