/** The result of one check of the doctor. */
export interface Finding {
  /** The topic in a word or two: `store`, `index`, `disk`. */
  readonly about: string;
  /** `note`: it works, but the operator should know; `problem`: it does not work, or soon will not. */
  readonly state: "ok" | "note" | "problem";
  /** One line, without passwords and personal data. */
  readonly text: string;
}
