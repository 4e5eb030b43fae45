/** The file cannot be read with the given options; nothing was done. Ends a command with exit code 2. */
export class UnusableFile extends Error {
  readonly exitCode = 2;
}

/** The rest of the file is unreadable: it breaks off, or is not a feed. Rows read before are good. */
export class BrokenFeed extends Error {}
