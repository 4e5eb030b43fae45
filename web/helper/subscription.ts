import type { Environment } from "./environment.js";
import { isObject } from "./shelf.js";
import type { VisitorIds } from "./visitor.js";

export interface Subscription {
  /** The visitor's e-mail address is known. */
  readonly identified: boolean;
  /** null when unknown. */
  readonly status: boolean | null;
  /**
   * Whether to show the subscription form: only to a visitor whose status is unknown, not to one who has unsubscribed,
   * and not while the service cannot answer.
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
  // without an answer the page stays as it is
  const response = await fetch(`${url}?${query}`, { method: "GET", credentials: "include" }).catch(() => undefined);
  // no JSON: the same as no answer
  const answer: unknown = await response?.json().catch(() => undefined);
  if (response?.status !== 200 || !isObject(answer)) return { identified: false, status: null, showForm: false };
  const status = typeof answer.status === "boolean" ? answer.status : null;
  return { identified: answer.identified === true, status, showForm: status === null };
}
