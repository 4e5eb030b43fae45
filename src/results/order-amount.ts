import type { VisitorOrder } from "../domain/frame-exposure.js";
import { NO_CURRENCY } from "../domain/frame-tally.js";
import type { Money } from "../domain/money.js";

const MILLIONTHS = 1e6;
/** Payments beyond it are no payments: one order must not hide all others. */
const MOST_PAID = 1e10;

/** What an order adds to a revenue, and of which currency. */
export function orderAmountOf({ amount, currency }: Money): Pick<VisitorOrder, "currency" | "amount"> {
  const paid = Number(amount);
  if (amount === "" || !(paid >= 0 && paid <= MOST_PAID)) return { currency: "", amount: 0 };
  return { currency: currency.toUpperCase() || NO_CURRENCY, amount: Math.round(paid * MILLIONTHS) };
}
