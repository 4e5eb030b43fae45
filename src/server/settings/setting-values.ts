/** Readers of setting values. Each throws a ConfigError with the setting and the accepted values. */
import { isIP } from "node:net";
import { ConfigError, type Setting } from "./setting.js";

export function readPort(setting: Setting, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) {
    throw new ConfigError(setting, "a port from 0 to 65535 is accepted, 0 for any free one");
  }
  return port;
}

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

export function readHost(setting: Setting, text: string): string {
  if (isIP(text) === 0 && !HOST_NAME.test(text)) {
    throw new ConfigError(setting, "an IP address or a host name without a port is accepted, for example 127.0.0.1");
  }
  return text;
}

/** As a `Host` header may have them: proxies send names of their own configuration, such as `aisle_rpc`. */
const SENT_NAME = /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/;

/** Host names with commas between. */
export function readNames(setting: Setting, text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.every((name) => SENT_NAME.test(name))) {
    throw new ConfigError(
      setting,
      "host names without a port are accepted, with commas between, for example aisle-services",
    );
  }
  return names;
}

/** Origins with commas between, as browsers send them. */
export function readOrigins(setting: Setting, text: string): readonly string[] {
  return text.split(",").map((part) => {
    const url = URL.canParse(part) ? new URL(part) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
      throw new ConfigError(
        setting,
        "http and https origins are accepted, with commas between, for example https://admin.shop.example",
      );
    }
    return url.origin;
  });
}

const IP_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** IP addresses and prefixes of networks, with commas between. */
export function readNetworks(setting: Setting, text: string): readonly string[] {
  const networks = text.split(",").map((network) => network.trim());
  const isNetwork = (network: string): boolean => {
    const [address = "", length = "0", ...more] = network.split("/");
    return more.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= (IP_BITS[isIP(address)] ?? -1);
  };
  if (!networks.every(isNetwork)) {
    throw new ConfigError(
      setting,
      "IP addresses and prefixes are accepted, with commas between, for example 10.0.0.0/8,2001:db8::7",
    );
  }
  return networks;
}

/** An http or https address, without a trailing slash. */
export function readAddress(setting: Setting, text: string, example: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const usable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.search === "" &&
    url.hash === "" &&
    url.username === "" &&
    url.password === "";
  if (!usable) {
    throw new ConfigError(
      setting,
      `an http or https address without user, query or fragment is accepted, for example ${example}`,
    );
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** One of `words`, in any case. */
export function readWord<T extends string>(setting: Setting, text: string, words: readonly T[]): T {
  const word = words.find((known) => known === text.toLowerCase());
  if (word === undefined) throw new ConfigError(setting, `one of ${words.join(", ")} is accepted`);
  return word;
}

/** A whole number from `from` to `to`; `accepted` describes the range to the operator. */
export function readWhole(setting: Setting, text: string, from: number, to: number, accepted: string): number {
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text) || number < from || number > to) throw new ConfigError(setting, `${accepted} accepted`);
  return number;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A Node timer holds at most 2^31 - 1 ms, a little under 25 days. */
const LONGEST_INTERVAL_MS = 24 * 86_400_000;

/** Milliseconds of a time such as `10m`; 0 for `off`. `words` are those that are accepted, for the error. */
export function readInterval(setting: Setting, text: string, words = "off"): number {
  const value = text.toLowerCase();
  if (value === "off" || value === "0") return 0;
  const [, digits = "", unit = ""] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? 0);
  if (digits === "" || ms > LONGEST_INTERVAL_MS) {
    throw new ConfigError(setting, `a time such as 30s, 10m, 1h or at most 24d is accepted, or ${words}`);
  }
  return ms;
}

/** A share, from 0 to 1. */
export function readShare(setting: Setting, text: string): number {
  const share = Number(text);
  if (!/^[01](\.\d{1,9})?$|^\.\d{1,9}$/.test(text) || share > 1)
    throw new ConfigError(setting, "a number from 0 to 1 is accepted, for example 0.05");
  return share;
}

/** Paths of the certificate (followed by those that signed it) and its private key, both in PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** The authority of callers' certificates, in PEM. Absent: callers need no certificate. */
  readonly clientCa?: string;
}

/** Both files or none. The server reads them when it starts. */
export function readTls(
  settings: { readonly tlsCert: Setting; readonly tlsKey: Setting },
  cert: string | undefined,
  key: string | undefined,
): CertificateFiles | null {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) throw new ConfigError(settings.tlsKey, `is required with ${settings.tlsCert.flag}`);
  if (key !== undefined) throw new ConfigError(settings.tlsCert, `is required with ${settings.tlsKey.flag}`);
  return null;
}

/** The flag if given, otherwise the variable, otherwise `whenAbsent`. */
export function readSwitch(
  setting: Setting,
  flag: boolean | undefined,
  variable: string | undefined,
  whenAbsent: boolean,
): boolean {
  if (flag !== undefined) return flag;
  const text = variable?.trim().toLowerCase() || (whenAbsent ? "on" : "off");
  const isOn = ["1", "true", "yes", "on"].includes(text);
  if (!isOn && !["0", "false", "no", "off"].includes(text)) throw new ConfigError(setting, "1 or 0 is accepted");
  return isOn;
}

/** True for addresses of this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The limit: a number, Infinity for `off`, or `share`: three times as many as the port has free places. */
export type ConnectionsPerAddress = number | "share";

/** A number of addresses a day; Infinity for `off`. */
export function readLinks(setting: Setting, text: string, most = 1000): number {
  if (text.toLowerCase() === "off") return Number.POSITIVE_INFINITY;
  return readWhole(setting, text, 1, most, `a number from 1 to ${most} or off is`);
}

/** MiB as bytes; Infinity for `off`. */
export function readMib(setting: Setting, text: string): number {
  if (text.toLowerCase() === "off") return Number.POSITIVE_INFINITY;
  return readWhole(setting, text, 1, 9_999_999, "whole MiB from 1 to 9999999 or off are") * 2 ** 20;
}

export function readConnections(setting: Setting, text: string): ConnectionsPerAddress {
  const word = text.toLowerCase();
  if (word === "share") return word;
  if (word === "off") return Number.POSITIVE_INFINITY;
  return readWhole(setting, text, 1, 10_000, "a number from 1 to 10000, share or off is");
}
