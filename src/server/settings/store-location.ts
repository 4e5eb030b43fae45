import { ConfigError, type Setting } from "./setting.js";

/** Location of the data. */
export type StoreLocation =
  /** The directory as given, relative to the working directory. */
  | { readonly kind: "embedded"; readonly directory: string }
  /** The address as given. It may contain a password: it is never shown or passed to another program. */
  | { readonly kind: "mongo"; readonly url: string };

/**
 * Hosts with optional ports, after an optional user and password; then an optional database and options. All of it must
 * be percent-encoded.
 */
const MONGO_URL = /^mongodb(\+srv)?:\/\/([^\s@:/?#[\]]+(:[^\s@:/?#[\]]*)?@)?HOST(,HOST)*(\/[^\s@/?#]*)?(\?[^\s@?#]*)?$/
  .source;
const HOST = String.raw`([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]|%2[Ff][^\s@:/?#,]+)(:\d{1,5})?`;
const MONGO_ADDRESS = new RegExp(MONGO_URL.replaceAll("HOST", HOST));

/**
 * Reads `embedded:DIR`, `mongodb://…` or `mongodb+srv://…`. Opening the store finds other faults of an address
 * (`open-store.ts`).
 *
 * @throws ConfigError with `setting`, without any part of an address.
 */
export function readStoreLocation(text: string, setting: Setting): StoreLocation {
  const directory = /^embedded:(.*)$/s.exec(text)?.[1]?.trim();
  if (directory && !directory.includes("\0")) return { kind: "embedded", directory };
  if (!/^mongodb(\+srv)?:/i.test(text)) {
    throw new ConfigError(
      setting,
      "embedded:DIR or mongodb://HOST/DATABASE is accepted, for example embedded:./aisle-data",
    );
  }
  if (!MONGO_ADDRESS.test(text)) {
    throw new ConfigError(
      setting,
      "mongodb://[USER:PASSWORD@]HOST[:PORT][,HOST…]/DATABASE[?OPTIONS] is accepted; in user and password : / ? # [ ] @ are written %XX",
    );
  }
  if (/[?&](journal|j)=false\b/i.test(text)) {
    throw new ConfigError(setting, "journal=false is not accepted: an event is acknowledged when it is on disk");
  }
  return { kind: "mongo", url: text };
}
