import { createHash, randomBytes } from "node:crypto";
import { type Command, Option } from "commander";
import { UsageFailure } from "./failure.js";
import { writeLine } from "./output.js";
import type { ProgramDeps } from "./program.js";

const SCOPES = ["read", "write", "admin"] as const;

export function addTokenCommand(program: Command, deps: ProgramDeps): void {
  program
    .command("token")
    .description("make a token for callers of the RPC port, and the line of it for the server's --rpc-tokens file")
    .requiredOption("--name <name>", "whose it is, for the audit log")
    .addOption(new Option("--scope <scope>", "each also what those before it do").choices(SCOPES).makeOptionMandatory())
    .addHelpText("after", "\nExample:\n  $ aisle token --name checkout --scope write")
    .action(({ name, scope }: { readonly name: string; readonly scope: string }) => {
      if (!/^[\w.@-]{1,64}$/.test(name))
        throw new UsageFailure("--name: 1 to 64 letters, digits, _ . @ or - are accepted");
      const token = `aisle_${randomBytes(32).toString("base64url")}`;
      const hash = createHash("sha256").update(token).digest("hex");
      writeLine(deps.stdout, `token, for the caller, shown this once: ${token}`);
      writeLine(deps.stdout, `line, for the server's file:            ${name} ${scope} ${hash}`);
    });
}
