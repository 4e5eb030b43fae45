/**
 * Events that a shop's server signs, and the secrets it signs with. A signed event is the shop's own word wherever it
 * comes from. One that is not proven is refused and never taken as an unsigned one, so that a shop learns of a wrong
 * secret at once.
 */
import type { Now } from "../domain/clock.js";
import { Conflict, InvalidArgument, NotFound, Unauthenticated } from "../domain/errors.js";
import {
  MAILING_SECRETS,
  MAX_SIGNING_SECRETS,
  type MailingSecrets,
  NO_MAILING_SECRETS,
  type SigningSecret,
} from "../domain/hook.js";
import { cleanId } from "../domain/ids.js";
import type { Seal } from "../domain/secret-encryption.js";
import { isSignedBy, type Signed, secretText } from "../domain/signature.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { HookStore } from "../store/ports/hook-store.js";
import type { Change, UnitOfWork } from "../store/ports/unit-of-work.js";

/** How far a signature's time may be from this clock, as Standard Webhooks' own libraries have it. */
const TOLERANCE_MS = 5 * 60_000;

export interface EventSignature extends Signed {
  /** One or more of `v1,<Base64>`, with spaces between. */
  readonly signatures: string;
}

export interface SignedEvents {
  /**
   * Resolves when one of the app's secrets has made one of the signatures within the last minutes. Rejects with
   * InvalidArgument for what is no signature, NotFound("app") and Unauthenticated. A repeated request is not refused: its
   * id is the event's idempotency key, which outlives the tolerance.
   */
  verify(appId: string, signature: EventSignature): Promise<void>;
  /**
   * Creates a secret, on request in place of the older of two. Rejects with NotFound("app"), and Conflict beyond two.
   */
  create(appId: string, replaceOldest: boolean, change?: Change<SigningSecret>): Promise<SigningSecret>;
  /** Oldest first, as stored. */
  list(appId: string): Promise<readonly SigningSecret[]>;
  /** False if the app has no such secret. */
  remove(appId: string, secretId: string, change?: Change<boolean>): Promise<boolean>;
}

export function createSignedEvents(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly kept: Pick<HookStore, "secrets">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly seal: Seal;
  readonly now: Now;
  readonly newId: () => string;
  /** Returns 32 random hex digits. */
  readonly newSecret: () => string;
}): SignedEvents {
  const { apps, kept, unitOfWork, seal, now, newId, newSecret } = deps;
  const list = async (appId: string) => (await kept.secrets(appId))?.signing ?? [];
  return {
    async verify(appId, signature) {
      mustBeSignature(signature);
      const age = Math.abs(now() - Number(signature.timestamp) * 1000);
      if (age > TOLERANCE_MS)
        throw new Unauthenticated("signature_expired", "The signature's time is more than 5 minutes from now");
      const secrets = (await list(appId)).map(({ secret }) => seal.open(appId, secret));
      if (isSignedBy(secrets, signature, signature.signatures)) return;
      if ((await apps.get(appId)) === undefined) throw new NotFound("app");
      throw new Unauthenticated("signature_unknown", "None of the app's signing secrets made the signature");
    },

    create: (appId, replaceOldest, change = (id, work) => unitOfWork.run(id, work)) => {
      const secret = secretText(Buffer.from(newSecret() + newSecret(), "hex"));
      const made = { secretId: newId(), secret, createdAt: now() };
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const secrets: MailingSecrets = tx.mailingSecrets.get(MAILING_SECRETS) ?? NO_MAILING_SECRETS;
        const isFull = secrets.signing.length >= MAX_SIGNING_SECRETS;
        if (isFull && !replaceOldest)
          throw new Conflict(
            "too_many_signing_secrets",
            `An app has at most ${MAX_SIGNING_SECRETS} signing secrets: remove one first`,
          );
        const others = isFull ? secrets.signing.slice(1 - MAX_SIGNING_SECRETS) : secrets.signing;
        const signing = [...others, { ...made, secret: seal.seal(appId, secret) }];
        const isFirst = secrets.signing.length === 0;
        const signingSince = isFirst ? made.createdAt : secrets.signingSince;
        tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, signing, signingSince });
        return made;
      });
    },

    list,

    remove: (appId, secretId, change = (id, work) => unitOfWork.run(id, work)) =>
      change(appId, (tx) => {
        if (tx.app() === undefined) return false;
        const secrets = tx.mailingSecrets.get(MAILING_SECRETS);
        const signing = secrets?.signing.filter((one) => one.secretId !== secretId);
        if (secrets === undefined || signing?.length === secrets.signing.length) return false;
        const signingSince = signing?.length === 0 ? 0 : secrets.signingSince;
        tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, signing: signing ?? [], signingSince });
        return true;
      }),
  };
}

/** A full stop in the id would make its border to the timestamp ambiguous. */
function mustBeSignature({ id, timestamp, signatures }: EventSignature): void {
  if (id === "") throw new InvalidArgument("signature.id", "missing");
  if (cleanId(id) === "" || id.includes("."))
    throw new InvalidArgument("signature.id", "invalid", "at most 255 bytes without control characters and full stops");
  if (timestamp === "") throw new InvalidArgument("signature.timestamp", "missing");
  if (!/^[1-9]\d{0,11}$/.test(timestamp))
    throw new InvalidArgument("signature.timestamp", "invalid", "seconds since 1970 in decimal digits");
  if (signatures === "") throw new InvalidArgument("signature.signatures", "missing");
  if (!/^v\d+[a-z]?,\S+( v\d+[a-z]?,\S+)*$/.test(signatures))
    throw new InvalidArgument("signature.signatures", "invalid", "v1, and Base64; several with spaces between");
}
