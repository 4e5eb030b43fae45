/**
 * Search and construction of an HNSW graph (Malkov, Yashunin 2018), in AssemblyScript. The graph lies in memory as in the
 * files of hnswlib 0.7 (`adapters/hnsw/graph-file.ts`). Four vectors are compared at a time, so that one wait for memory
 * serves all four.
 */

/** Marks a vector of a pool whose links were followed. */
const FOLLOWED: u32 = 0x8000_0000;
const NOWHERE = i32.MAX_VALUE;

let m = 0;
let recordLength: usize = 0;
let recordsAt: usize = 0;
/** Where the numbers are in a record. */
let numbersIn: usize = 0;
let numbersLength: usize = 0;
/** For each vector, where its list of level 1 is (u32); those of higher levels come after it. */
let uppersAt: usize = 0;
let upperLength: usize = 0;
/** For each vector the tag of the last search that met it (u8). */
let visitedAt: usize = 0;
let count = 0;
let tag: u32 = 0;
/** Vectors to compare, where their numbers are, and their distances; 4 bytes each. */
let idsAt: usize = 0;
let addressesAt: usize = 0;
let distancesAt: usize = 0;
/** The vectors chosen as neighbours, and where their numbers are; 4 bytes each. */
let chosenAt: usize = 0;
let chosenAddressesAt: usize = 0;
/** Pools hold distance (f32) and vector (u32) by rising distance. */
let linksPoolAt: usize = 0;
let poolAt: usize = 0;
let poolSize = 0;

/**
 * Takes the graph whose records are at `records` and whose file ends at `end`, with free memory behind it. Answers where the
 * pool of a search begins, which needs 8 bytes for each vector of the search's width and 16 more; 0 when the file is damaged.
 */
export function take(vectors: i32, dimensions: i32, links: i32, records: usize, end: usize): usize {
  count = vectors;
  m = links;
  numbersIn = (4 + 8 * links) as usize;
  numbersLength = (4 * dimensions) as usize;
  recordLength = numbersIn + numbersLength + 8;
  recordsAt = records;
  upperLength = (4 + 4 * links) as usize;
  uppersAt = (end + 15) & ~15;
  const most = ((2 * links + 4) << 2) as usize;
  idsAt = uppersAt + ((vectors as usize) << 2);
  addressesAt = idsAt + most;
  distancesAt = addressesAt + most;
  chosenAt = distancesAt + most;
  chosenAddressesAt = chosenAt + most;
  linksPoolAt = chosenAddressesAt + most;
  visitedAt = linksPoolAt + 2 * most;
  poolAt = (visitedAt + (vectors as usize) + 15) & ~15;
  let at = records + (vectors as usize) * recordLength;
  for (let id = 0; id < vectors; id++) {
    if (at + 4 > end) return 0;
    const length = load<u32>(at) as usize;
    at += 4;
    store<u32>(uppersAt + ((id << 2) as usize), at as u32);
    if (length > end - at) return 0;
    at += length;
  }
  return at === end ? poolAt : 0;
}

/** The vectors nearest to the query are in the pool then; answers how many. */
export function search(query: usize, entry: u32, topLevel: i32, width: i32): i32 {
  searchLevel(query, descend(query, entry, topLevel, 0), 0, width);
  return poolSize;
}

/** Links a vector, whose numbers are in its record, to those before it. */
export function add(id: u32, level: i32, entry: u32, topLevel: i32, width: i32): void {
  const own = numbersOf(id);
  let nearest = descend(own, entry, topLevel, level);
  for (let at = min(level, topLevel); at >= 0; at--) {
    searchLevel(own, nearest, at, width);
    nearest = load<u32>(poolAt, 4) & ~FOLLOWED;
    const links = linksOf(id, at);
    const chosen = choose(poolAt, poolSize, m);
    store<u32>(links, chosen);
    memory.copy(links + 4, chosenAt, (chosen << 2) as usize);
    for (let n = 0; n < chosen; n++) linkBack(load<u32>(links + 4 + ((n << 2) as usize)), id, at);
  }
}

