import { describe, expect, it } from "vitest";
import type { Interaction, InteractionType } from "../../../src/domain/interaction.js";
import { type FollowedSituation, followedSituations } from "../../../src/learning/training/blend-questions.js";
import { readDataset } from "../../../src/learning/training/dataset.js";
import { bareProduct } from "../../fixtures/bare-product.js";

const IDS = ["a", "b", "c", "d", "e"];

const at = (second: number, type: InteractionType, ...productIds: string[]): Interaction => ({
  type,
  at: second * 1000,
  productIds,
  ref: `${second}`,
});

/** What is asked about one visitor's visit by sources that knew all products but those of `unmet`. */
async function situations(interactions: readonly Interaction[], unmet: readonly string[] = []) {
  async function* scan<T>(batch: readonly T[]): AsyncGenerator<readonly T[]> {
    yield batch;
  }
  const data = await readDataset("shop", {
    products: { scan: () => scan(IDS.map((id) => bareProduct(id))) },
    interactions: { scan: () => scan([{ visitorId: "v", interactions }]) },
  });
  const isMet = Uint8Array.from(IDS, (id) => (unmet.includes(id) ? 0 : 1));
  const older = { sources: [], popular: new Uint32Array(0), isMet, sessions: [0], orders: [...data.basketAt.keys()] };
  return followedSituations(data, older, 1);
}

const names = (indices: Iterable<number>) => Array.from(indices, (index) => IDS[index]).join("");
const told = ({ query, answer, excluded }: FollowedSituation) =>
  `${names(query.session.items)} + ${names(query.basket)} -> ${IDS[answer]} without ${names(excluded)}`;

describe("the questions a blend is learned from", () => {
  it("ask on a product page for the next product that is new to the visit", async () => {
    const visit = ["a", "b", "a", "c"].map((id, second) => at(second, "product_view", id));
    const { browsing, browsing_with_cart } = await situations(visit);
    expect(browsing.filter(({ isRepeat }) => !isRepeat).map(told)).toEqual([
      "a + a -> b without a",
      "aba + a -> c without ab",
    ]);
    expect(browsing_with_cart).toEqual([]);
  });

  it("are also judged on steps back to products of the visit", async () => {
    const visit = ["a", "b", "a"].map((id, second) => at(second, "product_view", id));
    const { browsing } = await situations(visit);
    expect(browsing.filter(({ isRepeat }) => isRepeat).map(told)).toEqual(["ab + b -> a without "]);
  });

  it("ask the same with an open cart, which an order empties", async () => {
    const visit = [
      at(1, "product_view", "a"),
      at(2, "add_to_cart", "a"),
      at(3, "product_view", "b"),
      at(4, "order", "a"),
      at(5, "product_view", "c"),
    ];
    const { browsing, browsing_with_cart } = await situations(visit);
    expect(browsing_with_cart.map(told)).toEqual(["a + a -> b without a"]);
    expect(browsing.map(told)).toEqual(["ab + b -> c without ab"]);
  });

  it("ask in the cart for a line of an order, from all the others and from the first", async () => {
    const { cart } = await situations([at(1, "order", "a", "b", "c")]);
    const [hidden, rest] = cart;
    expect(cart).toHaveLength(2);
    expect(names([hidden!.answer, ...hidden!.query.basket].sort())).toBe("abc");
    expect(hidden!.query).toMatchObject({ hasCart: true, isViewing: false });
    expect(names(rest!.query.basket)).toBe("a");
    expect(names(rest!.excluded)).toBe(rest!.answer === 1 ? "ac" : "ab");
  });

  it("never ask for a product without earlier interactions", async () => {
    const visit = [at(1, "product_view", "a"), at(2, "product_view", "b"), at(3, "order", "d", "e")];
    const { browsing, cart } = await situations(visit, ["b", "d"]);
    expect(browsing.map(told)).toEqual(["abd + d -> e without abd"]);
    expect(cart).toEqual([]);
  });
});
