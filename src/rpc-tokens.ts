/** The tokens of the RPC port: a file that may be exchanged while the server runs. */
import { readFileSync } from "node:fs";
import { SETTINGS } from "./config.js";
import { SCOPES, type Scope, type Token, type Tokens } from "./services/authorization.js";
import { ConfigError } from "./setting.js";

const ACCEPTED = `lines of "NAME SCOPE SHA256" are accepted, the scope ${SCOPES.join(", ")}, names and tokens each once`;

/** @throws ConfigError when the file cannot be read, or names the first line that cannot be used. */
export function readTokens(path: string): Tokens {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(SETTINGS.rpcTokens, "the file cannot be read");
  }
  const tokens = new Map<string, Token>();
  const names = new Set<string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name = "", scope, hash = ""] = /^\s*([\w.@-]{1,64})\s+(\S+)\s+([0-9a-f]{64})\s*$/i.exec(line) ?? [];
    const isNew = name !== "" && isScope(scope) && !names.has(name) && !tokens.has(hash.toLowerCase());
    if (!isNew) throw new ConfigError(SETTINGS.rpcTokens, `line ${index + 1}: ${ACCEPTED}`);
    names.add(name);
    tokens.set(hash.toLowerCase(), { name, scope });
  }
  return tokens;
}

function isScope(text: string | undefined): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** Reads the file anew with each look; while it cannot be used the tokens from before stay, and `warn` is told once. */
export function createTokenWatch(path: string, warn: (line: string) => void): { look(): void; tokens(): Tokens } {
  let tokens = readTokens(path);
  let warned = "";
  return {
    tokens: () => tokens,
    look() {
      try {
        tokens = readTokens(path);
        warned = "";
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (error.message !== warned) warn(`${error.message}; the tokens from before stay`);
        warned = error.message;
      }
    },
  };
}
