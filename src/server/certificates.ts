/** The certificates of the listeners: PEM files that may be replaced while the server runs. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { type CertificateFiles, type PeerFiles, SETTINGS } from "./settings/config.js";
import { ConfigError, type Setting } from "./settings/setting.js";

/** The settings that name the files of a listener. */
export interface CertificateSettings {
  readonly tlsCert: Setting;
  readonly tlsKey: Setting;
  readonly clientCa?: Setting;
}

export const RPC_CERTIFICATE = {
  tlsCert: SETTINGS.rpcTlsCert,
  tlsKey: SETTINGS.rpcTlsKey,
  clientCa: SETTINGS.rpcClientCa,
} as const satisfies CertificateSettings;

/** In PEM: a certificate, followed by those that signed it, its key, and the authority of its callers' certificates. */
export interface ListenerCertificate {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

/** @throws ConfigError when a file cannot be read, is no PEM, or the key is not that of the certificate. */
export function readCertificate(
  files: CertificateFiles,
  { tlsCert: CERT, tlsKey: KEY, clientCa: CLIENT_CA = SETTINGS.rpcClientCa }: CertificateSettings = SETTINGS,
): ListenerCertificate {
  const cert = readPem(CERT, files.cert);
  const key = readPem(KEY, files.key);
  attempt(CERT, "a certificate in PEM is accepted", () => createSecureContext({ cert }));
  attempt(KEY, "a private key in PEM without a passphrase is accepted", () => createSecureContext({ key }));
  attempt(KEY, `the private key of the certificate of ${CERT.flag} is accepted`, () =>
    createSecureContext({ cert, key }),
  );
  if (files.clientCa === undefined) return { cert, key };
  const clientCa = readPem(CLIENT_CA, files.clientCa);
  attempt(CLIENT_CA, "certificates in PEM are accepted", () => new X509Certificate(clientCa));
  return { cert, key, clientCa };
}

/**
 * The trusted authorities and the client certificate, as `node:tls` takes them.
 *
 * @throws ConfigError when a file cannot be read, is no PEM, or the key is not that of the certificate
 */
export function readPeerFiles({ ca, cert, key }: PeerFiles): { ca?: string; cert?: string; key?: string } {
  const shown =
    cert === undefined || key === undefined
      ? {}
      : readCertificate({ cert, key }, { tlsCert: SETTINGS.clientCert, tlsKey: SETTINGS.clientKey });
  if (ca === undefined) return shown;
  const trusted = readPem(SETTINGS.ca, ca);
  attempt(SETTINGS.ca, "certificates in PEM are accepted", () => new X509Certificate(trusted));
  return { ...shown, ca: trusted };
}

/**
 * Passes the certificate to `take` each time the files change. The old one stays in use while the new files do not
 * match, since one is written before the other; `warn` gets one line for each such state.
 */
export function createCertificateWatch(deps: {
  readonly files: CertificateFiles;
  readonly settings?: CertificateSettings;
  readonly current: ListenerCertificate;
  readonly take: (certificate: ListenerCertificate) => void;
  readonly warn: (line: string) => void;
}): { look(): void } {
  let current = deps.current;
  let warned = "";
  return {
    look() {
      try {
        const found = readCertificate(deps.files, deps.settings);
        warned = "";
        if (found.cert === current.cert && found.key === current.key && found.clientCa === current.clientCa) return;
        current = found;
        deps.take(found);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (error.message !== warned) deps.warn(`${error.message}; the previous certificate stays in use`);
        warned = error.message;
      }
    },
  };
}

function readPem(setting: Setting, path: string): string {
  return attempt(setting, "the file cannot be read", () => readFileSync(path, "utf8"));
}

function attempt<T>(setting: Setting, accepted: string, act: () => T): T {
  try {
    return act();
  } catch {
    throw new ConfigError(setting, accepted);
  }
}