/** The greedy way down: the nearest vector of each level leads into the next one. */
function descend(query: usize, entry: u32, from: i32, to: i32): u32 {
  let nearest = entry;
  let distance = distanceTo(query, entry);
  for (let level = from; level > to; level--) {
    nextTag();
    for (let before = NOWHERE as u32; before !== nearest; ) {
      before = nearest;
      const fresh = listUnvisited(linksOf(nearest, level));
      compare(query, addressesAt, fresh);
      for (let n: usize = 0; n < ((fresh << 2) as usize); n += 4) {
        if (load<f32>(distancesAt + n) >= distance) continue;
        distance = load<f32>(distancesAt + n);
        nearest = load<u32>(idsAt + n);
      }
    }
  }
  return nearest;
}

/** Fills the pool with the nearest that can be reached over vectors among the nearest so far. */
function searchLevel(query: usize, entry: u32, level: i32, width: i32): void {
  nextTag();
  store<u8>(visitedAt + (entry as usize), tag);
  poolSize = 1;
  store<f32>(poolAt, distanceTo(query, entry));
  store<u32>(poolAt, entry, 4);
  for (let next = 0; next < poolSize; ) {
    const at = poolAt + ((next << 3) as usize);
    const id = load<u32>(at, 4);
    store<u32>(at, id | FOLLOWED, 4);
    const fresh = listUnvisited(linksOf(id, level));
    compare(query, addressesAt, fresh);
    for (let n: usize = 0; n < ((fresh << 2) as usize); n += 4) {
      const place = insert(poolAt, poolSize, width, load<f32>(distancesAt + n), load<u32>(idsAt + n));
      if (place === NOWHERE) continue;
      if (poolSize < width) poolSize++;
      if (place < next) next = place;
    }
    while (next < poolSize && (load<u32>(poolAt + ((next << 3) as usize), 4) & FOLLOWED) !== 0) next++;
  }
}

function nextTag(): void {
  tag = (tag + 1) & 0xff;
  if (tag !== 0) return;
  memory.fill(visitedAt, 0, count as usize);
  tag = 1;
}

function listUnvisited(links: usize): i32 {
  const end = links + 4 + (((load<u16>(links) as i32) << 2) as usize);
  let listed: usize = 0;
  for (let at = links + 4; at < end; at += 4) {
    const id = load<u32>(at);
    const mark = visitedAt + (id as usize);
    if (load<u8>(mark) === tag) continue;
    store<u8>(mark, tag);
    store<u32>(idsAt + listed, id);
    store<u32>(addressesAt + listed, numbersOf(id) as u32);
    listed += 4;
  }
  return (listed >> 2) as i32;
}

/**
 * Puts a vector into a sorted pool that keeps the nearest `width`; answers its place, NOWHERE when it is not among them.
 * Shifting a few hundred entries takes less time than the two heaps of the paper.
 */
function insert(pool: usize, size: i32, width: i32, distance: f32, id: u32): i32 {
  if (size === width) {
    if (distance >= load<f32>(pool + (((size - 1) << 3) as usize))) return NOWHERE;
    size--;
  }
  let low = 0;
  for (let high = size; low < high; ) {
    const middle = (low + high) >> 1;
    if (load<f32>(pool + ((middle << 3) as usize)) > distance) high = middle;
    else low = middle + 1;
  }
  const place = pool + ((low << 3) as usize);
  let at = pool + ((size << 3) as usize);
  for (; at >= place + 16; at -= 16) v128.store(at - 8, v128.load(at - 16));
  if (at > place) store<u64>(at, load<u64>(at - 8));
  store<f32>(place, distance);
  store<u32>(place, id, 4);
  return low;
}

/** Chooses of a sorted pool those that are nearer to its middle than to each chosen one; all, when there are fewer than `most`. */
function choose(pool: usize, size: i32, most: i32): i32 {
  let chosen = 0;
  for (let n = 0; n < size && chosen < most; n++) {
    const at = pool + ((n << 3) as usize);
    const id = load<u32>(at, 4) & ~FOLLOWED;
    const numbers = numbersOf(id);
    if (size >= most && isNearerToChosen(numbers, chosen, load<f32>(at))) continue;
    const to = (chosen << 2) as usize;
    store<u32>(chosenAt + to, id);
    store<u32>(chosenAddressesAt + to, numbers as u32);
    chosen++;
  }
  return chosen;
}

