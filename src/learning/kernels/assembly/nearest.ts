/**
 * Dot products of one query with many vectors, in AssemblyScript: four numbers by one instruction, and four vectors at
 * once, as a sum waits for its last addition. Each is added up in the same order, so that equal vectors have equal products.
 */

/**
 * @param vectors One after the other (f32), `length` bytes each; as many as there are, in fours.
 * @param query Of the same length.
 * @param products One for each vector (f32).
 */
export function dotProducts(vectors: usize, count: i32, query: usize, length: i32, products: usize): void {
  const all = length as usize;
  const inFours = (length & ~15) as usize;
  for (let v = 0; v < count; v += 4) {
    let sum0 = f32x4.splat(0);
    let sum1 = sum0;
    let sum2 = sum0;
    let sum3 = sum0;
    const second = vectors + all;
    const third = second + all;
    const fourth = third + all;
    for (let at: usize = 0; at < inFours; at += 16) {
      const values = v128.load(query + at);
      sum0 = f32x4.add(sum0, f32x4.mul(v128.load(vectors + at), values));
      sum1 = f32x4.add(sum1, f32x4.mul(v128.load(second + at), values));
      sum2 = f32x4.add(sum2, f32x4.mul(v128.load(third + at), values));
      sum3 = f32x4.add(sum3, f32x4.mul(v128.load(fourth + at), values));
    }
    let total0 = total(sum0);
    let total1 = total(sum1);
    let total2 = total(sum2);
    let total3 = total(sum3);
    for (let at: usize = inFours; at < all; at += 4) {
      const value = load<f32>(query + at);
      total0 += load<f32>(vectors + at) * value;
      total1 += load<f32>(second + at) * value;
      total2 += load<f32>(third + at) * value;
      total3 += load<f32>(fourth + at) * value;
    }
    store<f32>(products, total0);
    store<f32>(products, total1, 4);
    store<f32>(products, total2, 8);
    store<f32>(products, total3, 12);
    products += 16;
    vectors = fourth + all;
  }
}

function total(sums: v128): f32 {
  const front = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1);
  return front + (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3));
}
