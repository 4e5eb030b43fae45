/** A call that failed. */
export interface FailedCall {
  /** 0 where there was no answer that the page may read. */
  readonly status: number;
  /** The error of the answer; "" for none. */
  readonly error: string;
}

/** What a failed call means. `service` is the address of Aisle, `origin` that of the page. */
export function meaningOf({ status, error }: FailedCall, appId: string, service: string, origin: string): string {
  if (status === 403)
    return `The app "${appId}" does not allow pages of ${origin}: add it with "aisle app set ${appId} --origin ${origin}".`;
  if (/^Invalid app_?id$/i.test(error))
    return `There is no app "${appId}" on ${service}: data-app should be the id that the console lists.`;
  if (status === 0 && !/^https?:/.test(origin))
    return `This page was opened as a file: serve its folder over http ("python3 -m http.server").`;
  if (status === 0)
    return `${service} does not answer, or the page may not read the answer: is Aisle running there, does the page's Content-Security-Policy allow it, and does "${appId}" allow ${origin}?`;
  return `${service} answered ${status}: ${error || "no reason given"}.`;
}
