import type { FastifyRequest } from "fastify";

/** The id that a caller gave its request; undefined for none that could stand in a header of ours. */
export function saneRequestId(sent: string | string[] | undefined): string | undefined {
  return typeof sent === "string" && /^[A-Za-z0-9._~:+/=@-]{1,128}$/.test(sent) ? sent : undefined;
}

/** Without its query. */
export function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}
