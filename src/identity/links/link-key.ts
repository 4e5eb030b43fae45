import { MAILING_SECRETS, NO_MAILING_SECRETS } from "../../domain/hook.js";
import type { Seal } from "../../domain/secret-encryption.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";

/** The app's key; undefined until something needs one. */
export function knownLinkKey(tx: Transaction, seal: Seal): Buffer | undefined {
  const secrets = tx.mailingSecrets.get(MAILING_SECRETS) ?? NO_MAILING_SECRETS;
  return secrets.linkKey === "" ? undefined : Buffer.from(seal.open(tx.appId, secrets.linkKey), "hex");
}

/** The app's key; the first call makes it of `newKey`, 64 random hex digits. */
export function linkKeyOf(tx: Transaction, seal: Seal, newKey: string): Buffer {
  const known = knownLinkKey(tx, seal);
  if (known !== undefined) return known;
  const secrets = tx.mailingSecrets.get(MAILING_SECRETS) ?? NO_MAILING_SECRETS;
  tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, linkKey: seal.seal(tx.appId, newKey) });
  return Buffer.from(newKey, "hex");
}
