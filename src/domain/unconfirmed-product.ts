/**
 * A sighting of a product by the visitors of one network. It has only short hashes: the event that confirms a value
 * carries the value itself.
 */
export interface Sighting {
  readonly visitor: string;
  readonly network: string;
  /** A hash for each field, in the order of `LEARNED_FIELDS` and joined by commas; empty for an absent field. */
  readonly values: string;
}

/** A product, or a change of a learned product, that too few visitors have sent. */
export interface UnconfirmedProduct {
  /** Hash of the product id. */
  readonly key: string;
  /** Day of the newest sighting, since 1970, UTC. */
  readonly day: number;
  /** At most one for each visitor and one for each network; oldest first. */
  readonly sightings: readonly Sighting[];
}

/** The unconfirmed products of an app whose hashes share a slot; the last seen one comes last. */
export interface UnconfirmedSlot {
  readonly products: readonly UnconfirmedProduct[];
}
