import type { Now } from "../domain/clock.js";

/** The maximum count within a millisecond: 12 bits. */
const MAX_COUNT = 0xfff;

/**
 * UUIDv7, each greater than the one before. The random part of each is that of a UUIDv4, which Node makes of entropy it
 * keeps in stock; the `uuid` package asks the system each time and costs seven times as much, three per cent of a
 * /trace. RFC 9562, section 6.2, method 1: the twelve bits behind the time count within a millisecond, from a random
 * number of eleven bits. When they run out, or the clock goes back, the time of the last id goes on.
 */
export function createUuids({ now, randomUuid }: { readonly now: Now; readonly randomUuid: () => string }) {
  let time = Number.NEGATIVE_INFINITY;
  let count = 0;
  let prefix = "";
  const begin = (at: number, first: number) => {
    const hex = at.toString(16).padStart(12, "0");
    time = at;
    count = first;
    prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
  };
  return (): string => {
    const random = randomUuid(); // xxxxxxxx-xxxx-4xxx-[89ab]xxx-xxxxxxxxxxxx
    const at = now();
    if (at > time) begin(at, Number.parseInt(random.slice(15, 18), 16) >>> 1);
    else if (count < MAX_COUNT) count++;
    else begin(time + 1, 0);
    return `${prefix}${count.toString(16).padStart(3, "0")}${random.slice(18)}`;
  };
}

/** Ids of requests: they need not be hard to guess, so all have one random part, and time and count keep them apart. */
export function createRequestIds({ now, random }: { readonly now: Now; readonly random: string }) {
  return createUuids({ now, randomUuid: () => random });
}
