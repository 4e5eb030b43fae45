import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/learning/common/random.js";
import { rowOf, rowsFrom } from "../../../../src/learning/common/rows.js";
import { purchasesOf } from "../../../../src/learning/rank/carts/purchases.js";
import { cartQuestions, NO_CUSTOMER, orderQuestions } from "../../../../src/learning/rank/carts/questions.js";

const DAY = 86_400_000;

const anyOrders = fc
  .array(fc.tuple(fc.uniqueArray(fc.nat(9), { maxLength: 6 }), fc.constantFrom(0, 1, NO_CUSTOMER)), { maxLength: 12 })
  .map((orders) => ({
    baskets: rowsFrom(orders.map(([products]) => products)),
    at: Float64Array.from(orders, (_, row) => row * DAY),
    customers: Uint32Array.from(orders, ([, customer]) => customer),
  }));

describe("the training questions of carts", () => {
  it("ask for a product of the order with others of it, none of which remains as a wrong candidate", () => {
    fc.assert(
      fc.property(anyOrders, fc.nat(), (orders, seed) => {
        const rows = orders.at.length;
        for (const { question, answer, leftOut, row } of cartQuestions(orders, 0, rows, createRandom(seed))) {
          const products = [...rowOf(orders.baskets, row)];
          expect(question.items).not.toContain(answer);
          expect(leftOut).not.toContain(answer);
          expect([...new Set([...question.items, ...leftOut, answer])].sort()).toEqual(products.sort());
        }
      }),
    );
  });

  it("skip orders of one product or outside the rows", () => {
    const orders = {
      baskets: rowsFrom([[0, 1], [2], [3, 4]]),
      at: new Float64Array(3),
      customers: new Uint32Array(3).fill(NO_CUSTOMER),
    };
    expect(cartQuestions(orders, 1, 2, createRandom(1))).toEqual([]);
  });
});

describe("the training questions of next orders", () => {
  it("ask with earlier purchases of the same customer and no later ones", () => {
    fc.assert(
      fc.property(anyOrders, fc.nat(), (orders, seed) => {
        for (const asked of orderQuestions(orders, 0, orders.at.length, createRandom(seed))) {
          const customer = orders.customers[asked.row];
          expect(customer).not.toBe(NO_CUSTOMER);
          const earlier = new Set<number>();
          for (let row = 0; row < asked.row; row++)
            if (orders.customers[row] === customer)
              for (const product of rowOf(orders.baskets, row)) earlier.add(product);
          expect([...asked.question.items].sort()).toEqual([...earlier].sort());
          expect([...rowOf(orders.baskets, asked.row)]).toContain(asked.answer);
          expect(asked.leftOut).not.toContain(asked.answer);
        }
      }),
    );
  });

  it("leave out all earlier purchases when the answer is new, and keep only right answers when it is a repeat", () => {
    const orders = {
      baskets: rowsFrom([
        [0, 1],
        [1, 2],
      ]),
      at: Float64Array.of(0, DAY),
      customers: Uint32Array.of(7, 7),
    };
    const asked = orderQuestions(orders, 1, 2, createRandom(1));
    expect(asked.map(({ answer, leftOut }) => [answer, [...leftOut].sort()])).toEqual([
      [2, [0, 1]],
      [1, [2]],
    ]);
  });
});

describe("a customer's purchases", () => {
  it("are counted by product with the days since the last one, the latest last", () => {
    const orders = [
      { at: 0, products: [4, 5] },
      { at: 2 * DAY, products: [6, 4, 4] },
    ];
    expect(purchasesOf(orders, 5 * DAY)).toEqual({
      products: Uint32Array.of(5, 6, 4),
      times: Float32Array.of(1, 1, 2),
      days: Float32Array.of(5, 3, 3),
      orders: 2,
    });
  });
});
