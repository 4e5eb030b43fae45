/** Something that was looked at, and how it is. */
export interface Finding {
  /** What it is about, in a word or two: `store`, `index`, `disk`. */
  readonly about: string;
  /** `note`: works, and is worth knowing; `problem`: does not work, or will not for long. */
  readonly state: "ok" | "note" | "problem";
  /** One line. Never holds a password or anything personal. */
  readonly text: string;
}
