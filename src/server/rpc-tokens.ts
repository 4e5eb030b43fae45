/** The tokens of the RPC port: a file that may be replaced while the server runs. */
import { readFileSync } from "node:fs";
import type { Token, Tokens } from "../services/access/authorization.js";
import { SCOPES, type Scope } from "../services/access/method-scopes.js";
import { SETTINGS } from "./settings/config.js";
import { ConfigError } from "./settings/setting.js";

const ACCEPTED =
  'lines of "NAME SCOPE,… [apps=APP,…] [expires=TIME] SHA256" are accepted, ' +
  `scopes ${SCOPES.join(", ")}, times such as 2027-01-31T00:00:00Z, names and tokens each once`;

interface TokenFile {
  readonly tokens: Tokens;
  /** Numbers of the invalid lines. */
  readonly faults: readonly number[];
}

/** @throws ConfigError if the file is unreadable, or for its first invalid line */
export function readTokens(path: string): Tokens {
  const { tokens, faults } = readTokenFile(path);
  if (faults.length > 0) throw faultOf(faults);
  return tokens;
}

function readTokenFile(path: string): TokenFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(SETTINGS.rpcTokens, "the file cannot be read");
  }
  const tokens = new Map<string, Token>();
  const names = new Set<string>();
  const faults: number[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [hash, token] = readLine(line) ?? [];
    if (hash === undefined || token === undefined || names.has(token.name) || tokens.has(hash)) {
      faults.push(index + 1);
      continue;
    }
    names.add(token.name);
    tokens.set(hash, token);
  }
  return { tokens, faults };
}

/** The hash comes last, so that a truncated line is no token rather than one with fewer limits. */
function readLine(line: string): readonly [hash: string, token: Token] | undefined {
  const words = line.trim().split(/\s+/);
  const [name = "", scopeList = "", ...rest] = words;
  const hash = rest.pop()?.toLowerCase() ?? "";
  const scopes = scopeList.split(",");
  if (!/^[\w.@-]{1,64}$/.test(name) || !scopes.every(isScope) || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  let apps: ReadonlySet<string> | undefined;
  let expiresAt: number | undefined;
  for (const word of rest) {
    const [, key, value = ""] = /^(apps|expires)=(\S+)$/.exec(word) ?? [];
    if (key === "apps" && apps === undefined) {
      const ids = value.split(",");
      if (!ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))) return undefined;
      apps = new Set(ids);
    } else if (key === "expires" && expiresAt === undefined) {
      expiresAt = Date.parse(value);
      if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) || Number.isNaN(expiresAt)) return undefined;
    } else {
      return undefined;
    }
  }
  return [hash, { name, scopes: new Set(scopes), apps, expiresAt }];
}

function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

function faultOf(faults: readonly number[]): ConfigError {
  return new ConfigError(SETTINGS.rpcTokens, `line ${faults[0]}: ${ACCEPTED}`);
}

const NONE: Tokens = new Map();

/**
 * Reads the file again at each `look`. Without a readable file no token is valid. An invalid line is skipped and the
 * others stay valid: revoking one token while mistyping another still revokes the first, and the shop stays served.
 * `warn` gets each fault once.
 */
export function createTokenWatch(path: string, warn: (line: string) => void): { look(): void; tokens(): Tokens } {
  let tokens = readTokens(path);
  let warned = "";
  const tell = (line: string) => {
    if (line !== warned && line !== "") warn(line);
    warned = line;
  };
  return {
    tokens: () => tokens,
    look() {
      try {
        const file = readTokenFile(path);
        tokens = file.tokens;
        if (file.faults.length > 0) tell(`${faultOf(file.faults).message}; the other lines are valid`);
        else tell(tokens.size === 0 ? "the file of RPC tokens is empty; all RPC callers are rejected" : "");
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        tokens = NONE;
        tell(`${error.message}; all RPC callers are rejected`);
      }
    },
  };
}
