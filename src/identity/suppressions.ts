/**
 * Addresses that lists may not subscribe: those of erased persons, and those that the shop suppressed. A list that was exported
 * before would bring an erased person back. The store holds
 *
 *   HMAC-SHA256(the app's key, "aisle suppressed address", app id, address key), as Base64url
 *
 * so only whoever has the app's key can test an address. The key also signs the app's links, whose text begins with the app's
 * id and so never equals this one. A later statement of the person themselves, or of the shop with its time, ends it.
 */
import { createHmac } from "node:crypto";
import type { Seal } from "../domain/secret-encryption.js";
import type { Suppression } from "../domain/suppression.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { knownLinkKey, linkKeyOf } from "./links/link-key.js";

/** Address keys are `e:<email key>` and `p:<phone key>`. */
export interface Suppressions {
  find(tx: Transaction, addressKey: string): Suppression | undefined;
  /**
   * Returns the number of addresses that were not suppressed before.
   *
   * @param newKey The app's key should it have none; made before the work, which may run more than once.
   */
  add(tx: Transaction, addressKeys: readonly string[], suppression: Suppression, newKey: string): number;
  /** Returns the number of addresses that were suppressed. */
  remove(tx: Transaction, addressKeys: readonly string[]): number;
}

export function createSuppressions({ seal }: { readonly seal: Seal }): Suppressions {
  return {
    find(tx, addressKey) {
      const key = knownLinkKey(tx, seal);
      return key === undefined ? undefined : tx.suppressions.get(suppressionId(key, tx.appId, addressKey));
    },

    add(tx, addressKeys, suppression, newKey) {
      if (addressKeys.length === 0) return 0;
      const key = linkKeyOf(tx, seal, newKey);
      let added = 0;
      for (const addressKey of addressKeys) {
        const id = suppressionId(key, tx.appId, addressKey);
        if (tx.suppressions.get(id) === undefined) added++;
        tx.suppressions.put(id, suppression);
      }
      return added;
    },

    remove(tx, addressKeys) {
      const key = knownLinkKey(tx, seal);
      if (key === undefined) return 0;
      const ids = addressKeys.map((addressKey) => suppressionId(key, tx.appId, addressKey));
      const known = ids.filter((id) => tx.suppressions.get(id) !== undefined);
      for (const id of known) tx.suppressions.delete(id);
      return known.length;
    },
  };
}

/** The id under which a store keeps an address. */
function suppressionId(key: Uint8Array, appId: string, addressKey: string): string {
  return createHmac("sha256", key).update(`aisle suppressed address\0${appId}\0${addressKey}`).digest("base64url");
}
