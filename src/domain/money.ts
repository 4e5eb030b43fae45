/** An amount as decimal text with a dot, "" when not known, and its ISO 4217 currency, "" when not known. */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

export const NO_MONEY: Money = { amount: "", currency: "" };

const DECIMAL = /^-?\d{1,18}(\.\d{1,9})?$/;

/** True for decimal text with a dot, as Money holds it. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}
