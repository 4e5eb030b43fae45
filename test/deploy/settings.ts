import { type ConfigFlags, SETTINGS } from "../../src/server/settings/config.js";

const NAMES = new Map(Object.entries(SETTINGS).map(([name, { flag }]) => [flag as string, name]));
const VARIABLES: ReadonlySet<string> = new Set([
  ...Object.values(SETTINGS).map(({ variable }) => variable),
  "AISLE_TOKEN", // of a caller, without a flag: command lines are seen by all processes
]);

/** Of variables and of arguments of `aisle`, those that there are not. */
export function unknownNames(variables: readonly string[], args: readonly string[]): string[] {
  return [
    ...variables.filter((name) => !VARIABLES.has(name)),
    ...args.filter((arg) => arg.startsWith("--") && !NAMES.has(arg)),
  ];
}

/** Flags with a value each, as `serve --role facade`, in the form that the configuration is read from. */
export function configFlags([command, ...args]: readonly string[]): ConfigFlags {
  if (command !== undefined && command !== "serve") throw new Error("The command is not serve");
  const flags: Record<string, string> = {};
  for (let n = 0; n < args.length; n += 2) flags[NAMES.get(args[n] ?? "") ?? ""] = args[n + 1] ?? "";
  return flags;
}
