/** The certificate of the REST listener: two PEM files that may be exchanged while the server runs. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { type CertificateFiles, SETTINGS } from "./config.js";
import type { Certificate } from "./facade/secure-server.js";
import { ConfigError, type Setting } from "./setting.js";

const { tlsCert: CERT, tlsKey: KEY } = SETTINGS;

/** @throws ConfigError when a file cannot be read, is no PEM, or the key is not that of the certificate. */
export function readCertificate(files: CertificateFiles): Certificate {
  const cert = readPem(CERT, files.cert);
  const key = readPem(KEY, files.key);
  attempt(CERT, "a certificate in PEM is accepted", () => createSecureContext({ cert }));
  attempt(KEY, "a private key in PEM without a passphrase is accepted", () => createSecureContext({ key }));
  attempt(KEY, `the private key of the certificate of ${CERT.flag} is accepted`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key };
}

/**
 * Gives `take` the certificate each time the files hold another one. While they cannot be used (one of the two is
 * written before the other) the one before stays; `warn` is told once for each such state.
 */
export function createCertificateWatch(deps: {
  readonly files: CertificateFiles;
  readonly current: Certificate;
  readonly take: (certificate: Certificate) => void;
  readonly warn: (line: string) => void;
}): { look(): void } {
  let current = deps.current;
  let warned = "";
  return {
    look() {
      try {
        const found = readCertificate(deps.files);
        warned = "";
        if (found.cert === current.cert && found.key === current.key) return;
        current = found;
        deps.take(found);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (error.message !== warned) deps.warn(`${error.message}; the certificate from before stays`);
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
