import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCertificateWatch, type ListenerCertificate, readCertificate } from "../../src/server/certificates.js";
import { makeCertificate } from "../fixtures/certificate.js";
import { temporaryDirectory } from "../fixtures/server.js";

describe("readCertificate", () => {
  it("returns a certificate and its key", async () => {
    const files = makeCertificate(await temporaryDirectory(), "one", ["aisle.test"]);
    const { cert, key } = readCertificate(files);
    expect([cert, key]).toEqual([expect.stringContaining("BEGIN CERTIFICATE"), expect.stringContaining("PRIVATE KEY")]);
  });

  it("names the wrong file, and shows none of its content", async () => {
    const directory = await temporaryDirectory();
    const one = makeCertificate(directory, "one", ["aisle.test"]);
    const two = makeCertificate(directory, "two", ["aisle.test"]);
    const noise = join(directory, "noise");
    writeFileSync(noise, "no PEM");
    const faults: readonly [string, string, string][] = [
      ["/nowhere", one.key, "--tls-cert (AISLE_TLS_CERT): the file cannot be read"],
      [one.cert, "/nowhere", "--tls-key (AISLE_TLS_KEY): the file cannot be read"],
      [noise, one.key, "--tls-cert (AISLE_TLS_CERT): a certificate in PEM is accepted"],
      [one.cert, noise, "--tls-key (AISLE_TLS_KEY): a private key in PEM without a passphrase is accepted"],
      [one.cert, two.key, "--tls-key (AISLE_TLS_KEY): the private key of the certificate of --tls-cert is accepted"],
    ];
    for (const [cert, key, line] of faults) expect(() => readCertificate({ cert, key })).toThrow(line);
  });
});

describe("the watcher of certificate files", () => {
  async function watched() {
    const directory = await temporaryDirectory();
    const files = makeCertificate(directory, "used", ["aisle.test"]);
    const other = makeCertificate(directory, "other", ["aisle.test"]);
    const taken: ListenerCertificate[] = [];
    const warnings: string[] = [];
    const watch = createCertificateWatch({
      files,
      current: readCertificate(files),
      take: (certificate) => taken.push(certificate),
      warn: (line) => warnings.push(line),
    });
    return { files, other, taken, warnings, watch };
  }

  it("reloads nothing while the files are unchanged", async () => {
    const { watch, taken, warnings } = await watched();
    watch.look();
    expect([taken, warnings]).toEqual([[], []]);
  });

  it("keeps the old certificate while only one of the two files is new, and logs that once", async () => {
    const { files, other, watch, taken, warnings } = await watched();
    copyFileSync(other.cert, files.cert);
    watch.look();
    watch.look();
    expect(taken).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^--tls-key .*; the previous certificate stays in use$/)]);
    copyFileSync(other.key, files.key);
    watch.look();
    watch.look();
    expect(taken).toEqual([readCertificate(other)]);
  });

  it("reloads the authority of callers, and rejects a file that is not PEM", async () => {
    const directory = await temporaryDirectory();
    const [used, other] = ["used", "other"].map((name) => makeCertificate(directory, name, ["aisle.test"]));
    if (used === undefined || other === undefined) throw new Error("no certificates");
    const clientCa = join(directory, "callers");
    copyFileSync(used.cert, clientCa);
    const files = { ...used, clientCa };
    const taken: unknown[] = [];
    const warnings: string[] = [];
    const watch = createCertificateWatch({
      files,
      current: readCertificate(files),
      take: (certificate) => taken.push(certificate.clientCa),
      warn: (line) => warnings.push(line),
    });
    writeFileSync(clientCa, "no PEM");
    watch.look();
    copyFileSync(other.cert, clientCa);
    watch.look();
    expect(taken).toEqual([readCertificate(other).cert]);
    expect(warnings).toEqual([expect.stringMatching(/^--rpc-client-ca .*certificates in PEM are accepted;/)]);
  });

  it("keeps the old certificate while a file is missing", async () => {
    const { files, watch, taken, warnings } = await watched();
    rmSync(files.key);
    watch.look();
    expect([taken, warnings.length]).toEqual([[], 1]);
  });
});
