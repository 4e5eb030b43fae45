import { createHash, randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError } from "commander";
import type { CommandDeps } from "./deps.js";
import { UsageFailure } from "./errors.js";
import { plainId } from "./option-values.js";
import { writeJson, writeLine } from "./output.js";

const SCOPES = ["storefront", "read", "personal", "write", "admin"];
const DAY_MS = 86_400_000;

interface TokenOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly app?: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
}

export function define(command: Command, deps: CommandDeps): void {
  command
    .requiredOption("--name <name>", "name of its user in the audit log")
    .requiredOption("--scope <scopes>", `${SCOPES.join(", ")}; comma-separated`, scopeList)
    .option("--app <ids>", "limit the token to these apps; comma-separated or repeated (default: all)", appList)
    .option("--expires <when>", "lifetime such as 90d, or a UTC date such as 2027-01-31 (default: never)")
    .option("--json", "print token and line as JSON")
    .addHelpText(
      "after",
      `
storefront  calls of a facade: status, single events, recommendations, links in mails
read        apps, frames, products, models, recommendations; no personal data
personal    events, contacts, the consent ledger, reasons of recommendations, exports
write       events, products, groups, feeds, subscriptions
admin       everything

Example:
  $ aisle token --name facade --scope storefront
  $ aisle token --name crm --scope read,personal --app myshop --expires 90d`,
    )
    .action(({ name, scope, app, expires, json }: TokenOptions) => {
      if (!/^[\w.@-]{1,64}$/.test(name))
        throw new UsageFailure("--name: 1 to 64 letters, digits, _ . @ or - are accepted");
      const token = `aisle_${randomBytes(32).toString("base64url")}`;
      const hash = createHash("sha256").update(token).digest("hex");
      const apps = app === undefined ? [] : [`apps=${[...new Set(app)].join(",")}`];
      const end = expires === undefined ? [] : [`expires=${endOf(expires, deps.now())}`];
      const line = [name, [...new Set(scope)].join(","), ...apps, ...end, hash].join(" ");
      if (json) return writeJson(deps.stdout, { token, line });
      writeLine(deps.stdout, `token, for the caller, shown this once: ${token}`);
      writeLine(deps.stdout, `line, for the server's file:            ${line}`);
    });
}

function scopeList(text: string, earlier: readonly string[] = []): readonly string[] {
  const scopes = text.split(",").map((scope) => scope.trim());
  if (!scopes.every((scope) => SCOPES.includes(scope)))
    throw new InvalidArgumentError(`${SCOPES.join(", ")} are accepted.`);
  return [...earlier, ...scopes];
}

function appList(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(",").map((id) => plainId(id.trim()))];
}

/** In UTC and whole seconds, as the server reads it. */
function endOf(text: string, now: number): string {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const end = days === undefined ? dateOf(text) : now + Number(days) * DAY_MS;
  if (!(end > now)) throw new UsageFailure("--expires: days such as 90d, or a future date, are accepted");
  return new Date(end).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The start of the day in UTC; NaN for other text. */
function dateOf(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? at : Number.NaN;
}
