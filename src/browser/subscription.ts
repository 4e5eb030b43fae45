import type { Environment } from "./environment.js";
import { isObject } from "./shelf.js";
import type { VisitorIds } from "./visitor.js";

export interface Subscription {
  /** The visitor's e-mail address is known. */
  readonly identified: boolean;
  /** null: not known. */
  readonly status: boolean | null;
  /**
   * The subscription form may be shown: nobody knows whether this visitor is subscribed. Who has unsubscribed is not
   * asked again, and while the service cannot say, nobody is.
   */
  readonly showForm: boolean;
}

/** Asks GET /subscription_status. Never rejects. */
export async function askSubscription(
  url: string,
  appId: string,
  { fpccid }: VisitorIds,
  isForced: boolean,
  fetch: Environment["fetch"],
): Promise<Subscription> {
  if (fpccid === "") return { identified: false, status: null, showForm: true };
  const query = new URLSearchParams({ app_id: appId, fpcid: fpccid, ...(isForced && { force: "true" }) });
  const response = await fetch(`${url}?${query}`, { method: "GET", credentials: "include" }).catch(() => undefined);
  const answer: unknown = await response?.json().catch(() => undefined);
  if (response?.status !== 200 || !isObject(answer)) return { identified: false, status: null, showForm: false };
  const status = typeof answer.status === "boolean" ? answer.status : null;
  return { identified: answer.identified === true, status, showForm: status === null };
}
