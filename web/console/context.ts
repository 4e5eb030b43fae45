import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Clients } from "./rpc.js";

/** Dependencies of every page. */
export interface Surroundings {
  readonly clients: Clients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Public address of the REST interface; null when the server does not know it. */
  readonly storefrontUrl: string | null;
}

export const SurroundingsContext = createContext<Surroundings | undefined>(undefined);

export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext);
  if (surroundings === undefined) throw new Error("a page stands outside the console");
  return surroundings;
}
