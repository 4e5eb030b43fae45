import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Clients } from "./rpc.js";

/** What every page works with. */
export interface Surroundings {
  readonly clients: Clients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where storefronts reach the REST interface; null where the server does not know. */
  readonly storefrontUrl: string | null;
}

export const SurroundingsContext = createContext<Surroundings | undefined>(undefined);

export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext);
  if (surroundings === undefined) throw new Error("a page stands outside the console");
  return surroundings;
}
