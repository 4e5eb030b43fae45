/** Milliseconds since 1970, UTC. Passed in wherever time matters, so that tests choose it. */
export type Now = () => number;
