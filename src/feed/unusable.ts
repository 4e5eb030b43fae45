/** A file cannot be read in the way it was asked to; nothing was done. Ends a command with 2. */
export class UnusableFile extends Error {
  readonly exitCode = 2;
}

/** What was read so far is good, but the rest of the file cannot be made out: it breaks off, or it is no feed. */
export class BrokenFeed extends Error {}
