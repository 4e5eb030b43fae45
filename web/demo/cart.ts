import { isObject, listOf, type Shelf } from "../helper/shelf.js";

/** One product in the cart, and how many. */
export interface Line {
  readonly id: string;
  readonly title: string;
  readonly cents: number;
  /** 1 to 99. */
  readonly count: number;
}

/** The cart of this browser: all tabs of the shop share it. */
export interface Cart {
  lines(): readonly Line[];
  /** One more of a product. */
  add(product: Omit<Line, "count">): void;
  /** A count below 1 removes the line; one above 99 becomes 99. */
  setCount(id: string, count: number): void;
  clear(): void;
}

/** An order as the page of thanks shows it. */
export interface PlacedOrder {
  readonly orderId: string;
  readonly lines: readonly Line[];
}

const MOST = 99;

export function createCart(shelf: Shelf): Cart {
  const lines = () => listOf(shelf.read("cart"), isLine);
  return {
    lines,
    add(product) {
      const all = lines();
      const isThere = all.some(({ id }) => id === product.id);
      const more = (line: Line) => (line.id === product.id ? { ...line, count: Math.min(MOST, line.count + 1) } : line);
      shelf.write("cart", isThere ? all.map(more) : [...all, { ...product, count: 1 }]);
    },
    setCount(id, count) {
      const kept = lines().flatMap((line) => {
        if (line.id !== id) return line;
        return count >= 1 ? { ...line, count: Math.min(MOST, Math.floor(count)) } : [];
      });
      shelf.write("cart", kept);
    },
    clear: () => shelf.remove("cart"),
  };
}

export function thingsIn(lines: readonly Line[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

/** The sum of all lines, in cents. */
export function totalOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { cents, count }) => sum + cents * count, 0);
}

export function keepOrder(shelf: Shelf, order: PlacedOrder): void {
  shelf.write("order", order);
}

/** The last order of this browser. */
export function lastOrder(shelf: Shelf): PlacedOrder | undefined {
  const kept = shelf.read("order");
  if (!isObject(kept) || typeof kept.orderId !== "string") return undefined;
  return { orderId: kept.orderId, lines: listOf(kept.lines, isLine) };
}

function isLine(value: unknown): value is Line {
  if (!isObject(value)) return false;
  const { id, title, cents, count } = value;
  return [id, title].every((text) => typeof text === "string") && [cents, count].every(Number.isFinite);
}
