type Numbers = Uint8Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** Numbers of a piece. */
const PIECE = 2 ** 16;

/**
 * A typed array whose length is known only at its end. A list of JavaScript numbers takes 8 bytes for each on V8's heap, copies
 * itself as it grows and ends at 2^27 of them; this one grows by pieces outside of the heap.
 */
export class GrowingArray<T extends Numbers> {
  readonly #make: (length: number) => T;
  #pieces: T[] = [];
  #last: T;
  #used = 0;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#last = make(PIECE);
  }

  get length(): number {
    return this.#pieces.length * PIECE + this.#used;
  }

  push(value: number): void {
    if (this.#used === PIECE) {
      this.#pieces.push(this.#last);
      this.#last = this.#make(PIECE);
      this.#used = 0;
    }
    this.#last[this.#used++] = value;
  }

  /** Drops the numbers that `isKept` does not want, by their place. It is called once for each, in their order. */
  keep(isKept: (place: number) => boolean): void {
    const length = this.length;
    const pieces = [...this.#pieces, this.#last];
    let to = 0;
    for (let place = 0; place < length; place++) {
      if (!isKept(place)) continue;
      pieces[Math.floor(to / PIECE)]![to % PIECE] = pieces[Math.floor(place / PIECE)]![place % PIECE]!;
      to++;
    }
    const full = Math.floor(to / PIECE);
    this.#pieces = pieces.slice(0, full);
    this.#last = pieces[full] ?? this.#make(PIECE);
    this.#used = to % PIECE;
  }

  /** Puts another number in the place of each. */
  map(of: (number: number, place: number) => number): void {
    const length = this.length;
    const pieces = [...this.#pieces, this.#last];
    for (let place = 0; place < length; place++) {
      const piece = pieces[Math.floor(place / PIECE)]!;
      piece[place % PIECE] = of(piece[place % PIECE]!, place);
    }
  }

  /** All numbers in one array, and here still. */
  copy(): T {
    const all = this.#make(this.length);
    for (const [n, piece] of [...this.#pieces, this.#last].entries())
      all.set(piece.subarray(0, all.length - n * PIECE), n * PIECE);
    return all;
  }

  /** All numbers in one array. Empties this one, whose pieces are let go of as they are copied. */
  take(): T {
    const all = this.#make(this.length);
    this.#pieces.push(this.#last);
    this.#last = this.#make(0);
    for (let at = 0; at < all.length; at += PIECE) {
      const piece = this.#pieces[at / PIECE]!;
      all.set(piece.subarray(0, all.length - at), at);
      this.#pieces[at / PIECE] = this.#last;
    }
    this.#pieces = [];
    this.#last = this.#make(PIECE);
    this.#used = 0;
    return all;
  }
}