function isNearerToChosen(numbers: usize, chosen: i32, distance: f32): bool {
  for (let from = 0; from < chosen; from += 4) {
    const some = min(4, chosen - from);
    compare(numbers, chosenAddressesAt + ((from << 2) as usize), some);
    for (let n = 0; n < some; n++) if (load<f32>(distancesAt + ((n << 2) as usize)) < distance) return true;
  }
  return false;
}

/** Adds a link from `id` to `other`; where the list is full its links are chosen anew. */
function linkBack(id: u32, other: u32, level: i32): void {
  const links = linksOf(id, level);
  const size = load<u16>(links) as i32;
  const most = level === 0 ? 2 * m : m;
  if (size < most) {
    store<u32>(links + 4 + ((size << 2) as usize), other);
    store<u32>(links, size + 1);
    return;
  }
  for (let n = 0; n < size; n++) {
    const at = (n << 2) as usize;
    store<u32>(addressesAt + at, numbersOf(load<u32>(links + 4 + at)) as u32);
  }
  store<u32>(addressesAt + ((size << 2) as usize), numbersOf(other) as u32);
  compare(numbersOf(id), addressesAt, size + 1);
  for (let n = 0; n <= size; n++) {
    const at = (n << 2) as usize;
    const linked = n < size ? load<u32>(links + 4 + at) : other;
    insert(linksPoolAt, n, size + 1, load<f32>(distancesAt + at), linked);
  }
  const chosen = choose(linksPoolAt, size + 1, most);
  store<u32>(links, chosen);
  memory.copy(links + 4, chosenAt, (chosen << 2) as usize);
}

function numbersOf(id: u32): usize {
  return recordsAt + (id as usize) * recordLength + numbersIn;
}

function linksOf(id: u32, level: i32): usize {
  if (level === 0) return recordsAt + (id as usize) * recordLength;
  return (load<u32>(uppersAt + ((id as usize) << 2)) as usize) + ((level - 1) as usize) * upperLength;
}

function distanceTo(query: usize, id: u32): f32 {
  store<u32>(addressesAt, numbersOf(id) as u32);
  compare(query, addressesAt, 1);
  return load<f32>(distancesAt);
}

/**
 * Distances (1 - dot product) of some vectors to `one`. Each is added up in the same order, so that equal vectors have equal
 * distances.
 */
function compare(one: usize, addresses: usize, some: i32): void {
  if (some === 0) return;
  const end = addresses + ((some << 2) as usize);
  if ((some & 3) !== 0) {
    // The last vector fills up its four.
    const last = load<u32>(end - 4);
    store<u32>(end, last);
    store<u32>(end, last, 4);
    store<u32>(end, last, 8);
  }
  const inFours = numbersLength & ~15;
  for (let to = distancesAt; addresses < end; addresses += 16) {
    const first = load<u32>(addresses) as usize;
    const second = load<u32>(addresses, 4) as usize;
    const third = load<u32>(addresses, 8) as usize;
    const fourth = load<u32>(addresses, 12) as usize;
    let sum0 = f32x4.splat(0);
    let sum1 = sum0;
    let sum2 = sum0;
    let sum3 = sum0;
    for (let at: usize = 0; at < inFours; at += 16) {
      const values = v128.load(one + at);
      sum0 = f32x4.add(sum0, f32x4.mul(v128.load(first + at), values));
      sum1 = f32x4.add(sum1, f32x4.mul(v128.load(second + at), values));
      sum2 = f32x4.add(sum2, f32x4.mul(v128.load(third + at), values));
      sum3 = f32x4.add(sum3, f32x4.mul(v128.load(fourth + at), values));
    }
    let total0 = total(sum0);
    let total1 = total(sum1);
    let total2 = total(sum2);
    let total3 = total(sum3);
    for (let at = inFours; at < numbersLength; at += 4) {
      const value = load<f32>(one + at);
      total0 += load<f32>(first + at) * value;
      total1 += load<f32>(second + at) * value;
      total2 += load<f32>(third + at) * value;
      total3 += load<f32>(fourth + at) * value;
    }
    store<f32>(to, 1 - total0);
    store<f32>(to, 1 - total1, 4);
    store<f32>(to, 1 - total2, 8);
    store<f32>(to, 1 - total3, 12);
    to += 16;
  }
}

function total(sums: v128): f32 {
  const front = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1);
  return front + (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3));
}
