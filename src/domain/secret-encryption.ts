/**
 * Secrets at rest. With a key they are kept as
 *
 *   sealed:1:<key id>:<Base64url of nonce (12 bytes), ciphertext, tag (16 bytes)>     AES-256-GCM
 *
 * and without one as they are. The app's id is authenticated with each, so that no app's secret serves another. Stores,
 * backups and copies keep the text as it is: only whoever uses a secret opens it. A 96-bit random nonce is safe for
 * 2^32 secrets under one key (NIST SP 800-38D, 8.3).
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import { DataDamaged, DomainError } from "./errors.js";

const MARK = "sealed:1:";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** This process does not have the key of the store's secrets. */
export class SecretKeyMissing extends DomainError {}

export interface Seal {
  /** An app's secret as the store keeps it. */
  seal(appId: string, secret: string): string;
  /** Returns the secret. Throws SecretKeyMissing, or DataDamaged when it was changed or belongs to another app. */
  open(appId: string, kept: string): string;
  /** True when `seal` would encrypt it with another key. */
  isStale(kept: string): boolean;
}

interface SealKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/**
 * @param current Encrypts; undefined for no key. It should be 32 random bytes in some notation.
 *
 * @param previous Decrypts as well.
 */
export function createSeal(current: string | undefined, previous?: string): Seal {
  const key = current === undefined ? undefined : keyOf(current);
  const keys = [key, previous === undefined ? undefined : keyOf(previous)];
  return {
    seal(appId, secret) {
      if (key === undefined) return secret;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key.bytes, nonce).setAAD(Buffer.from(appId));
      const sealed = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${MARK}${key.id}:${Buffer.concat(sealed).toString("base64url")}`;
    },
    open(appId, kept) {
      if (!kept.startsWith(MARK)) return kept;
      const [id = "", text = ""] = kept.slice(MARK.length).split(":");
      const found = keys.find((one) => one?.id === id);
      if (found === undefined) throw new SecretKeyMissing(missingText(id, key));
      const bytes = Buffer.from(text, "base64url");
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const tag = bytes.subarray(-TAG_BYTES);
        const cipher = createDecipheriv(CIPHER, found.bytes, nonce, { authTagLength: TAG_BYTES });
        cipher.setAAD(Buffer.from(appId)).setAuthTag(tag);
        return cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + cipher.final("utf8");
      } catch (cause) {
        throw new DataDamaged("A sealed secret is damaged", { cause });
      }
    },
    isStale(kept) {
      if (kept === "") return false;
      return key === undefined ? kept.startsWith(MARK) : !kept.startsWith(`${MARK}${key.id}:`);
    },
  };
}

function missingText(id: string, key: SealKey | undefined): string {
  return key === undefined
    ? `the store's secrets are encrypted with the key ${id}, and no key is set`
    : `the store's secrets are encrypted with the key ${id}, and this is ${key.id}; set that one as AISLE_SECRET_KEY_PREVIOUS to change keys`;
}

function keyOf(text: string): SealKey {
  const bytes = new Uint8Array(hkdfSync("sha256", text, "", "aisle secrets at rest", 32));
  return { id: hash("sha256", Buffer.concat([Buffer.from("aisle key id "), bytes]), "hex").slice(0, 8), bytes };
}
