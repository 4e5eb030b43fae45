/**
 * The encryption keys of stored secrets. They come from variables or files, never from flags, which every process can
 * see.
 */
import { readFileSync } from "node:fs";
import { ConfigError } from "./setting.js";

export interface SecretKeys {
  /** Undefined: secrets stay in plain text. */
  readonly current: string | undefined;
  /** Decrypts secrets from before the key was changed. */
  readonly previous: string | undefined;
}

const LEAST_CHARACTERS = 32;

/** @throws ConfigError that names the variable and shows nothing of a key. */
export function readSecretKeys(env: Readonly<Record<string, string | undefined>>): SecretKeys {
  const read = (variable: string): string | undefined => {
    const key = env[variable]?.trim() || fromFile(`${variable}_FILE`);
    if (key !== undefined && key.length < LEAST_CHARACTERS)
      throw new ConfigError(
        { flag: variable },
        'a key of at least 32 characters is accepted: "openssl rand -base64 32"',
      );
    return key;
  };
  const fromFile = (variable: string): string | undefined => {
    const path = env[variable]?.trim();
    if (!path) return undefined;
    let key: string;
    try {
      key = readFileSync(path, "utf8").trim();
    } catch {
      throw new ConfigError({ flag: variable }, "cannot be read");
    }
    if (key === "") throw new ConfigError({ flag: variable }, "holds no key");
    return key;
  };
  return { current: read("AISLE_SECRET_KEY"), previous: read("AISLE_SECRET_KEY_PREVIOUS") };
}
