// bench/import.ts
import { readdirSync, readFileSync as readFileSync2, statSync } from "node:fs";
import { mkdtemp, rm as rm5, writeFile } from "node:fs/promises";
import { tmpdir as tmpdir2 } from "node:os";
import { join as join10 } from "node:path";
import { parseArgs } from "node:util";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { v7 as uuidv7 } from "uuid";

// src/adapters/embedded/backup.ts
import { randomUUID as randomUUID2 } from "node:crypto";
import { mkdir as mkdir2, open as open3, rename as rename2, rm as rm3 } from "node:fs/promises";
import { dirname as dirname2, join as join5, resolve as resolve2 } from "node:path";
import { crc32c as crc32c2 } from "@node-rs/crc32";

// src/domain/errors.ts
var DomainError = class extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
};
var InvalidArgument = class extends DomainError {
  constructor(field, fault, accepted = "") {
    super(
      fault === "missing" ? `Missing required field: ${field}` : `Invalid field: ${field}${accepted && `, ${accepted}`}`
    );
    this.field = field;
    this.fault = fault;
    this.accepted = accepted;
  }
  field;
  fault;
  accepted;
};
var NotFound = class extends DomainError {
  constructor(resource) {
    super(`There is no such ${resource.replace("_", " ")}`);
    this.resource = resource;
  }
  resource;
};
var AlreadyExists = class extends DomainError {
  constructor(resource, message) {
    super(message);
    this.resource = resource;
  }
  resource;
};
var Conflict = class extends DomainError {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
  kind;
};
var RateLimited = class extends DomainError {
  constructor(retryAfterMs, limit) {
    super("Rate limit exceeded");
    this.retryAfterMs = retryAfterMs;
    this.limit = limit;
  }
  retryAfterMs;
  limit;
};
var Unavailable = class extends DomainError {
  constructor(message, retryAfterMs = 1e3, options) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
  retryAfterMs;
};
var DataDamaged = class extends DomainError {
};

// src/adapters/embedded/environment.ts
import { randomUUID } from "node:crypto";
import { existsSync as existsSync2 } from "node:fs";
import { join as join3, resolve } from "node:path";
import { open as open2 } from "lmdb";

// src/adapters/embedded/files.ts
import { access, constants, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
async function syncDirectory(path) {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
async function makeDirectory(path) {
  const missing = [];
  for (let at = path; !await isDirectory(at); at = dirname(at)) missing.push(at);
  for (const one of missing.reverse()) {
    await mkdir(one, { mode: 448 }).catch(async (error) => {
      if (codeOf(error) === "EEXIST" && await isDirectory(one)) return;
      throw new DirectoryRefused(dirname(one), error);
    });
    await syncDirectory(dirname(one));
  }
}
async function mustBeWritable(directory2, files) {
  await access(directory2, constants.R_OK | constants.W_OK | constants.X_OK).catch((error) => {
    throw new DirectoryRefused(directory2, error);
  });
  for (const file of files) {
    const path = join(directory2, file);
    await access(path, constants.R_OK | constants.W_OK).catch((error) => {
      if (codeOf(error) !== "ENOENT") throw new DirectoryRefused(path, error);
    });
  }
}
var FAULTS = /* @__PURE__ */ new Map([
  ["EACCES", "this user may not read and write in"],
  ["EPERM", "this user may not read and write in"],
  ["EROFS", "nothing can be written on the file system of"],
  ["ENOSPC", "there is no room left on the disk of"],
  ["EDQUOT", "there is no room left for this user on the disk of"],
  ["ENAMETOOLONG", "a name is too long in"],
  ["ELOOP", "links lead in a circle at"],
  ["ENOTDIR", "a directory is needed instead of the file"],
  ["EEXIST", "something is in the way in"],
  ["ENOENT", "no directories can be made in"]
]);
var DirectoryRefused = class extends Unavailable {
  constructor(place, error) {
    const code = codeOf(error);
    super(`The store needs a directory to write in: ${FAULTS.get(code) ?? `the system refuses (${code})`} ${place}`);
  }
};
async function isDirectory(path) {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new DirectoryRefused(code === "EACCES" ? dirname(path) : path, error);
  }
  throw new DirectoryRefused(path, { code: "ENOTDIR" });
}
function codeOf(error) {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
async function writeFileDurably(directory2, name, temporaryName, bytes) {
  await makeDirectory(directory2);
  const temporary = join(directory2, temporaryName);
  try {
    const handle = await open(temporary, "wx", 384);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(directory2, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory2);
}

// src/adapters/embedded/records/cells.ts
function text(cells, i) {
  const cell = cells[i];
  if (typeof cell !== "string") throw wrongLayout();
  return cell;
}
function number(cells, i) {
  const cell = cells[i];
  if (typeof cell !== "number") throw wrongLayout();
  return cell;
}
function numberOr(cells, i, value) {
  return cells.length > i ? number(cells, i) : value;
}
function flag(cells, i) {
  const cell = cells[i];
  if (typeof cell !== "boolean") throw wrongLayout();
  return cell;
}
function laterFlag(cells, i) {
  return i < cells.length - 1 && flag(cells, i);
}
function flagOrNull(cells, i) {
  return cells[i] === null ? null : flag(cells, i);
}
function list(cells, i) {
  const cell = cells[i];
  if (!Array.isArray(cell)) throw wrongLayout();
  return cell;
}
function texts(cells, i) {
  const from = list(cells, i);
  const to = new Array(from.length);
  for (let n = 0; n < from.length; n++) to[n] = text(from, n);
  return to;
}
function rows(cells, i, read) {
  const from = list(cells, i);
  const to = [];
  for (let n = 0; n < from.length; n++) to.push(read(list(from, n)));
  return to;
}
function oneOf(cells, i, accepted) {
  const found = accepted.find((one) => one === cells[i]);
  if (found === void 0) throw wrongLayout();
  return found;
}
function fromTextMap(map) {
  const cells = [];
  for (const [name, value] of Object.entries(map)) cells.push(name, value);
  return cells;
}
function textMap(cells, i) {
  const flat2 = list(cells, i);
  const pairs = [];
  for (let n = 0; n < flat2.length; n += 2) pairs.push([text(flat2, n), text(flat2, n + 1)]);
  return Object.fromEntries(pairs);
}
function fromNumberMap(map) {
  return Object.entries(map).flat();
}
function numberMap(cells, i) {
  const flat2 = list(cells, i);
  const pairs = [];
  for (let n = 0; n < flat2.length; n += 2) pairs.push([text(flat2, n), number(flat2, n + 1)]);
  return Object.fromEntries(pairs);
}
function fromCategories(categories2) {
  const cells = [];
  for (const category of categories2) cells.push(category.categoryId, category.name);
  return cells;
}
function categories(cells, i) {
  const flat2 = list(cells, i);
  const found = [];
  for (let n = 0; n < flat2.length; n += 2) found.push({ categoryId: text(flat2, n), name: text(flat2, n + 1) });
  return found;
}
function visitorIds(cells, i) {
  return { clientId: text(cells, i), fingerprintId: text(cells, i + 1), userId: text(cells, i + 2) };
}
function wrongLayout() {
  return new DataDamaged("A stored record has an unknown layout");
}

// src/adapters/embedded/records/app.ts
var appRecord = {
  toCells: (app) => [app.appId, app.displayName, app.allowedOrigins, app.createdAt, app.updatedAt],
  fromCells: (cells) => ({
    appId: text(cells, 0),
    displayName: text(cells, 1),
    allowedOrigins: texts(cells, 2),
    createdAt: number(cells, 3),
    updatedAt: number(cells, 4)
  })
};
var frameRecord = {
  toCells: (frame) => [
    frame.frameId,
    frame.title,
    frame.recommendedCount,
    frame.alternativeCount,
    frame.includeViewed,
    frame.includeBought,
    frame.updatedAt,
    frame.diversity
  ],
  fromCells: (cells) => ({
    frameId: text(cells, 0),
    title: text(cells, 1),
    recommendedCount: number(cells, 2),
    alternativeCount: number(cells, 3),
    includeViewed: flag(cells, 4),
    includeBought: flag(cells, 5),
    updatedAt: number(cells, 6),
    diversity: numberOr(cells, 7, 0)
  })
};
var modelRecord = {
  toCells: ({ record, fileChecksum }) => [
    record.modelId,
    record.createdAt,
    record.trainingMs,
    record.sizeBytes,
    manifestCells(record.manifest),
    record.activity,
    fileChecksum
  ],
  fromCells: (cells) => ({
    record: {
      modelId: text(cells, 0),
      createdAt: number(cells, 1),
      trainingMs: number(cells, 2),
      sizeBytes: number(cells, 3),
      manifest: manifestFrom(list(cells, 4)),
      activity: text(cells, 5)
    },
    fileChecksum: number(cells, 6)
  })
};
function manifestCells(manifest) {
  return [
    manifest.formatNumber,
    manifest.cutOff,
    manifest.seed,
    fromNumberMap(manifest.dataCounts),
    manifest.algorithms.map((one) => [one.name, one.included, one.reason, fromNumberMap(one.facts)])
  ];
}
function manifestFrom(cells) {
  return {
    formatNumber: number(cells, 0),
    cutOff: number(cells, 1),
    seed: number(cells, 2),
    dataCounts: numberMap(cells, 3),
    algorithms: rows(cells, 4, algorithmFrom)
  };
}
function algorithmFrom(cells) {
  return {
    name: text(cells, 0),
    included: flag(cells, 1),
    reason: text(cells, 2),
    facts: numberMap(cells, 3)
  };
}
var pointerRecord = {
  toCells: (pointer) => [pointer.modelId, pointer.version, pointer.activatedAt, pointer.usedVersions],
  fromCells: (cells) => ({
    modelId: text(cells, 0),
    version: text(cells, 1),
    activatedAt: number(cells, 2),
    usedVersions: texts(cells, 3)
  })
};
var leaseRecord = {
  toCells: (lease) => [lease.holder, lease.token, lease.until],
  fromCells: (cells) => ({ holder: text(cells, 0), token: number(cells, 1), until: number(cells, 2) })
};
var COPY_STATES = ["copying", "done"];
var copyMarkRecord = {
  toCells: (mark) => [mark.run, mark.from, mark.state, mark.table, mark.upTo],
  fromCells: (cells) => ({
    run: text(cells, 0),
    from: text(cells, 1),
    state: oneOf(cells, 2, COPY_STATES),
    table: text(cells, 3),
    upTo: text(cells, 4)
  })
};
var textRecord = {
  toCells: (value) => [value],
  fromCells: (cells) => text(cells, 0)
};
var numberRecord = {
  toCells: (value) => [value],
  fromCells: (cells) => number(cells, 0)
};
var textsRecord = {
  toCells: (values2) => [values2],
  fromCells: (cells) => texts(cells, 0)
};
var logHeadRecord = {
  toCells: (head) => [head.generation, head.cut, head.last],
  fromCells: (cells) => ({
    generation: text(cells, 0),
    cut: number(cells, 1),
    last: number(cells, 2)
  })
};

// src/adapters/embedded/codec.ts
import { crc32c } from "@node-rs/crc32";
import { Packr } from "msgpackr";
var PLACE_OF_CHECKSUM = 4294967295;
var CHECKSUM_BYTES = 4;
var CHUNK_BYTES = 64 * 1024;
var packr = new Packr({ useRecords: false });
packr.useBuffer(Buffer.allocUnsafeSlow(CHUNK_BYTES));
function encode(codec, key, value) {
  const cells = codec.toCells(value);
  cells.push(PLACE_OF_CHECKSUM);
  const bytes = packr.pack(cells);
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32BE(crc32c(bytes.subarray(0, end), keyChecksum(key)), end);
  return bytes;
}
function decode(codec, key, buffer, length) {
  const end = length - CHECKSUM_BYTES;
  if (end < 1 || uint32(buffer, end) !== crc32c(buffer.subarray(0, end), keyChecksum(key))) {
    throw new DataDamaged("A stored value does not match its checksum");
  }
  const cells = packr.unpack(buffer, length);
  if (!Array.isArray(cells)) throw new DataDamaged("A stored value is not a record");
  return codec.fromCells(cells, key);
}
function uint32(bytes, at) {
  return (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0;
}
var TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 2197175160 : crc >>> 1;
  return crc;
});
function keyChecksum(key) {
  let crc = -1;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    crc = TABLE[(crc ^ unit) & 255] ^ crc >>> 8;
    if (unit > 255) crc = TABLE[(crc ^ unit >>> 8) & 255] ^ crc >>> 8;
  }
  return ~crc >>> 0;
}

// src/adapters/embedded/inspection.ts
import { setImmediate } from "node:timers/promises";

// src/adapters/store/keys.ts
function part(text3) {
  if (!text3.includes("\0") && !text3.includes("")) return text3;
  return text3.replaceAll("", "").replaceAll("\0", "");
}
function unpart(text3) {
  if (!text3.includes("")) return text3;
  return text3.replaceAll("", "\0").replaceAll("", "");
}
var FIRST = "\0";
var LAST = "\u{10FFFF}";
function appKey(appId) {
  return `${part(appId)}\0app`;
}
function keyBehind(prefix, id2) {
  return prefix + part(id2);
}
function keyOf(appId, id2) {
  return `${part(appId)}\0${part(id2)}`;
}
function ownedKey(appId, owner, id2) {
  return `${part(appId)}\0${part(owner)}\0${part(id2)}`;
}
function timedKey(appId, owner, at, id2) {
  return `${part(appId)}\0${part(owner)}\0${timeText(at)}${part(id2)}`;
}
function afterPrefix(prefix) {
  return `${prefix.slice(0, -1)}`;
}
function after(key) {
  return `${key}\0`;
}
function keysOf(appId, afterId = "") {
  const first = keyOf(appId, "");
  return { start: afterId === "" ? first : after(keyOf(appId, afterId)), end: afterPrefix(first) };
}
function keysOwnedBy(appId, owner, afterId = "") {
  const first = ownedKey(appId, owner, "");
  return { start: afterId === "" ? first : after(ownedKey(appId, owner, afterId)), end: afterPrefix(first) };
}
var TIME_LENGTH = 9;
var LOW = 2 ** 24;
var OFFSET = 2 ** 29;
var ZERO = 48;
function timeText(at) {
  if (!Number.isSafeInteger(at)) throw new RangeError("A time in a key is a whole number of milliseconds");
  const floor = Math.floor(at / LOW);
  const high = floor + OFFSET;
  const low = at - floor * LOW;
  return String.fromCharCode(
    ZERO + (high >>> 24 & 63),
    ZERO + (high >>> 18 & 63),
    ZERO + (high >>> 12 & 63),
    ZERO + (high >>> 6 & 63),
    ZERO + (high & 63),
    ZERO + (low >>> 18 & 63),
    ZERO + (low >>> 12 & 63),
    ZERO + (low >>> 6 & 63),
    ZERO + (low & 63)
  );
}
function timeOf(key, start) {
  let high = 0;
  for (let i = start; i < start + 5; i++) high = high * 64 + key.charCodeAt(i) - ZERO;
  let low = 0;
  for (let i = start + 5; i < start + TIME_LENGTH; i++) low = low * 64 + key.charCodeAt(i) - ZERO;
  return (high - OFFSET) * LOW + low;
}

// src/adapters/embedded/keys.ts
var MAX_KEY_BYTES = 1978;
function fits(key) {
  return key.length * 3 <= MAX_KEY_BYTES || key.length <= MAX_KEY_BYTES && Buffer.byteLength(key) <= MAX_KEY_BYTES;
}
function keyOrder(a, b) {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// src/adapters/embedded/inspection.ts
var TableInspection = class {
  constructor(db, codec, transaction, count) {
    this.db = db;
    this.codec = codec;
    this.transaction = transaction;
    this.count = count;
  }
  db;
  codec;
  transaction;
  count;
  /** May throw whatever LMDB finds on its way. In a damaged tree it may lead in circles. */
  *entries() {
    let last;
    const everything = { start: FIRST, end: LAST, transaction: this.transaction };
    for (const { key, value } of this.db.getRange(everything)) {
      yield { key, value: this.decode(key, value), isInOrder: last === void 0 || keyOrder(last, key) < 0 };
      last = key;
    }
  }
  /** Undefined when it is not found; `damaged` when it is and cannot be read. */
  get(key) {
    try {
      const bytes = this.db.get(key, { transaction: this.transaction });
      if (bytes === void 0) return void 0;
      const value = this.decode(key, bytes);
      return value === void 0 ? "damaged" : { value };
    } catch {
      return "damaged";
    }
  }
  decode(key, bytes) {
    try {
      return decode(this.codec, key, bytes, bytes.length);
    } catch (error) {
      if (error instanceof DataDamaged || error instanceof Error) return void 0;
      throw error;
    }
  }
};
var TRIES = 100;
function beginInspection(root, databases) {
  for (let n = 0; n < TRIES; n++) {
    root.resetReadTxn();
    const before = statistic(root, "lastTxnId");
    const transaction = root.useReadTransaction();
    const counts = /* @__PURE__ */ new Map();
    for (const [name, database] of databases) counts.set(name, statistic(database, "entryCount"));
    if (statistic(root, "lastTxnId") === before) return { transaction, counts };
    transaction.done();
  }
  throw new Unavailable("The store is written too often to be inspected");
}
var COPIED_AT_ONCE = 2 ** 22;
async function copyEntries(pairs, copy2, transaction) {
  for (const [from, to] of pairs) {
    const entries = from.getRange({ start: FIRST, end: LAST, transaction })[Symbol.iterator]();
    for (let isDone = false; !isDone; await setImmediate()) {
      copy2.transactionSync(() => {
        for (let bytes = 0; bytes < COPIED_AT_ONCE; ) {
          const next = entries.next();
          if (next.done === true) {
            isDone = true;
            return;
          }
          const { key, value } = next.value;
          to.putSync(key, value);
          bytes += key.length + value.length;
        }
      });
    }
  }
}
function statistic(database, name) {
  const value = Reflect.get(database.getStats(), name);
  if (typeof value !== "number") throw new DataDamaged("LMDB knows no statistics of a table");
  return value;
}

// src/adapters/embedded/table.ts
var Table = class {
  constructor(name, db, codec, context) {
    this.name = name;
    this.db = db;
    this.codec = codec;
    this.context = context;
  }
  name;
  db;
  codec;
  context;
  get(key) {
    this.beginRead();
    if (!fits(key)) return void 0;
    try {
      const bytes = this.db.getBinaryFast(key);
      return bytes === void 0 ? void 0 : decode(this.codec, key, bytes, bytes.length);
    } catch (error) {
      throw this.damaged(error);
    }
  }
  /** Entries from `start` up to, not including, `end`, in order of keys. */
  entries(range) {
    const found = [];
    this.each(range, (key, value) => {
      found.push({ key, value });
      return true;
    });
    return found;
  }
  /** Visits entries in order of keys until `visit` answers false, all in one snapshot. `visit` must not throw. */
  each(range, visit) {
    this.beginRead();
    const within = checked(range);
    let last = "";
    try {
      for (const { key, value } of this.db.getRange(within)) {
        mustRise(last, key);
        last = key;
        if (!visit(key, decode(this.codec, key, value, value.length))) return;
      }
    } catch (error) {
      throw this.damaged(error);
    }
  }
  /** Entries below `end`, from the greatest key down to `start`. */
  backwards(range) {
    this.beginRead();
    const { start, end, limit } = checked(range);
    const found = [];
    if (limit === 0) return found;
    let last = end;
    try {
      for (const { key, value } of this.db.getRange({ start: end, end: start, reverse: true })) {
        if (last === end && keyOrder(key, end) >= 0) continue;
        mustRise(key, last);
        last = key;
        found.push({ key, value: decode(this.codec, key, value, value.length) });
        if (found.length === limit) break;
      }
    } catch (error) {
      throw this.damaged(error);
    }
    return found;
  }
  /** Keys from `start` up to, not including, `end`; the values are not looked at. */
  keys(range) {
    this.beginRead();
    const within = checked(range);
    try {
      const found = [];
      for (const key of this.db.getKeys(within)) {
        mustRise(found.at(-1) ?? "", key);
        found.push(key);
      }
      return found;
    } catch (error) {
      throw this.damaged(error);
    }
  }
  /** The bytes to store under the key. Throws InvalidArgument for a key that cannot be stored. */
  encode(key, value) {
    if (key.endsWith("\0")) throw new InvalidArgument("id", "missing");
    if (!fits(key)) throw new InvalidArgument("id", "invalid", `at most ${MAX_KEY_BYTES} bytes with its owner`);
    return encode(this.codec, key, value);
  }
  /** The table as `transaction` sees it, for `verifyStore`. */
  inspect(transaction, count) {
    return new TableInspection(this.db, this.codec, transaction, count);
  }
  /** Only within a write transaction, as `removeNow`. */
  putNow(key, bytes) {
    void this.db.put(key, bytes);
  }
  removeNow(key) {
    void this.db.remove(key);
  }
  /**
   * lmdb-js keeps a snapshot until the event loop has come round. A reader that was told of a write in another thread
   * or process may ask sooner, so each read begins a new one (half a microsecond).
   */
  beginRead() {
    if (this.context.closed) throw new Unavailable("The store is closed");
    if (!this.context.pinned) this.db.resetReadTxn();
  }
  /** Whatever goes wrong while a value is read: its checksum, its layout, or the tree around it. */
  damaged(cause) {
    this.context.onDamage(this.name);
    return new DataDamaged(`A value in the table ${this.name} is damaged`, { cause });
  }
};
function checked(range) {
  if (fits(range.start) && fits(range.end)) return range;
  throw new InvalidArgument("after", "invalid", `at most ${MAX_KEY_BYTES} bytes`);
}
function mustRise(lower, higher) {
  if (lower < higher) return;
  if (keyOrder(lower, higher) >= 0) throw new DataDamaged("Stored keys are out of order");
}

// src/adapters/embedded/format.ts
var UPGRADES = [
  // The store has a name, and a table of copies, which opening makes.
  { to: 2, run: ({ meta, newId }) => put(meta.texts, STORE_ID_KEY, newId()) },
  // There are tables of rejected events, which opening makes.
  { to: 3, run: () => void 0 }
];
var FORMAT_NUMBER = 3;
var FORMAT_KEY = "store\0format";
var STORE_ID_KEY = "store\0id";
var FormatUnsupported = class extends DomainError {
  constructor(message, isOlder) {
    super(message);
    this.isOlder = isOlder;
  }
  isOlder;
};
function openMeta(database, context) {
  return {
    numbers: new Table("meta", database, numberRecord, context),
    texts: new Table("meta", database, textRecord, context)
  };
}
function checkFormat(meta, readOnly, supported = FORMAT_NUMBER) {
  const found = meta.numbers.get(FORMAT_KEY);
  if (found !== void 0 && found > supported) throw unsupported(found, supported, "use a newer version");
  if (!readOnly) return;
  if (found === void 0) throw new Unavailable("The directory holds no complete store");
  if (found < supported) throw unsupported(found, supported, "it is upgraded when it is opened for writing");
}
function upgradeFormat(root, store2, log, upgrades = UPGRADES) {
  const supported = upgrades.at(-1)?.to ?? FORMAT_NUMBER;
  const { numbers, texts: texts2 } = store2.meta;
  for (; ; ) {
    if (numbers.get(FORMAT_KEY) === supported) return;
    const upgradedFrom = root.transactionSync(() => {
      const at = numbers.get(FORMAT_KEY);
      if (at === void 0) {
        put(texts2, STORE_ID_KEY, store2.newId());
        put(numbers, FORMAT_KEY, supported);
      } else if (at !== supported) {
        const upgrade = upgrades.find(({ to }) => to === at + 1);
        if (upgrade === void 0) throw unsupported(at, supported, "it cannot be upgraded");
        upgrade.run(store2);
        put(numbers, FORMAT_KEY, upgrade.to);
        return at;
      }
      return void 0;
    });
    if (upgradedFrom !== void 0)
      log(`The store was upgraded from format ${upgradedFrom} to format ${upgradedFrom + 1}`);
  }
}
function storeIdOf(meta) {
  const id2 = meta.texts.get(STORE_ID_KEY);
  if (id2 === void 0) throw new DataDamaged("The store has lost its id");
  return id2;
}
function put(table, key, value) {
  table.putNow(key, table.encode(key, value));
}
function unsupported(found, supported, advice) {
  return new FormatUnsupported(
    `The store has format ${found}; this version of Aisle reads format ${supported}, ${advice}`,
    found < supported
  );
}

// src/adapters/embedded/store-file.ts
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join as join2 } from "node:path";
var DATA_FILE = "data.mdb";
var LOCK_FILE = "lock.mdb";
function checkStoreFile(directory2, log) {
  const path = join2(directory2, DATA_FILE);
  if (!existsSync(path)) return;
  let fd;
  try {
    fd = openSync(path, "r");
  } catch {
    return;
  }
  try {
    if (fstatSync(fd).size > 0) check(fd, path, log);
  } finally {
    closeSync(fd);
  }
}
var HEAD_BYTES = 168;
var MAGIC = 3203383518;
var VERSION = 2;
var IS_BRANCH = 1;
var IS_LEAF = 2;
var IS_OVERFLOW = 4;
var IS_HEAD = 8;
var NO_PAGE = 2n ** 64n - 1n;
var PAGE_HEADER_BYTES = 24;
var NODE_HEADER_BYTES = 8;
var MAX_PAGE_BYTES = 32768;
var MIN_PAGE_BYTES = 256;
var MAX_DEPTH = 32;
var LOOKS = 5;
function check(fd, path, log) {
  let before;
  for (let look = 1; ; look++) {
    const { head, fault, note } = findFault(fd);
    if (fault === void 0) {
      if (note !== void 0) log(`${note} in ${path}`);
      return;
    }
    const isBeingWritten = before !== void 0 && head !== void 0 && head.transaction > before;
    if (look >= LOOKS) {
      if (isBeingWritten) return;
      throw new DataDamaged(`The file ${path} is damaged: ${fault}; restore the directory from a backup`);
    }
    before = head?.transaction ?? before;
  }
}
function findFault(fd) {
  const first = readHead(fd, 0);
  if (first === void 0) return { head: void 0, fault: "it does not begin as a store does" };
  const second = readHead(fd, first.pageBytes);
  const newer = transactionAt(fd, first.pageBytes) > first.transaction;
  if (newer && second === void 0) return { head: first, fault: "its newer head is unreadable" };
  const head = newer && second !== void 0 ? second : first;
  if (head.pageBytes !== first.pageBytes) return { head, fault: "its heads differ in the size of pages" };
  const fault = new Trees(fd, head, fstatSync(fd).size).fault();
  if (fault !== void 0) return { head, fault };
  if (second !== void 0) return { head };
  return { head, note: "One of the two heads is damaged, the other holds; the last write may be missing" };
}
function readHead(fd, at) {
  const bytes = Buffer.alloc(HEAD_BYTES);
  if (readSync(fd, bytes, 0, HEAD_BYTES, at) < HEAD_BYTES) return void 0;
  const pageBytes = bytes.readUInt32LE(48);
  const isHead = (bytes.readUInt16LE(18) & IS_HEAD) !== 0;
  const isSize = pageBytes >= MIN_PAGE_BYTES && pageBytes <= MAX_PAGE_BYTES && (pageBytes & pageBytes - 1) === 0;
  const isVersion = bytes.readUInt32LE(24) === MAGIC && (bytes.readUInt32LE(28) & 65535) === VERSION;
  if (!isHead || !isSize || !isVersion) return void 0;
  return {
    pageBytes,
    transaction: bytes.readBigUInt64LE(152),
    freeRoot: bytes.readBigUInt64LE(88),
    mainRoot: bytes.readBigUInt64LE(136),
    lastPage: bytes.readBigUInt64LE(144)
  };
}
function transactionAt(fd, at) {
  const bytes = Buffer.alloc(8);
  return readSync(fd, bytes, 0, 8, at + 152) < 8 ? 0n : bytes.readBigUInt64LE(0);
}
var Fault = class extends Error {
};
var Trees = class {
  constructor(fd, head, fileBytes2) {
    this.fd = fd;
    this.head = head;
    this.pages = BigInt(Math.floor(fileBytes2 / head.pageBytes));
    this.isShort = head.lastPage + 1n > this.pages;
    this.page = Buffer.alloc(head.pageBytes);
    this.left = this.pages;
  }
  fd;
  head;
  pages;
  isShort;
  page;
  left;
  fault() {
    const { head } = this;
    if (head.lastPage < 1n || head.lastPage >= NO_PAGE / BigInt(head.pageBytes)) return "its newer head is unreadable";
    try {
      this.walk(head.freeRoot, this.isShort, 0, false);
      this.walk(head.mainRoot, true, 0, true);
      return void 0;
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
  }
  /** Looks at a page and, with `deep`, at all it leads to. `isMain`: its values are the trees of the tables. */
  walk(number2, deep, depth, isMain) {
    if (number2 === NO_PAGE && depth === 0) return;
    const flags = this.read(number2);
    if (!deep) return;
    if (depth > MAX_DEPTH || this.left-- <= 0n) throw new Fault("a tree leads in circles");
    const next = [];
    for (const node of this.nodes()) {
      if (flags === IS_BRANCH) {
        const child = this.childOf(node);
        next.push(() => this.walk(child, deep, depth + 1, isMain));
        continue;
      }
      const kind = this.page.readUInt16LE(node + 4);
      const data = node + NODE_HEADER_BYTES + this.page.readUInt16LE(node + 6);
      if (kind === LARGE) {
        const [at, count] = [this.number(data), this.number(data + 16)];
        if (at + count > this.pages) throw new Fault("it is cut short");
        if (this.isShort) next.push(() => this.readLarge(at));
      } else if (kind === TREE && isMain) {
        const root = this.number(data + 40);
        next.push(() => this.walk(root, this.isShort, 0, false));
      } else if (kind !== 0 && !isMain) throw new Fault("a page of it holds something else");
    }
    for (const one of next) one();
  }
  /** Reads a page of a tree; answers whether it is a branch or a leaf. */
  read(number2) {
    const flags = this.readAny(number2);
    const kind = flags & (IS_BRANCH | IS_LEAF | IS_OVERFLOW | IS_HEAD);
    if (kind !== IS_BRANCH && kind !== IS_LEAF) throw new Fault("a page of it holds something else");
    return kind;
  }
  readLarge(number2) {
    if ((this.readAny(number2) & IS_OVERFLOW) === 0) throw new Fault("a page of it holds something else");
  }
  readAny(number2) {
    const { pageBytes } = this.head;
    if (number2 < 2n || number2 > this.head.lastPage) throw new Fault("it leads to a page that it does not have");
    if (number2 >= this.pages) throw new Fault("it is cut short");
    if (readSync(this.fd, this.page, 0, pageBytes, Number(number2) * pageBytes) < pageBytes)
      throw new Fault("it is cut short");
    if (this.page.readBigUInt64LE(0) !== number2) throw new Fault("a page of it holds something else");
    return this.page.readUInt16LE(18);
  }
  /** Where the nodes of the page begin. */
  nodes() {
    const end = this.page.readUInt16LE(20);
    if (end < PAGE_HEADER_BYTES || end > this.page.length) throw new Fault("a page of it holds something else");
    const found = [];
    for (let at = PAGE_HEADER_BYTES; at + 2 <= end; at += 2) {
      const node = this.page.readUInt16LE(at);
      if (node < end || node + NODE_HEADER_BYTES > this.page.length) {
        throw new Fault("a page of it holds something else");
      }
      found.push(node);
    }
    return found;
  }
  childOf(node) {
    const low = this.page.readUInt16LE(node) + this.page.readUInt16LE(node + 2) * 65536;
    return BigInt(low) + (BigInt(this.page.readUInt16LE(node + 4)) << 32n);
  }
  number(at) {
    if (at + 8 > this.page.length) throw new Fault("a page of it holds something else");
    return this.page.readBigUInt64LE(at);
  }
};
var LARGE = 1;
var TREE = 2;

// src/adapters/embedded/records/catalog.ts
var ORIGINS = ["catalog", "event"];
var productRecord = {
  toCells: (product) => [
    product.productId,
    product.sku,
    product.variantGroupId,
    product.title,
    product.description,
    fromCategories(product.categories),
    product.brand,
    product.price.amount,
    product.price.currency,
    product.url,
    product.imageUrl,
    product.available,
    product.hidden,
    product.tags,
    fromTextMap(product.attributes),
    product.origin,
    product.updatedAt
  ],
  fromCells: (cells) => ({
    productId: text(cells, 0),
    sku: text(cells, 1),
    variantGroupId: text(cells, 2),
    title: text(cells, 3),
    description: text(cells, 4),
    categories: categories(cells, 5),
    brand: text(cells, 6),
    price: { amount: text(cells, 7), currency: text(cells, 8) },
    url: text(cells, 9),
    imageUrl: text(cells, 10),
    available: flag(cells, 11),
    hidden: flag(cells, 12),
    tags: texts(cells, 13),
    attributes: textMap(cells, 14),
    origin: oneOf(cells, 15, ORIGINS),
    updatedAt: number(cells, 16)
  })
};
var orderRecord = {
  toCells: (order) => [
    order.orderId,
    order.visitorId,
    order.visitor.clientId,
    order.visitor.fingerprintId,
    order.visitor.userId,
    order.contactId,
    order.lines.flatMap((line) => [line.productId, line.quantity]),
    order.status,
    order.statusAt,
    order.payment.amount,
    order.payment.currency,
    order.occurredAt,
    order.cancelled,
    order.bot
  ],
  fromCells: (cells) => ({
    orderId: text(cells, 0),
    visitorId: text(cells, 1),
    visitor: visitorIds(cells, 2),
    contactId: text(cells, 5),
    lines: orderLines(cells, 6),
    status: text(cells, 7),
    statusAt: number(cells, 8),
    payment: { amount: text(cells, 9), currency: text(cells, 10) },
    occurredAt: number(cells, 11),
    cancelled: flag(cells, 12),
    bot: laterFlag(cells, 13)
  })
};
function orderLines(cells, i) {
  const flat2 = list(cells, i);
  const lines = [];
  for (let n = 0; n < flat2.length; n += 2) {
    lines.push({ productId: text(flat2, n), quantity: number(flat2, n + 1) });
  }
  return lines;
}
var BOT = "";
var TYPES = ["product_view", "add_to_cart", "order"];
var interactionRecord = {
  toCells: ({ type, productIds, bot }) => [TYPES.indexOf(type), ...productIds, ...bot ? [BOT] : []],
  fromCells: (cells, key) => {
    const start = key.indexOf("\0", key.indexOf("\0") + 1) + 1;
    const type = TYPES[number(cells, 0)];
    if (type === void 0) throw new DataDamaged("A stored interaction has an unknown type");
    const productIds = [];
    for (let n = 1; n < cells.length - 1; n++) productIds.push(text(cells, n));
    const isBot = productIds.at(-1) === BOT;
    if (isBot) productIds.pop();
    return {
      type,
      at: timeOf(key, start),
      productIds,
      ref: unpart(key.slice(start + TIME_LENGTH)),
      ...isBot && { bot: true }
    };
  }
};

// src/adapters/embedded/records/event.ts
var SENDERS = ["browser", "server"];
var eventRecord = {
  toCells: (event) => [
    event.eventId,
    event.actionType,
    event.sender,
    event.occurredAt,
    event.receivedAt,
    event.visitor.clientId,
    event.visitor.fingerprintId,
    event.visitor.userId,
    event.contact === null ? null : contactCells(event.contact),
    event.products.map(productCells),
    fromCategories(event.categories),
    event.order === null ? null : orderCells(event.order),
    event.searchQuery,
    event.platform,
    event.platformVersion,
    event.senderVersion,
    fromTextMap(event.extraFields),
    event.notes,
    event.bot
  ],
  fromCells: (cells) => ({
    eventId: text(cells, 0),
    actionType: text(cells, 1),
    sender: oneOf(cells, 2, SENDERS),
    bot: laterFlag(cells, 18),
    occurredAt: number(cells, 3),
    receivedAt: number(cells, 4),
    visitor: visitorIds(cells, 5),
    contact: cells[8] === null ? null : contactFrom(list(cells, 8)),
    products: rows(cells, 9, productFrom),
    categories: categories(cells, 10),
    order: cells[11] === null ? null : orderFrom(list(cells, 11)),
    searchQuery: text(cells, 12),
    platform: text(cells, 13),
    platformVersion: text(cells, 14),
    senderVersion: text(cells, 15),
    extraFields: textMap(cells, 16),
    notes: texts(cells, 17)
  })
};
function contactCells(contact) {
  return [
    contact.email,
    contact.phone,
    contact.firstName,
    contact.lastName,
    contact.country,
    contact.city,
    contact.gender,
    contact.birthDate,
    contact.tags,
    contact.emailSubscribed,
    contact.smsSubscribed
  ];
}
function contactFrom(cells) {
  return {
    email: text(cells, 0),
    phone: text(cells, 1),
    firstName: text(cells, 2),
    lastName: text(cells, 3),
    country: text(cells, 4),
    city: text(cells, 5),
    gender: text(cells, 6),
    birthDate: text(cells, 7),
    tags: texts(cells, 8),
    emailSubscribed: flagOrNull(cells, 9),
    smsSubscribed: flagOrNull(cells, 10)
  };
}
function productCells(product) {
  return [
    product.productId,
    product.sku,
    product.variantId,
    product.title,
    product.imageUrl,
    product.url,
    product.quantity,
    product.available,
    fromCategories(product.categories),
    product.brandId,
    product.brandName,
    product.price.amount,
    product.price.currency
  ];
}
function productFrom(cells) {
  return {
    productId: text(cells, 0),
    sku: text(cells, 1),
    variantId: text(cells, 2),
    title: text(cells, 3),
    imageUrl: text(cells, 4),
    url: text(cells, 5),
    quantity: number(cells, 6),
    available: flagOrNull(cells, 7),
    categories: categories(cells, 8),
    brandId: text(cells, 9),
    brandName: text(cells, 10),
    price: { amount: text(cells, 11), currency: text(cells, 12) }
  };
}
function orderCells(order) {
  return [
    order.orderId,
    order.status,
    order.payment.amount,
    order.payment.currency,
    order.basePayment.amount,
    order.basePayment.currency,
    order.coupon
  ];
}
function orderFrom(cells) {
  return {
    orderId: text(cells, 0),
    status: text(cells, 1),
    payment: { amount: text(cells, 2), currency: text(cells, 3) },
    basePayment: { amount: text(cells, 4), currency: text(cells, 5) },
    coupon: text(cells, 6)
  };
}
var idempotencyRecord = {
  toCells: (record) => [record.eventId, record.bodyHash, record.claimedAt],
  fromCells: (cells) => ({
    eventId: text(cells, 0),
    bodyHash: text(cells, 1),
    claimedAt: number(cells, 2)
  })
};

// src/adapters/embedded/records/rejected-event.ts
var FAULTS2 = ["missing", "invalid", "reused"];
var rejectedEventRecord = {
  toCells: (rejected) => [
    rejected.rejectedId,
    rejected.rejectedAt,
    rejected.fault,
    rejected.field,
    rejected.accepted,
    rejected.idempotencyKey,
    rejected.event === null ? null : eventRecord.toCells(rejected.event),
    rejected.bytes,
    rejected.replayedAs
  ],
  fromCells: (cells, key) => ({
    rejectedId: text(cells, 0),
    rejectedAt: number(cells, 1),
    fault: oneOf(cells, 2, FAULTS2),
    field: text(cells, 3),
    accepted: text(cells, 4),
    idempotencyKey: text(cells, 5),
    // Behind the cells of a record comes its checksum; here it is that of the whole.
    event: cells[6] === null ? null : eventRecord.fromCells([...list(cells, 6), 0], key),
    bytes: number(cells, 7),
    replayedAs: text(cells, 8)
  })
};
var rejectedLogRecord = {
  toCells: ({ first, next, bytes }) => [first, next, bytes],
  fromCells: (cells) => ({ first: number(cells, 0), next: number(cells, 1), bytes: number(cells, 2) })
};

// src/adapters/embedded/records/visitor.ts
var visitorRecord = {
  toCells: (visitor) => [
    visitor.visitorId,
    visitor.keys,
    visitor.members,
    visitor.contactId,
    visitor.linkedAt,
    visitor.createdAt
  ],
  fromCells: (cells) => ({
    visitorId: text(cells, 0),
    keys: texts(cells, 1),
    members: texts(cells, 2),
    contactId: text(cells, 3),
    linkedAt: number(cells, 4),
    createdAt: number(cells, 5)
  })
};
var contactRecord = {
  toCells: (contact) => [
    contact.contactId,
    contact.email,
    contact.phone,
    contact.firstName,
    contact.lastName,
    contact.country,
    contact.city,
    contact.gender,
    contact.birthDate,
    contact.tags,
    subscriptionCells(contact.emailSubscription),
    subscriptionCells(contact.smsSubscription),
    contact.createdAt
  ],
  fromCells: (cells) => ({
    contactId: text(cells, 0),
    email: text(cells, 1),
    phone: text(cells, 2),
    firstName: text(cells, 3),
    lastName: text(cells, 4),
    country: text(cells, 5),
    city: text(cells, 6),
    gender: text(cells, 7),
    birthDate: text(cells, 8),
    tags: texts(cells, 9),
    emailSubscription: subscriptionFrom(list(cells, 10)),
    smsSubscription: subscriptionFrom(list(cells, 11)),
    createdAt: number(cells, 12)
  })
};
function subscriptionCells(subscription) {
  return [subscription.status, subscription.changedAt, subscription.changedBy];
}
function subscriptionFrom(cells) {
  return {
    status: flagOrNull(cells, 0),
    changedAt: number(cells, 1),
    changedBy: text(cells, 2)
  };
}
var CHANNELS = ["email", "sms"];
var SOURCES = ["event", "rpc"];
var changeRecord = {
  toCells: (change) => [
    change.changeId,
    change.contactId,
    change.channel,
    change.from,
    change.to,
    change.occurredAt,
    change.recordedAt,
    change.source,
    change.eventId,
    change.reason
  ],
  fromCells: (cells) => ({
    changeId: text(cells, 0),
    contactId: text(cells, 1),
    channel: oneOf(cells, 2, CHANNELS),
    from: flagOrNull(cells, 3),
    to: flagOrNull(cells, 4),
    occurredAt: number(cells, 5),
    recordedAt: number(cells, 6),
    source: oneOf(cells, 7, SOURCES),
    eventId: text(cells, 8),
    reason: text(cells, 9)
  })
};

// src/adapters/embedded/tables.ts
function openTables(open4) {
  return {
    apps: open4("apps", appRecord),
    frames: open4("frames", frameRecord),
    events: open4("events", eventRecord),
    idempotency: open4("idempotency", idempotencyRecord),
    idempotencyTimes: open4("idempotencyTimes", textRecord),
    rejectedEvents: open4("rejectedEvents", rejectedEventRecord),
    rejectedLogs: open4("rejectedLogs", rejectedLogRecord),
    visitors: open4("visitors", visitorRecord),
    visitorKeys: open4("visitorKeys", textRecord),
    interactions: open4("interactions", interactionRecord),
    contacts: open4("contacts", contactRecord),
    contactKeys: open4("contactKeys", textRecord),
    changes: open4("changes", changeRecord),
    contactChanges: open4("contactChanges", textRecord),
    products: open4("products", productRecord),
    productSkus: open4("productSkus", textRecord),
    productLog: open4("productLog", textsRecord),
    productHeads: open4("productHeads", logHeadRecord),
    orders: open4("orders", orderRecord),
    models: open4("models", modelRecord),
    pointers: open4("pointers", pointerRecord),
    activity: open4("activity", numberRecord),
    leases: open4("leases", leaseRecord),
    removals: open4("removals", numberRecord),
    copies: open4("copies", copyMarkRecord)
  };
}

// src/adapters/embedded/environment.ts
async function openEnvironment(directory2, readOnly, onDamage, log = () => void 0, newId = randomUUID) {
  const path = resolve(directory2);
  if (readOnly) {
    if (!existsSync2(join3(path, DATA_FILE))) throw new Unavailable(`There is no store in ${path}`);
  } else {
    await makeDirectory(path);
    await mustBeWritable(path, [DATA_FILE, LOCK_FILE]);
  }
  checkStoreFile(path, log);
  const root = openRoot(path, readOnly);
  try {
    const context = { onDamage, closed: false, pinned: false };
    const databases = /* @__PURE__ */ new Map();
    const metaDatabase = openDatabase(root, META);
    databases.set(META, metaDatabase);
    const meta = openMeta(metaDatabase, context);
    checkFormat(meta, readOnly);
    const tables = openTables((name, codec) => {
      const database = openDatabase(root, name);
      databases.set(name, database);
      return new Table(name, database, codec, context);
    });
    if (!readOnly) upgradeFormat(root, { meta, tables, newId }, log);
    if (!readOnly) await syncDirectory(path);
    return {
      directory: path,
      storeId: storeIdOf(meta),
      readOnly,
      tables,
      transact: (body) => transact(root, () => {
        context.pinned = true;
        try {
          body();
        } finally {
          context.pinned = false;
        }
      }),
      snapshot: (body) => {
        if (context.pinned || context.closed) return body();
        root.resetReadTxn();
        context.pinned = true;
        try {
          return body();
        } finally {
          context.pinned = false;
        }
      },
      inspect: () => {
        const { transaction, counts } = beginInspection(root, databases);
        return {
          of: (one) => one.inspect(transaction, counts.get(one.name) ?? 0),
          copyTo: async (to) => {
            const copy2 = openRoot(to, false);
            try {
              const pairs = [...databases].map(([name, database]) => [database, openDatabase(copy2, name)]);
              await copyEntries(pairs, copy2, transaction);
            } finally {
              await copy2.close();
            }
          },
          end: () => transaction.done()
        };
      },
      close: async () => {
        context.closed = true;
        await root.close();
      }
    };
  } catch (error) {
    await root.close();
    if (error instanceof DomainError) throw error;
    throw new Unavailable("The store directory cannot be opened", void 0, { cause: error });
  }
}
var AS_BYTES = {
  encoding: "binary",
  compression: false,
  keyEncoder: {
    writeKey: (key, target, start) => start + target.write(key, start),
    readKey: (source, start, end) => source.toString("utf8", start, end)
  },
  encoder: {
    encode: (bytes) => bytes,
    decode: (bytes) => bytes
  }
};
var META = "meta";
var MAX_TABLES = 64;
var MAX_READERS = 512;
function openRoot(path, readOnly) {
  const options = {
    noSubdir: false,
    // else a directory with a dot in its name is taken for a file
    overlappingSync: false,
    // a resolved write is on disk
    // The writer gathers works by itself. The library's own batches also hold a promise that nobody can await: when a
    // commit fails, its rejection would end the process ("after a sync failed, events are answered 503 …").
    eventTurnBatching: false,
    permissionsMode: 384,
    // the files hold personal data
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    readOnly,
    ...AS_BYTES
  };
  try {
    return open2(path, options);
  } catch (error) {
    throw new Unavailable("The store directory cannot be opened", void 0, { cause: error });
  }
}
function openDatabase(root, name) {
  const database = root.openDB(name, { name, ...AS_BYTES });
  if (database === void 0) throw new Unavailable("The directory holds no complete store");
  return database;
}
async function transact(root, body) {
  try {
    await root.childTransaction(body);
  } catch (error) {
    throw await commitCause(error);
  }
}
async function commitCause(error) {
  if (!(error instanceof Error && "commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

// src/adapters/embedded/model-files.ts
import { readdir, readFile, rm as rm2, rmdir, stat as stat2 } from "node:fs/promises";
import { join as join4 } from "node:path";
var MODELS = "models";
var SUFFIX = ".snapshot";
var FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;
var ORPHAN_MS = 60 * 60 * 1e3;
function modelDirectory(directory2, appId) {
  return join4(directory2, MODELS, safeName("app_id", appId));
}
function modelFile(modelId) {
  return `${safeName("model_id", modelId)}${SUFFIX}`;
}
function safeName(field, id2) {
  if (!FILE_NAME.test(id2)) throw new InvalidArgument(field, "invalid", "1 to 128 of A-Z, a-z, 0-9, _ and -");
  return id2;
}
function keptModels({ tables }, appId) {
  return tables.models.entries(keysOf(appId)).map((entry) => entry.value);
}
async function removeFiles(environment, now, appId, removed) {
  const directory2 = modelDirectory(environment.directory, appId);
  const names = await namesIn(directory2);
  const kept = new Set(keptModels(environment, appId).map((model) => modelFile(model.record.modelId)));
  let left = names.length;
  for (const name of names) {
    if (kept.has(name)) continue;
    const path = join4(directory2, name);
    if (!removed.has(name) && now() - await writtenAt(path) <= ORPHAN_MS) continue;
    await rm2(path, { force: true });
    left--;
  }
  if (left < names.length) await syncDirectory(directory2);
  if (left === 0) await rmdir(directory2).catch(() => void 0);
}
async function removeOrphans(environment, now) {
  for (const appId of await namesIn(join4(environment.directory, MODELS))) {
    if (FILE_NAME.test(appId)) await removeFiles(environment, now, appId, /* @__PURE__ */ new Set());
  }
}
async function readIfThere(path) {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return void 0;
    throw error;
  }
}
async function writtenAt(path) {
  try {
    return (await stat2(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
async function namesIn(directory2) {
  try {
    return await readdir(directory2);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
function isMissing(error) {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

// src/adapters/embedded/backup.ts
var TRIES2 = 10;
async function backupStore(directory2, target, newId = randomUUID2) {
  const to = resolve2(target);
  if ((await namesIn(to)).length > 0) {
    throw new InvalidArgument("target", "invalid", "a directory that is empty or not there");
  }
  const environment = await openEnvironment(directory2, true, () => void 0);
  const partial = `${to}.${newId()}.partial`;
  try {
    await makeDirectory(dirname2(to));
    for (let n = 1; !await copy(environment, partial); n++) {
      if (n === TRIES2) throw new DataDamaged("A model snapshot is gone or does not match its checksum");
    }
    await rename2(partial, to);
    await syncDirectory(dirname2(to));
  } catch (error) {
    await rm3(partial, { recursive: true, force: true }).catch(() => void 0);
    if (error instanceof DomainError) throw error;
    throw new Unavailable("The copy of the store could not be written", void 0, { cause: error });
  } finally {
    await environment.close();
  }
}
async function copy(environment, to) {
  await rm3(to, { recursive: true, force: true });
  await mkdir2(to, { mode: 448 });
  const inspection = environment.inspect();
  try {
    for (const { key, value } of [...inspection.of(environment.tables.models).entries()]) {
      if (value === void 0 || !await copyModel(environment.directory, to, key, value)) return false;
    }
    await inspection.copyTo(to);
  } finally {
    inspection.end();
  }
  await rm3(join5(to, "lock.mdb"), { force: true });
  await syncFile(join5(to, "data.mdb"));
  if ((await namesIn(join5(to, MODELS))).length > 0) await syncDirectory(join5(to, MODELS));
  await syncDirectory(to);
  return true;
}
async function copyModel(from, to, key, { record, fileChecksum }) {
  const appId = unpart(key.slice(0, key.indexOf("\0")));
  const file = modelFile(record.modelId);
  const bytes = await readIfThere(join5(modelDirectory(from, appId), file));
  if (bytes === void 0 || bytes.length !== record.sizeBytes || crc32c2(bytes) !== fileChecksum) return false;
  await writeFileDurably(modelDirectory(to, appId), file, `${file}.tmp`, bytes);
  return true;
}
async function syncFile(path) {
  const handle = await open3(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// src/adapters/embedded/store.ts
import { randomUUID as randomUUID3 } from "node:crypto";

// src/adapters/embedded/staged.ts
var Journal = class {
  /** Counts works, so that an entry knows whether it was saved for this one. */
  work = 1;
  touched = [];
  kept = [];
  touch(write2) {
    this.touched.push(write2);
  }
  /**
   * Makes the writes of a work ready to belong to the batch; `end` must follow. Answers how many bytes they are. Throws
   * when one cannot be stored; then `rollBack` must follow.
   */
  keep() {
    let bytes = 0;
    for (const write2 of this.touched) bytes += write2.keep();
    return bytes;
  }
  /** Ends a work that was kept, inside the write transaction. What it throws is a fault of the store, not of the work. */
  end() {
    for (const write2 of this.touched) {
      if (write2.atOnce) write2.apply();
      else this.kept.push(write2);
    }
    this.next();
  }
  /** Ends a work: nothing of it remains. */
  rollBack() {
    for (const write2 of this.touched) write2.rollBack();
    this.next();
  }
  /** Makes the writes of the batch, inside the write transaction. */
  apply() {
    for (const write2 of this.kept) write2.apply();
  }
  clear() {
    this.touched = [];
    this.kept = [];
    this.work++;
  }
  next() {
    this.touched = [];
    this.work++;
  }
};
var StagedEntry = class {
  constructor(table, key) {
    this.table = table;
    this.key = key;
  }
  table;
  key;
  atOnce = false;
  state = "unknown";
  value;
  bytes;
  savedFor = 0;
  savedState = "unknown";
  savedValue;
  savedBytes;
  read() {
    if (this.state === "unknown") {
      this.value = this.table.get(this.key);
      this.state = "clean";
    }
    return this.value;
  }
  write(value, journal) {
    if (this.savedFor !== journal.work) {
      this.savedFor = journal.work;
      this.savedState = this.state;
      this.savedValue = this.value;
      this.savedBytes = this.bytes;
      journal.touch(this);
    }
    this.state = "dirty";
    this.value = value;
    this.bytes = void 0;
  }
  keep() {
    this.bytes = this.value === void 0 ? void 0 : this.table.encode(this.key, this.value);
    return this.key.length + (this.bytes?.length ?? 0);
  }
  rollBack() {
    this.state = this.savedState;
    this.value = this.savedValue;
    this.bytes = this.savedBytes;
  }
  /** Does nothing the second time: an entry that several works wrote is in the journal once for each. */
  apply() {
    if (this.state !== "dirty") return;
    this.state = "applied";
    if (this.bytes !== void 0) this.table.putNow(this.key, this.bytes);
    else this.table.removeNow(this.key);
  }
};
var Staged = class {
  constructor(table, journal) {
    this.table = table;
    this.journal = journal;
  }
  table;
  journal;
  entries = /* @__PURE__ */ new Map();
  get(key) {
    return this.entry(key).read();
  }
  put(key, value) {
    this.entry(key).write(value, this.journal);
  }
  delete(key) {
    this.entry(key).write(void 0, this.journal);
  }
  /** What the batch has written, once it has been applied; undefined stands for a removed record. */
  *written() {
    for (const [key, entry] of this.entries) if (entry.state === "applied") yield [key, entry.value];
  }
  /** The keys the works of the batch have written, before it is applied. */
  *toWrite() {
    for (const [key, entry] of this.entries) if (entry.state === "dirty") yield key;
  }
  clear() {
    this.entries.clear();
  }
  entry(key) {
    let entry = this.entries.get(key);
    if (entry === void 0) {
      entry = new StagedEntry(this.table, key);
      this.entries.set(key, entry);
    }
    return entry;
  }
};
var StagedAppends = class {
  constructor(table, journal) {
    this.table = table;
    this.journal = journal;
  }
  table;
  journal;
  atOnce = true;
  /** What the work under way wrote; undefined where it removed a record. */
  written = /* @__PURE__ */ new Map();
  bytes = [];
  get(key) {
    return this.written.has(key) ? this.written.get(key) : this.table.get(key);
  }
  put(key, value) {
    if (this.written.size === 0) this.journal.touch(this);
    this.written.set(key, value);
  }
  delete(key) {
    this.put(key, void 0);
  }
  clear() {
    this.written.clear();
    this.bytes = [];
  }
  keep() {
    let sum = 0;
    for (const [key, value] of this.written) {
      const bytes = value === void 0 ? void 0 : this.table.encode(key, value);
      this.bytes.push(bytes);
      sum += key.length + (bytes?.length ?? 0);
    }
    return sum;
  }
  rollBack() {
    this.clear();
  }
  apply() {
    let at = 0;
    for (const key of this.written.keys()) {
      const bytes = this.bytes[at++];
      if (bytes !== void 0) this.table.putNow(key, bytes);
      else this.table.removeNow(key);
    }
    this.clear();
  }
};
function unlessDamaged(table, key) {
  try {
    return table.get(key);
  } catch (error) {
    if (error instanceof DataDamaged) return void 0;
    throw error;
  }
}
function stageTables(tables, journal) {
  return {
    apps: new Staged(tables.apps, journal),
    frames: new Staged(tables.frames, journal),
    events: new StagedAppends(tables.events, journal),
    idempotency: new Staged(tables.idempotency, journal),
    idempotencyTimes: new StagedAppends(tables.idempotencyTimes, journal),
    rejectedEvents: new Staged(tables.rejectedEvents, journal),
    rejectedLogs: new Staged(tables.rejectedLogs, journal),
    visitors: new Staged(tables.visitors, journal),
    visitorKeys: new Staged(tables.visitorKeys, journal),
    interactions: new StagedAppends(tables.interactions, journal),
    contacts: new Staged(tables.contacts, journal),
    contactKeys: new Staged(tables.contactKeys, journal),
    changes: new StagedAppends(tables.changes, journal),
    contactChanges: new StagedAppends(tables.contactChanges, journal),
    products: new Staged(tables.products, journal),
    productSkus: new Staged(tables.productSkus, journal),
    productLog: new StagedAppends(tables.productLog, journal),
    productHeads: new Staged(tables.productHeads, journal),
    orders: new Staged(tables.orders, journal),
    models: new Staged(tables.models, journal),
    pointers: new Staged(tables.pointers, journal),
    activity: new Staged(tables.activity, journal),
    leases: new Staged(tables.leases, journal),
    removals: new Staged(tables.removals, journal),
    copies: new Staged(tables.copies, journal)
  };
}

// src/adapters/embedded/activity.ts
function createActivity(changed, now) {
  return (tables) => {
    for (const appId of changed) {
      const key = appKey(appId);
      tables.activity.put(key, Math.max((unlessDamaged(tables.activity, key) ?? 0) + 1, now()));
    }
    changed.clear();
  };
}

// src/adapters/embedded/app-store.ts
function createAppStore({ tables }, writer, removals) {
  return {
    create: async (app) => {
      const key = appKey(app.appId);
      for (; ; ) {
        const made = await writer.run((staged) => {
          if (staged.removals.get(key) !== void 0) return void 0;
          if (staged.apps.get(key) !== void 0) return false;
          staged.apps.put(key, app);
          return true;
        });
        if (made !== void 0) return made;
        await removals.finish(app.appId);
      }
    },
    get: async (appId) => tables.apps.get(appKey(appId)),
    list: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return tables.apps.entries({ start, end: LAST, limit }).map((entry) => entry.value);
    },
    update: (app) => writer.run((staged) => {
      const key = appKey(app.appId);
      if (staged.apps.get(key) === void 0) return false;
      staged.apps.put(key, app);
      return true;
    }),
    delete: (appId) => removals.remove(appId),
    getFrame: async (appId, frameId) => tables.frames.get(keyOf(appId, frameId)),
    listFrames: async (appId, from, limit) => {
      return tables.frames.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
    },
    putFrame: (appId, frame) => writer.run((staged) => staged.frames.put(keyOf(appId, frame.frameId), frame)),
    deleteFrame: (appId, frameId) => writer.run((staged) => {
      const key = keyOf(appId, frameId);
      if (staged.frames.get(key) === void 0) return false;
      staged.frames.delete(key);
      return true;
    })
  };
}

// src/adapters/embedded/contact-store.ts
function createContactStore({ tables }) {
  return {
    get: async (appId, contactId) => tables.contacts.get(keyOf(appId, contactId)),
    find: async (appId, contactKey) => {
      const contactId = tables.contactKeys.get(keyOf(appId, contactKey));
      return contactId === void 0 ? void 0 : tables.contacts.get(keyOf(appId, contactId));
    },
    changes: async (appId, contactId, from, limit) => {
      if (contactId === "") {
        return tables.changes.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
      }
      return tables.contactChanges.entries({ ...keysOwnedBy(appId, contactId, from), limit }).map((entry) => changeNamed(appId, entry.value));
    }
  };
  function changeNamed(appId, changeId) {
    const change = tables.changes.get(keyOf(appId, changeId));
    if (change === void 0) throw new DataDamaged("An entry of the consent ledger is missing");
    return change;
  }
}

// src/adapters/store/copies.ts
function markOfRun(mark, run) {
  if (mark?.run === run && mark.state === "copying") return mark;
  throw new Conflict("aborted", "Another run copies this app now, or has copied it");
}
function copiedRange(appId, from) {
  const prefix = keyOf(appId, "");
  return { start: from === "" ? prefix : after(prefix + from), end: afterPrefix(prefix) };
}
function copiedRows(appId, rows2) {
  const { length } = keyOf(appId, "");
  return rows2.map(({ key, value }) => ({ key: key.slice(length), value }));
}

// src/adapters/embedded/copies.ts
function createCopies(deps) {
  const { environment, writer, removals, changed } = deps;
  const { tables, storeId } = environment;
  const kinds = copiedKinds(environment);
  return {
    storeId,
    scan: async (appId, table, from, limit) => {
      const { start, end } = copiedRange(appId, from);
      return copiedRows(appId, kinds[table].table.entries({ start, end, limit }));
    },
    mark: async (appId) => tables.copies.get(appKey(appId)),
    begin: async (appId, decide) => {
      const key = appKey(appId);
      for (; ; ) {
        const begun = await writer.run((staged) => {
          if (staged.removals.get(key) !== void 0) return void 0;
          const mark = decide(staged.copies.get(key), staged.apps.get(key) !== void 0);
          if (mark !== void 0) staged.copies.put(key, mark);
          return { mark };
        });
        if (begun !== void 0) return begun.mark;
        await removals.finish(appId);
      }
    },
    write: (appId, run, { table, puts, removals: removed, upTo }) => writer.run((staged) => {
      const mark = markOfRun(staged.copies.get(appKey(appId)), run);
      const kind = kinds[table];
      const prefix = keyOf(appId, "");
      for (const key of removed) kind.remove(staged, appId, prefix + key);
      for (const { key, value } of puts) kind.put(staged, appId, prefix + key, value);
      staged.copies.put(appKey(appId), { ...mark, table, upTo });
    }),
    finish: (app, run) => writer.run((staged) => {
      const mark = markOfRun(staged.copies.get(appKey(app.appId)), run);
      staged.apps.put(appKey(app.appId), app);
      staged.copies.put(appKey(app.appId), { ...mark, state: "done", table: "", upTo: "" });
      changed.add(app.appId);
    })
  };
}
function copiedKinds({ tables }) {
  const plain = (table, of) => ({
    table,
    put: (staged, _appId, key, value) => of(staged).put(key, value),
    remove: (staged, _appId, key) => of(staged).delete(key)
  });
  return {
    frames: plain(tables.frames, (staged) => staged.frames),
    contacts: plain(tables.contacts, (staged) => staged.contacts),
    contactKeys: plain(tables.contactKeys, (staged) => staged.contactKeys),
    visitors: plain(tables.visitors, (staged) => staged.visitors),
    visitorKeys: plain(tables.visitorKeys, (staged) => staged.visitorKeys),
    products: plain(tables.products, (staged) => staged.products),
    productSkus: plain(tables.productSkus, (staged) => staged.productSkus),
    events: plain(tables.events, (staged) => staged.events),
    orders: plain(tables.orders, (staged) => staged.orders),
    rejectedEvents: plain(tables.rejectedEvents, (staged) => staged.rejectedEvents),
    rejectedLogs: plain(tables.rejectedLogs, (staged) => staged.rejectedLogs),
    interactions: plain(tables.interactions, (staged) => staged.interactions),
    changes: {
      table: tables.changes,
      put: (staged, appId, key, value) => {
        staged.changes.put(key, value);
        staged.contactChanges.put(ownedKey(appId, value.contactId, value.changeId), value.changeId);
      },
      remove: (staged, appId, key) => {
        const before = staged.changes.get(key);
        staged.changes.delete(key);
        if (before !== void 0) staged.contactChanges.delete(ownedKey(appId, before.contactId, before.changeId));
      }
    },
    idempotency: {
      table: tables.idempotency,
      put: (staged, appId, key, value) => {
        const own = unpart(key.slice(keyOf(appId, "").length));
        staged.idempotency.put(key, value);
        staged.idempotencyTimes.put(timedKey(appId, "", value.claimedAt, own), own);
      },
      remove: (staged, _appId, key) => staged.idempotency.delete(key)
      // its entry by time goes when its time comes
    }
  };
}

// src/adapters/embedded/event-store.ts
function createEventStore({ tables }) {
  return {
    get: async (appId, eventId) => tables.events.get(keyOf(appId, eventId)),
    list: async (appId, from, limit, newestFirst) => {
      const all = keysOf(appId);
      const entries = newestFirst ? tables.events.backwards({ start: all.start, end: from === "" ? all.end : keyOf(appId, from), limit }) : tables.events.entries({ ...keysOf(appId, from), limit });
      return entries.map((entry) => entry.value);
    }
  };
}

// src/adapters/embedded/free-space.ts
import { statfsSync } from "node:fs";
var HOLDS_MS = 1e3;
var FreeSpace = class {
  constructor(freeBytes, now, minBytes) {
    this.freeBytes = freeBytes;
    this.now = now;
    this.minBytes = minBytes;
  }
  freeBytes;
  now;
  minBytes;
  checkedAt = Number.NEGATIVE_INFINITY;
  low = false;
  isLow() {
    const at = this.now();
    if (Math.abs(at - this.checkedAt) >= HOLDS_MS) {
      this.checkedAt = at;
      this.low = this.freeBytes() < this.minBytes;
    }
    return this.low;
  }
};
function freeBytesOf(directory2) {
  try {
    const { bavail, bsize } = statfsSync(directory2);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

// src/adapters/store/idempotency.ts
var IDEMPOTENCY_MS = 24 * 60 * 60 * 1e3;
function isExpired(record, now) {
  return now - record.claimedAt > IDEMPOTENCY_MS;
}

// src/adapters/embedded/idempotency.ts
var RECORDS_AT_ONCE = 2e3;
var APPS_AT_ONCE = 16;
var PAUSE_MS = 1e3;
function createSweep({ tables: stored }, now) {
  let nextAt = Number.NEGATIVE_INFINITY;
  let nextApp = FIRST;
  const sweepApp = (tables, appId, until, limit) => {
    const range = { start: ownedKey(appId, "", ""), end: timedKey(appId, "", until, ""), limit };
    const due = stored.idempotencyTimes.entries(range);
    for (const { key, value } of due) {
      tables.idempotencyTimes.delete(key);
      const recordKey = keyOf(appId, value);
      const record = tables.idempotency.get(recordKey);
      if (record !== void 0 && record.claimedAt < until) tables.idempotency.delete(recordKey);
    }
    return due.length;
  };
  return (tables) => {
    const at = now();
    if (at < nextAt) return;
    let left = RECORDS_AT_ONCE;
    const apps = stored.apps.entries({ start: nextApp, end: LAST, limit: APPS_AT_ONCE });
    nextApp = FIRST;
    for (const { key, value: app } of apps) {
      left -= sweepApp(tables, app.appId, at - IDEMPOTENCY_MS, left);
      nextApp = left === 0 ? key : after(key);
      if (left === 0) return;
    }
    if (apps.length < APPS_AT_ONCE) nextApp = FIRST;
    nextAt = at + PAUSE_MS;
  };
}

// src/adapters/embedded/interaction-store.ts
import { setImmediate as setImmediate3 } from "node:timers/promises";

// src/adapters/store/newest-first.ts
function newestInteractionFirst(a, b) {
  return b.at - a.at || (a.ref < b.ref ? 1 : a.ref > b.ref ? -1 : 0);
}
function newestModelFirst(a, b) {
  return b.record.createdAt - a.record.createdAt || (a.record.modelId < b.record.modelId ? 1 : -1);
}

// src/adapters/embedded/scan.ts
import { setImmediate as setImmediate2 } from "node:timers/promises";
var SCAN_ROWS = 5e3;
async function* scanValues(table, appId) {
  let { start, end } = keysOf(appId);
  for (; ; ) {
    const entries = table.entries({ start, end, limit: SCAN_ROWS });
    const last = entries.at(-1);
    if (last === void 0) return;
    yield entries.map((entry) => entry.value);
    if (entries.length < SCAN_ROWS) return;
    start = after(last.key);
    await setImmediate2();
  }
}

// src/adapters/embedded/interaction-store.ts
function createInteractionStore({ tables }) {
  return {
    recent: async (appId, visitorIds2, limit) => {
      const found = [];
      for (const visitorId of new Set(visitorIds2)) {
        for (const { value } of tables.interactions.backwards({ ...keysOwnedBy(appId, visitorId), limit })) {
          found.push(value);
        }
      }
      return found.sort(newestInteractionFirst).slice(0, limit);
    },
    scan: async function* (appId) {
      const { start, end } = keysOf(appId);
      let from = start;
      for (; ; ) {
        const { histories, next } = readHistories(from, end, start.length);
        if (histories.length > 0) yield histories;
        if (next === void 0) return;
        from = next;
        await setImmediate3();
      }
    }
  };
  function readHistories(start, end, prefixLength) {
    const histories = [];
    let owner;
    let interactions = [];
    let rows2 = 0;
    let next;
    tables.interactions.each({ start, end }, (key, interaction) => {
      if (owner === void 0 || !key.startsWith(owner)) {
        if (rows2 >= SCAN_ROWS) {
          next = key;
          return false;
        }
        owner = key.slice(0, key.indexOf("\0", prefixLength) + 1);
        interactions = [];
        histories.push({ visitorId: unpart(owner.slice(prefixLength, -1)), interactions });
      }
      interactions.push(interaction);
      rows2++;
      return true;
    });
    return { histories, next };
  }
}

// src/adapters/store/lease.ts
function isHeld(last, lease) {
  return last !== void 0 && last.token === lease.token && last.holder === lease.holder && last.until > 0;
}

// src/adapters/embedded/lease.ts
function createLeases(writer, now) {
  return {
    acquire: (appId, holder, forMs) => writer.run(({ leases }) => {
      const last = leases.get(appKey(appId));
      if (last !== void 0 && last.until > now()) return void 0;
      const lease = { holder, token: (last?.token ?? 0) + 1 };
      leases.put(appKey(appId), { ...lease, until: now() + forMs });
      return lease;
    }),
    // A lease past its time that nobody else took is still its holder's.
    renew: (appId, lease, forMs) => writer.run(({ leases }) => {
      if (!isHeld(leases.get(appKey(appId)), lease)) return false;
      leases.put(appKey(appId), { ...lease, until: now() + forMs });
      return true;
    }),
    release: (appId, lease) => writer.run(({ leases }) => {
      if (isHeld(leases.get(appKey(appId)), lease)) leases.put(appKey(appId), { ...lease, until: 0 });
    })
  };
}

// src/adapters/embedded/model-store.ts
import { join as join6 } from "node:path";
import { crc32c as crc32c3 } from "@node-rs/crc32";
function createModelStore({ environment, writer, now, newId, onDamage }) {
  const { tables } = environment;
  const newestFirstOf = (appId) => keptModels(environment, appId).sort(newestModelFirst);
  return {
    put: async (appId, record, bytes) => {
      if (record.sizeBytes !== bytes.length)
        throw new InvalidArgument("size_bytes", "invalid", "the length of the bytes");
      const file = modelFile(record.modelId);
      const directory2 = modelDirectory(environment.directory, appId);
      const refusal = writer.refusal();
      if (refusal !== void 0) throw refusal;
      const app = appKey(appId);
      const madeAt = tables.apps.get(app)?.createdAt;
      await writeFileDurably(directory2, file, `${file}.${newId()}.tmp`, bytes);
      const fileChecksum = crc32c3(bytes);
      const isKept = await writer.run((staged) => {
        if (staged.removals.get(app) !== void 0 || staged.apps.get(app)?.createdAt !== madeAt) return false;
        staged.models.put(keyOf(appId, record.modelId), { record, fileChecksum });
        return true;
      });
      if (isKept) return;
      await removeFiles(environment, now, appId, /* @__PURE__ */ new Set([file]));
      throw new NotFound("app");
    },
    read: async (appId, modelId) => {
      const found = tables.models.get(keyOf(appId, modelId));
      if (found === void 0) return void 0;
      const bytes = await readIfThere(join6(modelDirectory(environment.directory, appId), modelFile(modelId)));
      if (bytes !== void 0 && bytes.length === found.record.sizeBytes && crc32c3(bytes) === found.fileChecksum) {
        return bytes;
      }
      if (tables.models.get(keyOf(appId, modelId)) === void 0) return void 0;
      onDamage("models");
      throw new DataDamaged("A model snapshot does not match its checksum");
    },
    list: async (appId) => newestFirstOf(appId).map((model) => model.record),
    pointer: async (appId) => tables.pointers.get(appKey(appId)),
    setPointer: (appId, pointer, lease) => writer.run((staged) => {
      if (lease !== void 0 && !isHeld(staged.leases.get(appKey(appId)), lease))
        throw new Conflict("aborted", "Another process trains this app now");
      staged.pointers.put(appKey(appId), pointer);
    }),
    prune: async (appId, keep) => {
      const removed = await writer.run(
        (staged) => {
          const serving = staged.pointers.get(appKey(appId))?.modelId;
          const ids = newestFirstOf(appId).map((model) => model.record.modelId);
          const old = ids.filter((id2, i) => i >= keep && id2 !== serving);
          for (const id2 of old) staged.models.delete(keyOf(appId, id2));
          return old;
        },
        { frees: true }
      );
      await removeFiles(environment, now, appId, new Set(removed.map(modelFile)));
    },
    activity: async (appId) => tables.activity.get(appKey(appId))?.toString() ?? ""
  };
}

// src/adapters/embedded/order-store.ts
function createOrderStore({ tables }) {
  return {
    get: async (appId, orderId) => tables.orders.get(keyOf(appId, orderId)),
    scan: (appId) => scanValues(tables.orders, appId)
  };
}

// src/adapters/embedded/product-log.ts
var IDS_IN_RECORD = 500;
var RECORDS_KEPT = 256;
function logKey(appId, number2) {
  return timedKey(appId, "", number2, "");
}
function createProductLog(newGeneration) {
  const added = /* @__PURE__ */ new Map();
  const append = (tables, appId, ids) => {
    const key = appKey(appId);
    const head = unlessDamaged(tables.productHeads, key) ?? { generation: newGeneration(), cut: 0, last: 0 };
    let { cut: cut2, last } = head;
    for (let n = 0; n < ids.length; n += IDS_IN_RECORD) {
      tables.productLog.put(logKey(appId, ++last), ids.slice(n, n + IDS_IN_RECORD));
    }
    while (last - cut2 > RECORDS_KEPT) tables.productLog.delete(logKey(appId, ++cut2));
    tables.productHeads.put(key, { generation: head.generation, cut: cut2, last });
    return { generation: head.generation, first: head.last + 1, last };
  };
  return {
    added,
    upkeep: (tables) => {
      added.clear();
      for (const [appId, ids] of writtenIds(tables)) {
        if (unlessDamaged(tables.removals, appKey(appId)) !== void 0) continue;
        added.set(appId, append(tables, appId, ids));
      }
    }
  };
}
function writtenIds(tables) {
  const byApp = /* @__PURE__ */ new Map();
  for (const key of tables.products.toWrite()) {
    const border = key.indexOf("\0");
    const appId = unpart(key.slice(0, border));
    const ids = byApp.get(appId);
    const id2 = unpart(key.slice(border + 1));
    if (ids === void 0) byApp.set(appId, [id2]);
    else ids.push(id2);
  }
  return byApp;
}

// src/adapters/embedded/product-store.ts
function createProductStore({ tables }, watchers) {
  return {
    get: async (appId, productId) => tables.products.get(keyOf(appId, productId)),
    getBySku: async (appId, sku) => {
      const productId = tables.productSkus.get(keyOf(appId, sku));
      return productId === void 0 ? void 0 : tables.products.get(keyOf(appId, productId));
    },
    list: async (appId, from, limit) => {
      return tables.products.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
    },
    scan: (appId) => scanValues(tables.products, appId),
    watch: (appId, listener) => watchers.watch(appId, listener)
  };
}

// src/adapters/embedded/product-watch.ts
import { setImmediate as setImmediate4 } from "node:timers/promises";

// src/adapters/store/product-listeners.ts
var ProductListeners = class {
  constructor(metrics) {
    this.metrics = metrics;
  }
  metrics;
  all = /* @__PURE__ */ new Set();
  get isEmpty() {
    return this.all.size === 0;
  }
  /** Returns how to stop. A function that is added twice is told twice. */
  add(listener) {
    const own = (changes) => listener(changes);
    this.all.add(own);
    return () => {
      this.all.delete(own);
    };
  }
  /** A listener that throws keeps nobody from anything; it is counted. */
  tell(changes) {
    if (changes.length === 0) return;
    for (const listener of this.all) {
      try {
        listener(changes);
      } catch {
        this.metrics?.count("store_watchers_failed");
      }
    }
  }
};

// src/adapters/embedded/product-watch.ts
var RECORDS_AT_ONCE2 = 4;
var AppWatch = class {
  constructor(listeners) {
    this.listeners = listeners;
  }
  listeners;
  /** Of the log that `told` counts in; undefined while the app has none. */
  generation;
  /** Number of the last log record that was told. */
  told = 0;
  /** Number of the last log record when values were last read: what was told then is at least as new. */
  readAt = 0;
};
var ProductWatchers = class {
  constructor(deps) {
    this.deps = deps;
  }
  deps;
  watches = /* @__PURE__ */ new Map();
  timer;
  closed = false;
  watch(appId, listener) {
    let watch = this.watches.get(appId);
    if (watch === void 0) {
      watch = new AppWatch(new ProductListeners(this.deps.metrics));
      this.begin(appId, watch);
      this.watches.set(appId, watch);
    }
    const { listeners } = watch;
    const stop = listeners.add(listener);
    this.schedule();
    return () => {
      stop();
      if (listeners.isEmpty && this.watches.get(appId)?.listeners === listeners) this.watches.delete(appId);
    };
  }
  /** Tells of the product writes of a batch that was committed. */
  committed(tables) {
    if (this.watches.size === 0) return;
    const byApp = /* @__PURE__ */ new Map();
    for (const [key, product] of tables.products.written()) {
      const border = key.indexOf("\0");
      const appId = unpart(key.slice(0, border));
      const change = product === void 0 ? { removed: unpart(key.slice(border + 1)) } : { put: product };
      const changes = byApp.get(appId);
      if (changes === void 0) byApp.set(appId, [change]);
      else changes.push(change);
    }
    for (const [appId, changes] of byApp) {
      const watch = this.watches.get(appId);
      if (watch !== void 0) this.tellOwn(appId, watch, changes);
    }
  }
  /** Tells what other processes wrote since the last look. */
  async poll() {
    for (const [appId, watch] of [...this.watches]) {
      while (!this.closed && this.watches.get(appId) === watch && this.step(appId, watch)) await setImmediate4();
    }
  }
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.watches.clear();
  }
  schedule() {
    if (this.timer !== void 0 || this.closed || this.watches.size === 0) return;
    this.timer = setTimeout(() => {
      this.poll().catch(() => this.deps.metrics?.count("store_watch_failed")).finally(() => {
        this.timer = void 0;
        this.schedule();
      });
    }, this.deps.pollMs).unref();
  }
  /** From now on: what is in the log already is not told. */
  begin(appId, watch) {
    try {
      const head = this.deps.environment.tables.productHeads.get(appKey(appId));
      watch.generation = head?.generation;
      watch.told = watch.readAt = head?.last ?? 0;
    } catch {
      watch.generation = "";
    }
  }
  tellOwn(appId, watch, changes) {
    const added = this.deps.log.added.get(appId);
    if (added === void 0) {
      watch.listeners.tell(changes);
      return;
    }
    const isSameLog = watch.generation === added.generation || watch.generation === void 0 && added.first === 1;
    if (isSameLog && watch.told === added.first - 1 && watch.readAt < added.first) {
      watch.generation = added.generation;
      watch.told = watch.readAt = added.last;
      watch.listeners.tell(changes);
      return;
    }
    const ids = changes.map(
      (change) => "put" in change ? change.put.productId : "removed" in change ? change.removed : ""
    );
    try {
      while (this.step(appId, watch, ids)) {
      }
    } catch {
      this.deps.metrics?.count("store_watch_failed");
    }
  }
  /**
   * Tells of some of what is in the log and was not told; false when nothing was left. When it cannot say what has
   * changed, everything is to be read again; `own` ids are then told as well, since their writer waits for it.
   */
  step(appId, watch, own = []) {
    const { environment } = this.deps;
    const changes = environment.snapshot(() => this.read(appId, watch) ?? [RELOAD, ...this.current(appId, own)]);
    if (changes.length === 0) return false;
    watch.listeners.tell(changes);
    return true;
  }
  /** The next changes by the log; undefined when it does not have them all. Moves the watch on. */
  read(appId, watch) {
    const { productHeads, productLog } = this.deps.environment.tables;
    const head = productHeads.get(appKey(appId));
    if (head === void 0) {
      const knew = watch.generation !== void 0;
      watch.generation = void 0;
      watch.told = watch.readAt = 0;
      return knew ? void 0 : [];
    }
    const isNew = watch.generation === void 0;
    const isComplete = (isNew || watch.generation === head.generation) && watch.told >= head.cut;
    const from = watch.told;
    watch.generation = head.generation;
    watch.told = watch.readAt = head.last;
    if (!isComplete) return void 0;
    if (from === head.last) return [];
    const { end } = keysOwnedBy(appId, "");
    try {
      const records = productLog.entries({ start: logKey(appId, from + 1), end, limit: RECORDS_AT_ONCE2 });
      if (records.length < Math.min(RECORDS_AT_ONCE2, head.last - from)) return void 0;
      watch.told = from + records.length;
      return this.current(appId, new Set(records.flatMap((record) => record.value)));
    } catch (error) {
      if (error instanceof DataDamaged) return void 0;
      throw error;
    }
  }
  /** These products as they are. One that is damaged cannot be shown, as if it were gone. */
  current(appId, ids) {
    const { products } = this.deps.environment.tables;
    return Array.from(ids, (id2) => {
      try {
        const product = products.get(keyOf(appId, id2));
        return product === void 0 ? { removed: id2 } : { put: product };
      } catch (error) {
        if (error instanceof DataDamaged) return { removed: id2 };
        throw error;
      }
    });
  }
};
var RELOAD = { reload: true };

// src/adapters/embedded/rejected-event-store.ts
function createRejectedEventStore({ tables }) {
  return {
    get: async (appId, rejectedId) => tables.rejectedEvents.get(keyOf(appId, rejectedId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit };
      return tables.rejectedEvents.backwards(range).map((entry) => entry.value);
    }
  };
}

// src/adapters/embedded/removal.ts
import { rm as rm4 } from "node:fs/promises";
var REMOVED_AT_ONCE = 2e3;
var ALONE = { alone: true, frees: true };
var Removals = class {
  constructor(environment, writer) {
    this.environment = environment;
    this.writer = writer;
  }
  environment;
  writer;
  running = /* @__PURE__ */ new Map();
  /** False when there is no such app. */
  async remove(appId) {
    const mark = (tables) => {
      const key = appKey(appId);
      if (tables.apps.get(key) === void 0) return false;
      tables.apps.delete(key);
      tables.removals.put(key, 1);
      return true;
    };
    const found = await this.writer.run(mark, { frees: true });
    await this.finish(appId);
    return found;
  }
  /** Finishes the removal of an app if one has begun: nothing of the old app may be seen in a new one. */
  async finish(appId) {
    const running = this.running.get(appId);
    if (running !== void 0) return running;
    if (this.environment.tables.removals.get(appKey(appId)) === void 0) return;
    const removal = this.removeAll(appId).finally(() => this.running.delete(appId));
    this.running.set(appId, removal);
    return removal;
  }
  /** Finishes what an earlier process left. */
  async resume() {
    const ids = this.environment.tables.removals.keys({ start: FIRST, end: LAST });
    for (const key of ids) await this.finish(key.slice(0, key.indexOf("\0")));
  }
  async removeAll(appId) {
    while (await this.writer.run((tables) => removeSome(tables, appId), ALONE) > 0) {
    }
    if (this.environment.tables.removals.get(appKey(appId)) === void 0) return;
    await rm4(modelDirectory(this.environment.directory, appId), { recursive: true, force: true });
    while (!await this.writer.run((tables) => removeLast(tables, appId), ALONE)) {
    }
  }
};
function removeSome(tables, appId) {
  if (tables.removals.get(appKey(appId)) === void 0) return 0;
  const range = keysOf(appId);
  let left = REMOVED_AT_ONCE;
  const all = Object.values(tables);
  for (const staged of all) {
    if (staged.table.name === "removals") continue;
    const keys = staged.table.keys({ ...range, limit: left });
    for (const key of keys) staged.delete(key);
    left -= keys.length;
    if (left === 0) break;
  }
  return REMOVED_AT_ONCE - left;
}
function removeLast(tables, appId) {
  if (removeSome(tables, appId) > 0) return false;
  tables.removals.delete(appKey(appId));
  return true;
}

// src/ports/rejected-event-store.ts
var REJECTED_LOG_LIMITS = { events: 1e3, bytes: 4 * 2 ** 20 };

// src/adapters/store/rejected-events.ts
var EMPTY = { first: 0, next: 0, bytes: 0 };
var DIGITS = 12;
var RejectedEventRecords = class {
  constructor(appId, events, logs) {
    this.appId = appId;
    this.events = events;
    this.logs = logs;
  }
  appId;
  events;
  logs;
  get(rejectedId) {
    return this.events.get(keyOf(this.appId, rejectedId));
  }
  add(event) {
    const log = this.logs.get(appKey(this.appId)) ?? EMPTY;
    const rejectedId = idOf(log.next);
    this.events.put(keyOf(this.appId, rejectedId), { ...event, rejectedId });
    let { first } = log;
    let bytes = log.bytes + event.bytes;
    const next = log.next + 1;
    while (first < next - 1 && (next - first > REJECTED_LOG_LIMITS.events || bytes > REJECTED_LOG_LIMITS.bytes)) {
      bytes -= this.bytesOf(first);
      this.events.delete(keyOf(this.appId, idOf(first)));
      first++;
    }
    this.logs.put(appKey(this.appId), { first, next, bytes });
    return rejectedId;
  }
  replace(event) {
    const before = this.get(event.rejectedId);
    const log = this.logs.get(appKey(this.appId));
    if (before === void 0 || log === void 0) return;
    this.events.put(keyOf(this.appId, event.rejectedId), event);
    this.logs.put(appKey(this.appId), { ...log, bytes: log.bytes + event.bytes - before.bytes });
  }
  bytesOf(number2) {
    try {
      return this.get(idOf(number2))?.bytes ?? 0;
    } catch (error) {
      if (error instanceof DataDamaged) return 0;
      throw error;
    }
  }
};
function idOf(number2) {
  return String(number2).padStart(DIGITS, "0");
}

// src/adapters/store/transaction.ts
var AppTransaction = class {
  constructor(appId, staged, now) {
    this.appId = appId;
    this.staged = staged;
    this.now = now;
    this.prefix = keyOf(appId, "");
  }
  appId;
  staged;
  now;
  /** What the keys of all records of the app begin with. */
  prefix;
  running = true;
  known = {};
  /** The tables, while the work runs. */
  get tables() {
    this.mustRun();
    return this.staged;
  }
  /** Throws when no work runs: a transaction kept for later would write into somebody else's. */
  mustRun() {
    if (!this.running) throw new Error("A transaction ends with the work it was given to");
  }
  /** Another work runs with it. */
  begin() {
    this.running = true;
  }
  end() {
    this.running = false;
  }
  app() {
    return this.tables.apps.get(appKey(this.appId));
  }
  get idempotency() {
    this.mustRun();
    this.known.idempotency ??= this.idempotencyRecords();
    return this.known.idempotency;
  }
  get events() {
    this.mustRun();
    this.known.events ??= new AppRecords(this.prefix, this.staged.events);
    return this.known.events;
  }
  get rejectedEvents() {
    return new RejectedEventRecords(this.appId, this.tables.rejectedEvents, this.tables.rejectedLogs);
  }
  get visitors() {
    this.mustRun();
    this.known.visitors ??= new AppRecords(this.prefix, this.staged.visitors);
    return this.known.visitors;
  }
  get visitorKeys() {
    this.mustRun();
    this.known.visitorKeys ??= new AppRecords(this.prefix, this.staged.visitorKeys);
    return this.known.visitorKeys;
  }
  get contacts() {
    this.mustRun();
    this.known.contacts ??= new AppRecords(this.prefix, this.staged.contacts);
    return this.known.contacts;
  }
  get contactKeys() {
    this.mustRun();
    this.known.contactKeys ??= new AppRecords(this.prefix, this.staged.contactKeys);
    return this.known.contactKeys;
  }
  get changes() {
    this.mustRun();
    this.known.changes ??= this.changeRecords();
    return this.known.changes;
  }
  get products() {
    this.mustRun();
    this.known.products ??= new ProductRecords(this.prefix, this.staged.products, this.staged.productSkus);
    return this.known.products;
  }
  get productSkus() {
    return new AppRecords(this.prefix, this.tables.productSkus);
  }
  get orders() {
    this.mustRun();
    this.known.orders ??= new AppRecords(this.prefix, this.staged.orders);
    return this.known.orders;
  }
  idempotencyRecords() {
    return new IdempotencyRecords(this.prefix, this.staged.idempotency, this.now);
  }
  changeRecords() {
    return new AppRecords(this.prefix, this.staged.changes);
  }
};
var AppRecords = class {
  constructor(prefix, table) {
    this.prefix = prefix;
    this.table = table;
  }
  prefix;
  table;
  get(key) {
    return this.table.get(keyBehind(this.prefix, key));
  }
  put(key, value) {
    this.table.put(keyBehind(this.prefix, key), value);
  }
  delete(key) {
    this.table.delete(keyBehind(this.prefix, key));
  }
};
var ProductRecords = class extends AppRecords {
  constructor(prefix, products, skus) {
    super(prefix, products);
    this.skus = skus;
  }
  skus;
  put(key, value) {
    const before = this.get(key);
    if (before !== void 0 && before.sku !== value.sku) this.unindex(before.sku, key);
    super.put(key, value);
    if (value.sku === "") return;
    const skuKey = keyBehind(this.prefix, value.sku);
    if (this.skus.get(skuKey) !== key) this.skus.put(skuKey, key);
  }
  delete(key) {
    const before = this.get(key);
    if (before === void 0) return;
    this.unindex(before.sku, key);
    super.delete(key);
  }
  /** Unless another product has taken the SKU over. */
  unindex(sku, productId) {
    if (sku === "") return;
    const skuKey = keyBehind(this.prefix, sku);
    if (this.skus.get(skuKey) === productId) this.skus.delete(skuKey);
  }
};
var IdempotencyRecords = class extends AppRecords {
  constructor(prefix, table, now) {
    super(prefix, table);
    this.now = now;
  }
  now;
  get(key) {
    const found = super.get(key);
    return found === void 0 || isExpired(found, this.now()) ? void 0 : found;
  }
};

// src/adapters/embedded/unit-of-work.ts
function createUnitOfWork(deps) {
  const { writer, now, changed } = deps;
  const runIn = (transaction, work) => {
    transaction.begin();
    try {
      const result = work(transaction);
      if (transaction.changed) changed.add(transaction.appId);
      return result;
    } finally {
      transaction.end();
    }
  };
  return {
    run: (appId, work) => writer.run((tables) => runIn(new EmbeddedTransaction(appId, tables, now), work)),
    runEach: (appId, works) => {
      let transaction;
      return writer.runEach(
        works.map((work) => (tables) => {
          transaction ??= new EmbeddedTransaction(appId, tables, now);
          return runIn(transaction, work);
        })
      );
    }
  };
}
var EmbeddedTransaction = class extends AppTransaction {
  changed = false;
  begin() {
    super.begin();
    this.changed = false;
  }
  idempotencyRecords() {
    return new TimedIdempotencyRecords(this.appId, this.tables, this.now);
  }
  changeRecords() {
    return new IndexedChangeRecords(this.appId, this.tables);
  }
  putInteraction(visitorId, interaction) {
    this.tables.interactions.put(timedKey(this.appId, visitorId, interaction.at, interaction.ref), interaction);
  }
  deleteInteraction(visitorId, at, ref) {
    this.tables.interactions.delete(timedKey(this.appId, visitorId, at, ref));
  }
  markChanged() {
    this.mustRun();
    this.changed = true;
  }
};
var IndexedChangeRecords = class extends AppRecords {
  constructor(appId, tables) {
    super(keyOf(appId, ""), tables.changes);
    this.appId = appId;
    this.tables = tables;
  }
  appId;
  tables;
  put(key, value) {
    super.put(key, value);
    this.tables.contactChanges.put(ownedKey(this.appId, value.contactId, key), key);
  }
  delete(key) {
    const before = this.get(key);
    if (before === void 0) return;
    super.delete(key);
    this.tables.contactChanges.delete(ownedKey(this.appId, before.contactId, key));
  }
};
var TimedIdempotencyRecords = class extends IdempotencyRecords {
  constructor(appId, tables, now) {
    super(keyOf(appId, ""), tables.idempotency, now);
    this.appId = appId;
    this.tables = tables;
  }
  appId;
  tables;
  put(key, value) {
    super.put(key, value);
    this.tables.idempotencyTimes.put(timedKey(this.appId, "", value.claimedAt, key), key);
  }
};

// src/adapters/embedded/visitor-store.ts
function createVisitorStore({ tables }) {
  return {
    find: async (appId, keys) => {
      const found = /* @__PURE__ */ new Map();
      for (const key of keys) {
        const visitorId = tables.visitorKeys.get(keyOf(appId, key));
        if (visitorId === void 0 || found.has(visitorId)) continue;
        const visitor = tables.visitors.get(keyOf(appId, visitorId));
        if (visitor !== void 0) found.set(visitorId, visitor);
      }
      return [...found.values()];
    }
  };
}

// src/adapters/embedded/job.ts
var PendingWork = class {
  constructor(alone, work, resolve3, reject) {
    this.alone = alone;
    this.work = work;
    this.resolve = resolve3;
    this.reject = reject;
  }
  alone;
  work;
  resolve;
  reject;
  isRun = false;
  outcome;
  run(tables) {
    this.isRun = true;
    this.outcome = { result: this.work(tables) };
  }
  fail(error) {
    this.outcome = { error };
  }
  abandon(error) {
    this.outcome = { error };
  }
  settle() {
    if (this.outcome === void 0) return;
    if ("result" in this.outcome) this.resolve(this.outcome.result);
    else this.reject(this.outcome.error);
  }
};
var PendingWorks = class {
  constructor(works, resolve3) {
    this.works = works;
    this.resolve = resolve3;
  }
  works;
  resolve;
  alone = false;
  outcomes = [];
  next = 0;
  /** Works before this index are settled. */
  settled = 0;
  get isRun() {
    return this.next === this.works.length;
  }
  run(tables) {
    const at = this.next++;
    this.outcomes[at] = { status: "fulfilled", value: this.works[at](tables) };
  }
  fail(reason) {
    this.outcomes[this.next - 1] = { status: "rejected", reason };
  }
  abandon(reason) {
    this.next = this.works.length;
    for (let at = this.settled; at < this.next; at++) this.outcomes[at] = { status: "rejected", reason };
  }
  settle() {
    this.settled = this.next;
    if (this.isRun) this.resolve(this.outcomes);
  }
};

// src/adapters/embedded/latch.ts
var Latch = class {
  cause;
  shut = false;
  /** Shuts it. Only the first cause is kept. */
  close(cause) {
    if (this.shut) return;
    this.shut = true;
    this.cause = cause;
  }
  get isShut() {
    return this.shut;
  }
  /** What callers are told while it is shut. */
  refusal() {
    return new Unavailable("The store takes no writes since one failed; it must be opened anew", 3e4, {
      cause: this.cause
    });
  }
};

// src/adapters/embedded/writer.ts
var MIB = 2 ** 20;
var LOW_SPACE_RETRY_MS = 3e4;
var WRITER_LIMITS = {
  maxWaiting: 2e4,
  maxWaitingBytes: 64 * MIB,
  maxBatch: 1e3,
  minBulk: 100,
  maxBatchBytes: 16 * MIB,
  maxCommitMs: 1e4,
  maxBeginMs: 3e4,
  minFreeBytes: 256 * MIB
};
var Writer = class {
  constructor(deps) {
    this.deps = deps;
    this.limits = { ...WRITER_LIMITS, ...deps.limits };
    this.space = new FreeSpace(deps.freeBytes, deps.now, this.limits.minFreeBytes);
    this.tables = stageTables(deps.environment.tables, this.journal);
  }
  deps;
  latch = new Latch();
  limits;
  space;
  journal = new Journal();
  tables;
  waiting = [];
  /** Jobs before this index of `waiting` have been taken. */
  taken = 0;
  bulk = [];
  /** Works run in the transaction under way. */
  works = 0;
  /** What a work of late has written, in bytes: rises at once, falls by and by. */
  workBytes = 0;
  startedAt;
  closing = false;
  drained;
  /** Runs `work` in a transaction. See UnitOfWork for what is promised. */
  run(work, options = {}) {
    const refusal = this.refusal(options.frees);
    if (refusal !== void 0) {
      this.deps.metrics?.count("store_works_refused");
      return Promise.reject(refusal);
    }
    return new Promise((resolve3, reject) => {
      this.waiting.push(new PendingWork(options.alone ?? false, work, resolve3, reject));
      if (this.startedAt === void 0) this.begin();
    });
  }
  /** Runs works of a bulk call. They wait for their turn and are never too many; see UnitOfWork. */
  runEach(works) {
    const reason = this.refusalOfAny();
    if (reason !== void 0) {
      this.deps.metrics?.count("store_works_refused", void 0, works.length);
      return Promise.resolve(works.map(() => ({ status: "rejected", reason })));
    }
    if (works.length === 0) return Promise.resolve([]);
    return new Promise((resolve3) => {
      this.bulk.push(new PendingWorks(works, resolve3));
      if (this.startedAt === void 0) this.begin();
    });
  }
  /** Why a work would be refused now, if it would. */
  refusal(frees = false) {
    const waiting = this.waiting.length - this.taken;
    if (waiting >= this.limits.maxWaiting || waiting * this.workBytes >= this.limits.maxWaitingBytes) {
      return this.latch.isShut ? this.latch.refusal() : new Unavailable("Too many writes are waiting for the store");
    }
    return this.refusalOfAny(frees);
  }
  /** The same, however few wait. */
  refusalOfAny(frees = false) {
    if (this.latch.isShut) return this.latch.refusal();
    if (this.closing) return new Unavailable("The store is closed");
    if (this.deps.environment.readOnly) return new Unavailable("The store is open for reading only");
    if (this.startedAt !== void 0 && this.deps.now() - this.startedAt > this.limits.maxCommitMs) {
      return new Unavailable(`A write has taken longer than ${this.limits.maxCommitMs} ms`);
    }
    if (!frees && this.space.isLow()) {
      const mib = Math.ceil(this.space.minBytes / MIB);
      return new Unavailable(`The disk of the store has less than ${mib} MiB left`, LOW_SPACE_RETRY_MS);
    }
    return void 0;
  }
  /** Refuses works from now on; resolves when those under way are settled. */
  async close() {
    this.closing = true;
    if (this.startedAt === void 0) return;
    await new Promise((resolve3) => {
      this.drained = resolve3;
    });
  }
  begin() {
    this.startedAt = this.deps.now();
    const { maxBeginMs } = this.limits;
    const batch = [];
    let isGivenUp = false;
    const timer = setTimeout(() => {
      isGivenUp = true;
      this.shut(batch, new Error(`No transaction could be begun within ${maxBeginMs} ms`));
    }, maxBeginMs);
    this.deps.environment.transact(() => {
      if (isGivenUp) throw new Error("Nobody waits for this transaction any more");
      clearTimeout(timer);
      this.fill(batch);
    }).finally(() => clearTimeout(timer)).then(
      () => this.settle(batch),
      (error) => {
        if (!isGivenUp) this.shut(batch, error);
      }
    );
  }
  /** Inside the transaction: runs the works and makes their writes. */
  fill(batch) {
    const { maxBatch, maxBatchBytes, minBulk } = this.limits;
    this.journal.clear();
    this.works = 0;
    let bytes = 0;
    const run = (job) => {
      this.works++;
      try {
        job.run(this.tables);
        bytes += this.journal.keep();
      } catch (error) {
        this.journal.rollBack();
        return job.fail(error);
      }
      this.journal.end();
    };
    let isAlone = false;
    while (!isAlone && this.works < maxBatch && bytes < maxBatchBytes && this.taken < this.waiting.length) {
      const job = this.waiting[this.taken];
      isAlone = job.alone;
      if (isAlone && batch.length > 0) break;
      this.taken++;
      batch.push(job);
      run(job);
    }
    const most = Math.max(maxBatch, this.works + minBulk);
    while (!isAlone && this.works < most && bytes < maxBatchBytes && this.bulk.length > 0) {
      const job = this.bulk[0];
      batch.push(job);
      while (!job.isRun && this.works < most && bytes < maxBatchBytes) run(job);
      if (job.isRun) this.bulk.shift();
    }
    this.workBytes = Math.max(bytes / this.works, this.workBytes / 2);
    this.forgetTaken();
    for (const step of this.deps.upkeep) {
      try {
        step(this.tables);
        this.journal.keep();
      } catch {
        this.journal.rollBack();
        this.deps.metrics?.count("store_upkeep_failed");
        continue;
      }
      this.journal.end();
    }
    this.journal.apply();
  }
  settle(batch) {
    const startedAt = this.startedAt ?? this.deps.now();
    this.deps.metrics?.observe("store_commit", this.deps.now() - startedAt);
    this.deps.metrics?.count("store_works", void 0, this.works);
    this.deps.committed(this.tables);
    this.clear();
    this.next();
    for (const job of batch) job.settle();
  }
  shut(batch, cause) {
    this.latch.close(cause);
    this.deps.metrics?.count("store_commits_failed");
    this.clear();
    const all = /* @__PURE__ */ new Set([...batch, ...this.waiting.slice(this.taken), ...this.bulk]);
    this.waiting = [];
    this.taken = 0;
    this.bulk = [];
    this.next();
    for (const job of all) {
      job.abandon(this.latch.refusal());
      job.settle();
    }
  }
  next() {
    this.startedAt = void 0;
    if (this.taken < this.waiting.length || this.bulk.length > 0) this.begin();
    else this.drained?.();
  }
  clear() {
    for (const table of Object.values(this.tables)) table.clear();
    this.journal.clear();
  }
  forgetTaken() {
    if (this.taken < this.waiting.length && this.taken < this.limits.maxBatch) return;
    this.waiting = this.waiting.slice(this.taken);
    this.taken = 0;
  }
};

// src/adapters/embedded/store.ts
var WATCH_POLL_MS = 1e3;
async function openEmbeddedStore(options) {
  const onDamage = (table) => {
    options.metrics?.count("store_damaged_values", { table });
    options.onDamage?.(table);
  };
  const { directory: directory2, readOnly = false, log, newId } = options;
  const environment = await openEnvironment(directory2, readOnly, onDamage, log, newId);
  return assembleStore(environment, { ...options, onDamage });
}
async function assembleStore(environment, options) {
  const { now, metrics, limits, onDamage, newId = randomUUID3 } = options;
  const changed = /* @__PURE__ */ new Set();
  const log = createProductLog(newId);
  const watchers = new ProductWatchers({ environment, log, metrics, pollMs: options.watchPollMs ?? WATCH_POLL_MS });
  const writer = new Writer({
    environment,
    now,
    metrics,
    limits,
    freeBytes: options.freeBytes ?? (() => freeBytesOf(environment.directory)),
    upkeep: [log.upkeep, createActivity(changed, now), createSweep(environment, now)],
    committed: (tables) => watchers.committed(tables)
  });
  const removals = new Removals(environment, writer);
  if (!environment.readOnly) {
    await removals.resume();
    await removeOrphans(environment, now);
  }
  return {
    apps: createAppStore(environment, writer, removals),
    events: createEventStore(environment),
    rejectedEvents: createRejectedEventStore(environment),
    visitors: createVisitorStore(environment),
    interactions: createInteractionStore(environment),
    contacts: createContactStore(environment),
    products: createProductStore(environment, watchers),
    orders: createOrderStore(environment),
    models: createModelStore({ environment, writer, now, newId, onDamage }),
    leases: createLeases(writer, now),
    copies: createCopies({ environment, writer, removals, changed }),
    unitOfWork: createUnitOfWork({ writer, now, changed }),
    ready: async () => {
      const refusal = writer.refusal();
      if (refusal !== void 0) throw refusal;
    },
    close: async () => {
      watchers.close();
      await writer.close();
      await environment.close();
    }
  };
}

// src/adapters/hnsw/vector-indexes.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as join7 } from "node:path";
import hnswlib from "hnswlib-node";

// src/algorithms/random.ts
function createRandom(seed) {
  let state2 = seed >>> 0;
  return () => {
    state2 = state2 + 1831565813 >>> 0;
    let mixed = Math.imul(state2 ^ state2 >>> 15, state2 | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
  };
}

// src/algorithms/top-k.ts
function createTopK() {
  let limit = 0;
  let size = 0;
  let indices2 = new Uint32Array(64);
  let scores = new Float64Array(64);
  function worse(aIndex, aScore, bIndex, bScore) {
    return aScore < bScore || aScore === bScore && aIndex < bIndex;
  }
  function grow() {
    const longer = Math.min(limit, indices2.length * 2);
    const moreIndices = new Uint32Array(longer);
    const moreScores = new Float64Array(longer);
    moreIndices.set(indices2);
    moreScores.set(scores);
    indices2 = moreIndices;
    scores = moreScores;
  }
  function siftDown(index, score) {
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && worse(indices2[child + 1], scores[child + 1], indices2[child], scores[child])) child++;
      if (!worse(indices2[child], scores[child], index, score)) break;
      indices2[at] = indices2[child];
      scores[at] = scores[child];
      at = child;
    }
    indices2[at] = index;
    scores[at] = score;
  }
  function siftUp(index, score) {
    let at = size++;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (!worse(index, score, indices2[parent], scores[parent])) break;
      indices2[at] = indices2[parent];
      scores[at] = scores[parent];
      at = parent;
    }
    indices2[at] = index;
    scores[at] = score;
  }
  return {
    reset(k) {
      limit = k;
      size = 0;
    },
    offer(index, score) {
      if (size < limit) {
        if (size === indices2.length) grow();
        siftUp(index, score);
      } else if (limit > 0 && worse(indices2[0], scores[0], index, score)) siftDown(index, score);
    },
    size: () => size,
    indexAt: (i) => indices2[i],
    scoreAt: (i) => scores[i],
    take() {
      const best = { indices: new Uint32Array(size), scores: new Float64Array(size) };
      while (size > 0) {
        size--;
        best.indices[size] = indices2[0];
        best.scores[size] = scores[0];
        if (size > 0) siftDown(indices2[size], scores[size]);
      }
      return best;
    }
  };
}

// src/algorithms/nearest.ts
function nearest(vectors, dimensions, query, k) {
  if (query.length !== dimensions) throw new RangeError("query must have as many numbers as the vectors");
  const count = vectors.length / dimensions;
  const best = createTopK();
  best.reset(k);
  for (let v = 0; v < count; v++) {
    const from = v * dimensions;
    let sum = 0;
    for (let d = 0; d < dimensions; d++) sum += vectors[from + d] * query[d];
    best.offer(v, sum);
  }
  return best.take();
}

// src/adapters/hnsw/format.ts
import { crc32 } from "node:zlib";
var MAGIC2 = 1464748097;
var FORMAT = 1;
var HEADER_BYTES = 32;
var CHECKSUM_AT = 28;
var EXACT = 0;
var HNSW = 1;
function encodeIndex(facts, payload) {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const header = new DataView(bytes.buffer);
  const { kind, count, dimensions, efSearch } = facts;
  const numbers = [MAGIC2, FORMAT, kind, count, dimensions, efSearch, payload.length];
  for (const [i, value] of numbers.entries()) header.setUint32(4 * i, value, true);
  bytes.set(payload, HEADER_BYTES);
  header.setUint32(CHECKSUM_AT, checksum(bytes), true);
  return bytes;
}
function decodeIndex(bytes) {
  if (bytes.length < HEADER_BYTES) throw new DataDamaged("The vector index is cut off");
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const number2 = (i) => header.getUint32(4 * i, true);
  if (number2(0) !== MAGIC2) throw new DataDamaged("These bytes are no vector index");
  if (number2(1) !== FORMAT) throw new DataDamaged(`The vector index has format ${number2(1)}, ${FORMAT} is known`);
  const payload = bytes.subarray(HEADER_BYTES);
  if (payload.length !== number2(6) || checksum(bytes) !== header.getUint32(CHECKSUM_AT, true))
    throw new DataDamaged("The vector index does not match its checksum");
  return { facts: { kind: number2(2), count: number2(3), dimensions: number2(4), efSearch: number2(5) }, payload };
}
function checksum(bytes) {
  return crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(0, CHECKSUM_AT)));
}
function checkQuery(query, dimensions) {
  if (query.length !== dimensions) throw new RangeError(`query must hold ${dimensions} numbers`);
  if (!query.every(Number.isFinite)) throw new RangeError("query must hold finite numbers");
  if (dimensions > 0 && query.every((value) => value === 0)) throw new RangeError("query must point somewhere");
}

// src/adapters/hnsw/exact-index.ts
function exactIndex(vectors, dimensions) {
  const count = dimensions === 0 ? 0 : vectors.length / dimensions;
  return {
    count,
    dimensions,
    search: (query, k) => {
      checkQuery(query, dimensions);
      return exactSearch(vectors, dimensions, query, k);
    },
    encode: () => {
      const payload = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
      return encodeIndex({ kind: EXACT, count, dimensions, efSearch: 0 }, payload);
    }
  };
}
function exactSearch(vectors, dimensions, query, k) {
  const { indices: indices2, scores } = nearest(vectors, dimensions, query, Math.max(0, k));
  return { indices: indices2, similarities: Float32Array.from(scores) };
}

// src/adapters/hnsw/vector-indexes.ts
var EXACT_UP_TO = 1e3;
var WANTED_RECALL = 0.98;
var RECALL_AT = 10;
var PROBES = 200;
var ROUNDING = 1e-5;
function hnswIndexes(options = {}) {
  const { exactUpTo = EXACT_UP_TO, folder = tmpdir() } = options;
  return {
    build(vectors, dimensions, params) {
      checkVectors(vectors, dimensions);
      checkParams(params);
      const count = dimensions === 0 ? 0 : vectors.length / dimensions;
      const exact = () => ({ ...exactIndex(vectors.slice(), dimensions), recall: 1, efSearch: 0 });
      if (count <= exactUpTo) return exact();
      const graph = buildGraph(vectors, dimensions, params);
      const probes = drawProbes(vectors, dimensions, params.seed);
      for (let efSearch = params.efSearch; efSearch <= Math.max(params.efSearch, count / 4); efSearch *= 2) {
        const index = graphIndex(graph, { count, dimensions, efSearch, folder });
        const recall = recallOf(index, probes);
        if (recall >= WANTED_RECALL) return { ...index, recall, efSearch };
      }
      return exact();
    },
    open(bytes) {
      const { facts, payload } = decodeIndex(bytes);
      const { kind, count, dimensions, efSearch } = facts;
      if (kind === EXACT) {
        if (payload.length !== 4 * count * dimensions) throw new DataDamaged("The vector index is cut off");
        return exactIndex(new Float32Array(payload.slice().buffer), dimensions);
      }
      if (kind !== HNSW) throw new DataDamaged("The vector index is of an unknown kind");
      const graph = new hnswlib.HierarchicalNSW("ip", dimensions);
      inPrivateFolder(folder, (file) => {
        writeFileSync(file, payload, { mode: 384 });
        try {
          graph.readIndexSync(file);
        } catch (cause) {
          throw new DataDamaged("The vector index cannot be read", { cause });
        }
      });
      if (graph.getCurrentCount() !== count) throw new DataDamaged("The vector index holds another number of vectors");
      return graphIndex(graph, { count, dimensions, efSearch, folder });
    }
  };
}
function buildGraph(vectors, dimensions, params) {
  const count = vectors.length / dimensions;
  const graph = new hnswlib.HierarchicalNSW("ip", dimensions);
  graph.initIndex({
    maxElements: count,
    m: params.m,
    efConstruction: params.efConstruction,
    randomSeed: params.seed
  });
  for (let v = 0; v < count; v++) {
    graph.addPoint(Array.from(vectors.subarray(v * dimensions, (v + 1) * dimensions)), v);
  }
  return graph;
}
function graphIndex(graph, { count, dimensions, efSearch, folder }) {
  return {
    count,
    dimensions,
    search(query, k) {
      checkQuery(query, dimensions);
      const wanted = Math.min(Math.max(0, k), count);
      if (wanted === 0) return { indices: new Uint32Array(0), similarities: new Float32Array(0) };
      graph.setEf(Math.max(efSearch, wanted));
      const { neighbors, distances } = graph.searchKnn(Array.from(query), wanted);
      return byFallingSimilarity(neighbors, distances);
    },
    encode: () => inPrivateFolder(folder, (file) => {
      graph.writeIndexSync(file);
      return encodeIndex({ kind: HNSW, count, dimensions, efSearch }, readFileSync(file));
    })
  };
}
function byFallingSimilarity(neighbors, distances) {
  const order = Array.from(neighbors.keys());
  order.sort((a, b) => distances[a] - distances[b] || neighbors[b] - neighbors[a]);
  return {
    indices: Uint32Array.from(order, (i) => neighbors[i]),
    similarities: Float32Array.from(order, (i) => 1 - distances[i])
  };
}
function drawProbes(vectors, dimensions, seed) {
  const count = vectors.length / dimensions;
  const random = createRandom(seed);
  return Array.from({ length: Math.min(PROBES, count) }, () => {
    const from = Math.floor(random() * count) * dimensions;
    const query = vectors.subarray(from, from + dimensions);
    const { similarities } = exactSearch(vectors, dimensions, query, RECALL_AT);
    return { query, found: similarities.length, last: similarities.at(-1) ?? 0 };
  });
}
function recallOf(index, probes) {
  let found = 0;
  let wanted = 0;
  for (const probe of probes) {
    wanted += probe.found;
    const { similarities } = index.search(probe.query, RECALL_AT);
    found += similarities.filter((similarity2) => similarity2 >= probe.last - ROUNDING).length;
  }
  return found / wanted;
}
function inPrivateFolder(parent, work) {
  let folder;
  try {
    folder = mkdtempSync(join7(parent, "aisle-hnsw-"));
  } catch (cause) {
    throw new Unavailable("There is no room for a temporary folder", void 0, { cause });
  }
  try {
    return work(join7(folder, "index"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
function checkVectors(vectors, dimensions) {
  if (!Number.isInteger(dimensions) || dimensions < 0) throw new RangeError("dimensions must be a whole number from 0");
  if (dimensions === 0 ? vectors.length > 0 : vectors.length % dimensions !== 0)
    throw new RangeError("vectors must hold dimensions numbers each");
  for (let from = 0; from < vectors.length; from += dimensions) {
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += vectors[from + d] ** 2;
    if (!(Math.abs(squares - 1) < 1e-3)) throw new RangeError("each of vectors must have length 1");
  }
}
function checkParams({ m, efConstruction, efSearch, seed }) {
  for (const [name, value, least] of [
    ["m", m, 2],
    ["efConstruction", efConstruction, 1],
    ["efSearch", efSearch, 1],
    ["seed", seed, 0]
  ]) {
    if (!Number.isInteger(value) || value < least || value > 4294967295)
      throw new RangeError(`${name} must be a whole number from ${least}`);
  }
}

// src/adapters/metrics/prometheus.ts
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

// src/adapters/metrics/names.ts
var OPERATIONS = ["subscription_status", "trace", "recommend"];
var SOURCES2 = ["association_rules", "semantic", "collaborative", "cart", "popularity"];
var STATUSES = ["200", "204", "400", "403", "404", "405", "408", "413", "415", "422", "429", "431", "500", "503"];
var SERVICES = [
  "aisle.v1.AppService",
  "aisle.v1.CatalogService",
  "aisle.v1.EventService",
  "aisle.v1.ModelService",
  "aisle.v1.RecommendationService",
  "aisle.v1.SubscriptionService",
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection"
];
var CODES = [
  "ok",
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated"
];
var TABLES = [
  "apps",
  "frames",
  "events",
  "idempotency",
  "idempotencyTimes",
  "rejectedEvents",
  "rejectedLogs",
  "visitors",
  "visitorKeys",
  "interactions",
  "contacts",
  "contactKeys",
  "changes",
  "contactChanges",
  "products",
  "productSkus",
  "orders",
  "models",
  "pointers",
  "activity",
  "removals",
  "leases",
  "productLog",
  "productHeads"
];
var COUNTERS = {
  events_stored: { help: "Events stored, each after it was on disk" },
  events_deduplicated: { help: "Events not stored again because their idempotency key was known" },
  rejected_events_kept: { help: "Refused events kept in the log of their app" },
  rejected_events_dropped: {
    help: "Refused events not kept: too large, too many at a time, or the store took no more",
    labels: { reason: ["size", "rate", "store"] }
  },
  events_of_bots: { help: "Events of robots among those stored" },
  facade_requests: {
    help: "Requests answered by the REST facade",
    labels: { operation: OPERATIONS, status: STATUSES }
  },
  facade_form_dropped: {
    help: "Form fields dropped for the limits of the trace endpoint: too many fields, or too large a value",
    labels: { reason: ["fields", "value_size"] }
  },
  recommend_unknown_frames: { help: "Requests that named a frame configuration their app does not have" },
  models_read_in_part: {
    help: "Models of another version of Aisle loaded without the parts this one cannot read, until their next training"
  },
  recommend_history_failures: {
    help: "Answers made without the visitor's stored history because it could not be read"
  },
  recommend_frame_failures: { help: "Frame configurations taken for the default one because they could not be read" },
  app_copies_used: { help: "Calls answered by a remembered app or frame because the store did not answer" },
  recommend_source_failures: {
    help: "Sources of candidates left out of an answer because they failed",
    labels: { source: SOURCES2 }
  },
  rpc_calls: { help: "RPCs ended, by service and code", labels: { service: SERVICES, code: CODES } },
  store_works: { help: "Units of work committed" },
  store_works_refused: { help: "Units of work refused because too many waited" },
  store_commits: { help: "Commits of a MongoDB store, each of all works that gathered during the one before" },
  store_commits_overtaken: { help: "Commits begun again because another server wrote the same records first" },
  store_commits_completed: { help: "Commits that an interrupted server left behind and this one completed" },
  store_watch_failed: { help: "Looks for what other processes wrote that failed and are tried again" },
  store_commits_failed: { help: "Commits that failed; the store refuses writes from the first one on" },
  store_upkeep_failed: { help: "Clean-ups of the store that failed and are tried again" },
  store_watchers_failed: { help: "Listeners for changed products that failed" },
  store_damaged_values: {
    help: "Stored values refused because their checksum or format does not match",
    labels: { table: TABLES }
  }
};
var DURATIONS = {
  facade_request_ms: { help: "Time from a request's arrival to its answer", labels: { operation: OPERATIONS } },
  rpc_call_ms: { help: "Time from an RPC's arrival to its end", labels: { service: SERVICES } },
  store_commit: { help: "Time of a commit, with its sync to disk" }
};

// src/adapters/metrics/prometheus.ts
var BUCKETS = [1e-4, 25e-5, 5e-4, 1e-3, 25e-4, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
function createPrometheusMetrics(options = {}) {
  const registry = new Registry();
  if (options.process ?? true) collectDefaultMetrics({ register: registry });
  const undeclared = new Counter({
    name: "aisle_metrics_undeclared_total",
    help: "Counts and durations that came under a name nobody declared",
    registers: [registry]
  });
  const counters = byName(COUNTERS, (name, definition) => {
    const metric = { name: `aisle_${name}_total`, help: definition.help, registers: [registry] };
    const labelNames = Object.keys(definition.labels ?? {});
    const counter = new Counter({ ...metric, labelNames });
    return (by, labels) => counter.inc(listed(definition, labels), by);
  });
  const durations = byName(DURATIONS, (name, definition) => {
    const metric = { name: `aisle_${name.replace(/_ms$/, "")}_seconds`, help: definition.help, registers: [registry] };
    const labelNames = Object.keys(definition.labels ?? {});
    const histogram = new Histogram({ ...metric, labelNames, buckets: BUCKETS });
    return (ms, labels) => histogram.observe(listed(definition, labels), ms / 1e3);
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    count(name, labels, by = 1) {
      const add = counters.get(name);
      if (add === void 0 || !(by >= 0) || by === Number.POSITIVE_INFINITY) undeclared.inc();
      else add(by, labels);
    },
    observe(name, ms, labels) {
      const add = durations.get(name);
      if (add === void 0 || !Number.isFinite(ms)) undeclared.inc();
      else add(Math.max(0, ms), labels);
    }
  };
}
function byName(definitions, make) {
  return new Map(Object.entries(definitions).map(([name, definition]) => [name, make(name, definition)]));
}
function listed(definition, labels) {
  const shown = {};
  for (const [label, values2] of Object.entries(definition.labels ?? {})) {
    const value = labels?.[label];
    shown[label] = value !== void 0 && values2.includes(value) ? value : "other";
  }
  return shown;
}

// src/app-copies.ts
var COPY_MS = 1e3;
var MAX_COPIES = 1e4;
function withCopies(apps, deps) {
  const appCopies = new Copies(deps, false);
  const frameCopies = new Copies(deps, true);
  const changing = async (forget, write2) => {
    try {
      return await write2();
    } finally {
      forget();
    }
  };
  const frameKey = (appId, frameId) => `${appId}\0${frameId}`;
  return {
    ...apps,
    get: (appId) => appCopies.get(appId, () => apps.get(appId)),
    getFrame: (appId, frameId) => frameCopies.get(frameKey(appId, frameId), () => apps.getFrame(appId, frameId)),
    create: (app) => changing(
      () => appCopies.forget(app.appId),
      () => apps.create(app)
    ),
    update: (app) => changing(
      () => appCopies.forget(app.appId),
      () => apps.update(app)
    ),
    delete: (appId) => {
      const forget = () => {
        appCopies.forget(appId);
        frameCopies.forgetAll();
      };
      return changing(forget, () => apps.delete(appId));
    },
    putFrame: (appId, frame) => changing(
      () => frameCopies.forget(frameKey(appId, frame.frameId)),
      () => apps.putFrame(appId, frame)
    ),
    deleteFrame: (appId, frameId) => changing(
      () => frameCopies.forget(frameKey(appId, frameId)),
      () => apps.deleteFrame(appId, frameId)
    )
  };
}
var Copies = class {
  constructor(deps, keepsAbsent) {
    this.deps = deps;
    this.keepsAbsent = keepsAbsent;
  }
  deps;
  keepsAbsent;
  /** In order of use, the oldest first. */
  copies = /* @__PURE__ */ new Map();
  async get(key, read) {
    const copy2 = this.used(key);
    const { known: known2 } = copy2;
    if (known2 !== void 0 && this.deps.monotonicNow() - known2.readAt < COPY_MS) return known2.value;
    if (known2 === void 0) return this.deps.patience.waitLong(() => this.read(key, copy2, read));
    try {
      return await this.deps.patience.wait(() => this.read(key, copy2, read));
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.deps.metrics.count("app_copies_used");
      return known2.value;
    }
  }
  forget(key) {
    this.copies.delete(key);
  }
  forgetAll() {
    this.copies.clear();
  }
  /** Callers at the same time share one read. What it finds is not kept when it was forgotten meanwhile. */
  read(key, copy2, read) {
    if (copy2.reading !== void 0) return copy2.reading;
    const readAt = this.deps.monotonicNow();
    const reading = read();
    copy2.reading = reading;
    const ended = () => {
      copy2.reading = void 0;
    };
    reading.then((value) => {
      ended();
      copy2.known = { value, readAt };
      if (value === void 0 && !this.keepsAbsent && this.copies.get(key) === copy2) this.copies.delete(key);
    }, ended);
    return reading;
  }
  used(key) {
    const copy2 = this.copies.get(key) ?? { known: void 0, reading: void 0 };
    this.copies.delete(key);
    this.copies.set(key, copy2);
    if (this.copies.size > MAX_COPIES) {
      for (const oldest of this.copies.keys()) if (this.copies.delete(oldest)) break;
    }
    return copy2;
  }
};

// src/catalog/catalog-view.ts
function createCatalogViews(products) {
  const entries = /* @__PURE__ */ new Map();
  const open4 = (appId) => {
    const entry = new KeptCatalog(
      () => products.scan(appId),
      (listener) => products.watch(appId, listener),
      () => {
        if (entries.get(appId) === entry) entries.delete(appId);
      }
    );
    return entry;
  };
  return {
    of(appId) {
      let entry = entries.get(appId);
      if (entry === void 0) {
        entry = open4(appId);
        entries.set(appId, entry);
      }
      return entry.current;
    },
    loaded: (appId) => entries.get(appId)?.view,
    forget(appId) {
      entries.get(appId)?.stop();
      entries.delete(appId);
    },
    close() {
      for (const entry of entries.values()) entry.stop();
      entries.clear();
    }
  };
}
var KeptCatalog = class {
  constructor(scan, watch, onFailed) {
    this.scan = scan;
    this.onFailed = onFailed;
    this.stop = watch((changes) => {
      for (const change of changes) this.take(change);
    });
    this.current = this.load();
  }
  scan;
  onFailed;
  /** The view to answer from; pending only until the first one is loaded. */
  current;
  view;
  stop;
  /** The view that is being read, and what was written meanwhile: there the later state stands. */
  loading;
  take(change) {
    if ("reload" in change) {
      const loading = this.load();
      if (this.view === void 0) this.current = loading;
      return;
    }
    for (const view of [this.view, this.loading?.view]) {
      if ("put" in change) view?.put(change.put);
      else view?.remove(change.removed);
    }
    this.loading?.written.add("put" in change ? change.put.productId : change.removed);
  }
  /** A load that begins while another is under way takes its place. A failed one leaves nothing stale behind. */
  load() {
    const loading = { view: new MemoryCatalog(), written: /* @__PURE__ */ new Set() };
    this.loading = loading;
    const read = async () => {
      for await (const batch of this.scan()) {
        if (this.loading !== loading) return this.current;
        for (const product of batch) if (!loading.written.has(product.productId)) loading.view.put(product);
      }
      if (this.loading !== loading) return this.current;
      this.loading = void 0;
      this.view = loading.view;
      this.current = Promise.resolve(loading.view);
      return loading.view;
    };
    const loaded = read();
    loaded.catch(() => {
      if (this.loading !== loading) return;
      this.stop();
      this.onFailed();
    });
    return loaded;
  }
};
var MemoryCatalog = class {
  #products = /* @__PURE__ */ new Map();
  #skus = /* @__PURE__ */ new Map();
  #groups = /* @__PURE__ */ new Map();
  #titled = 0;
  get size() {
    return this.#products.size;
  }
  get hasTitles() {
    return this.#titled > 0;
  }
  get(productId) {
    return this.#products.get(productId);
  }
  idOfSku(sku) {
    return this.#skus.get(sku);
  }
  group(groupId) {
    return this.#groups.get(groupId);
  }
  products() {
    return this.#products.values();
  }
  put(product) {
    this.remove(product.productId);
    this.#products.set(product.productId, product);
    if (product.title !== "") this.#titled++;
    if (product.sku !== "") this.#skus.set(product.sku, product.productId);
    for (const groupId of groupsOf(product)) {
      const group = this.#groups.get(groupId);
      if (group === void 0) this.#groups.set(groupId, /* @__PURE__ */ new Set([product.productId]));
      else group.add(product.productId);
    }
  }
  remove(productId) {
    const product = this.#products.get(productId);
    if (product === void 0) return;
    this.#products.delete(productId);
    if (product.title !== "") this.#titled--;
    if (this.#skus.get(product.sku) === productId) this.#skus.delete(product.sku);
    for (const groupId of groupsOf(product)) {
      const group = this.#groups.get(groupId);
      group?.delete(productId);
      if (group?.size === 0) this.#groups.delete(groupId);
    }
  }
};
function groupsOf(product) {
  return /* @__PURE__ */ new Set([...product.categories.map((category) => category.categoryId), ...product.tags]);
}

// src/ports/effect.ts
var NO_OUTCOME = { visitorChanged: false, notes: [] };

// src/catalog/learn-products.ts
var learnProducts = (tx, event) => {
  let changed = false;
  for (const seen of event.products) {
    const before = tx.products.get(seen.productId);
    if (before?.origin === "catalog") continue;
    const after2 = learned(before, seen, event.receivedAt);
    if (before !== void 0 && sameProduct(before, after2)) continue;
    tx.products.put(after2.productId, after2);
    changed = true;
  }
  if (changed) tx.markChanged();
  return NO_OUTCOME;
};
function learned(before, seen, at) {
  return {
    productId: seen.productId,
    sku: seen.sku || before?.sku || "",
    variantGroupId: before?.variantGroupId ?? "",
    title: seen.title || before?.title || "",
    description: before?.description ?? "",
    categories: seen.categories.length > 0 ? seen.categories : before?.categories ?? [],
    brand: seen.brandName || seen.brandId || before?.brand || "",
    price: seen.price.amount === "" ? before?.price ?? seen.price : seen.price,
    url: seen.url || before?.url || "",
    imageUrl: seen.imageUrl || before?.imageUrl || "",
    available: seen.available ?? before?.available ?? true,
    hidden: before?.hidden ?? false,
    tags: before?.tags ?? [],
    attributes: before?.attributes ?? {},
    origin: "event",
    updatedAt: at
  };
}
function sameProduct(a, b) {
  return a.sku === b.sku && a.title === b.title && a.brand === b.brand && a.price.amount === b.price.amount && a.price.currency === b.price.currency && a.url === b.url && a.imageUrl === b.imageUrl && a.available === b.available && a.categories.length === b.categories.length && a.categories.every(
    ({ categoryId, name }, index) => categoryId === b.categories[index]?.categoryId && name === b.categories[index]?.name
  );
}

// src/domain/ids.ts
var MAX_ID_BYTES = 255;
var CONTROL = /\p{Cc}/u;
var APP_ID = /^[A-Za-z0-9_-]{1,64}$/;
function isAppId(text3) {
  return APP_ID.test(text3);
}
function cleanId(text3) {
  if (text3.length === 0 || text3.length > MAX_ID_BYTES || CONTROL.test(text3)) return "";
  return text3.length * 3 <= MAX_ID_BYTES || Buffer.byteLength(text3) <= MAX_ID_BYTES ? text3 : "";
}

// src/domain/money.ts
var NO_MONEY = { amount: "", currency: "" };
var DECIMAL = /^-?\d{1,18}(\.\d{1,9})?$/;
function isDecimal(text3) {
  return DECIMAL.test(text3);
}

// src/domain/product.ts
function isShown(product) {
  return product.available && !product.hidden;
}
function webUrl(text3) {
  const trimmed = text3.trim();
  if (!/^https?:\/\//i.test(trimmed) || trimmed.length > 2048 || !URL.canParse(trimmed)) return "";
  return trimmed;
}

// src/catalog/write-products.ts
var MAX_TITLE = 1024;
var MAX_DESCRIPTION = 32768;
var MAX_LISTED = 100;
function createUpsertProducts(deps) {
  return async (appId, drafts) => {
    const refused = [];
    const products = [];
    const at = deps.now();
    for (const [index, draft] of drafts.entries()) {
      try {
        products.push({ ...checkProduct(draft), origin: "catalog", updatedAt: at });
      } catch (error) {
        if (!(error instanceof InvalidArgument)) throw error;
        const reason = error.fault === "missing" ? "is missing" : `is not accepted: ${error.accepted}`;
        refused.push({ index, field: error.field, reason });
      }
    }
    await deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() === void 0) throw new NotFound("app");
      for (const product of products) tx.products.put(product.productId, product);
      if (products.length > 0) tx.markChanged();
    });
    return refused;
  };
}
function createDeleteProduct(deps) {
  return (appId, productId) => deps.unitOfWork.run(appId, (tx) => {
    if (tx.app() === void 0) throw new NotFound("app");
    if (tx.products.get(productId) === void 0) return;
    tx.products.delete(productId);
    tx.markChanged();
  });
}
function checkProduct(draft) {
  if (draft.productId === "") throw new InvalidArgument("product_id", "missing");
  id("product_id", draft.productId);
  id("sku", draft.sku);
  id("variant_group_id", draft.variantGroupId);
  text2("title", draft.title, MAX_TITLE);
  text2("description", draft.description, MAX_DESCRIPTION);
  text2("brand", draft.brand, MAX_TITLE);
  for (const category of draft.categories) {
    if (category.categoryId === "") throw new InvalidArgument("categories", "invalid", "each category has an id");
    id("categories", category.categoryId);
  }
  for (const tag of draft.tags) id("tags", tag);
  if (draft.categories.length > MAX_LISTED || draft.tags.length > MAX_LISTED)
    throw new InvalidArgument(draft.tags.length > MAX_LISTED ? "tags" : "categories", "invalid", "at most 100");
  if (draft.price.amount !== "" && !isDecimal(draft.price.amount))
    throw new InvalidArgument("price.amount", "invalid", "decimal text with a dot, for example 149.99");
  if (draft.url !== "" && webUrl(draft.url) === "") throw new InvalidArgument("url", "invalid", "an http or https URL");
  if (draft.imageUrl !== "" && webUrl(draft.imageUrl) === "")
    throw new InvalidArgument("image_url", "invalid", "an http or https URL");
  if (Object.keys(draft.attributes).length > MAX_LISTED)
    throw new InvalidArgument("attributes", "invalid", "at most 100");
  return draft;
}
function id(field, value) {
  if (value !== "" && cleanId(value) === "")
    throw new InvalidArgument(field, "invalid", "at most 255 bytes without control characters");
}
function text2(field, value, length) {
  if (value.length > length) throw new InvalidArgument(field, "invalid", `at most ${length} characters`);
}

// src/evaluation/evaluator.ts
function createEvaluator(deps) {
  let running = false;
  return async (query, onProgress, signal) => {
    if (await deps.apps.get(query.appId) === void 0) throw new NotFound("app");
    if (running) throw new Conflict("aborted", "An evaluation is under way");
    running = true;
    try {
      return await deps.runEvaluation(query, onProgress, signal);
    } finally {
      running = false;
    }
  };
}

// src/gen/aisle/v1/app_service_pb.ts
import { fileDesc as fileDesc2, messageDesc as messageDesc2, serviceDesc } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/app_pb.ts
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_app = /* @__PURE__ */ fileDesc("ChJhaXNsZS92MS9hcHAucHJvdG8SCGFpc2xlLnYxIqQBCgNBcHASDgoGYXBwX2lkGAEgASgJEhQKDGRpc3BsYXlfbmFtZRgCIAEoCRIXCg9hbGxvd2VkX29yaWdpbnMYAyADKAkSLgoKY3JlYXRlZF9hdBgEIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASLgoKdXBkYXRlZF9hdBgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXAi3gEKEkZyYW1lQ29uZmlndXJhdGlvbhIQCghmcmFtZV9pZBgBIAEoCRINCgV0aXRsZRgCIAEoCRIZChFyZWNvbW1lbmRlZF9jb3VudBgDIAEoDRIZChFhbHRlcm5hdGl2ZV9jb3VudBgEIAEoDRIWCg5pbmNsdWRlX3ZpZXdlZBgFIAEoCBIWCg5pbmNsdWRlX2JvdWdodBgGIAEoCBIuCgp1cGRhdGVkX2F0GAcgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcBIRCglkaXZlcnNpdHkYCCABKAFiBnByb3RvMw", [file_google_protobuf_timestamp]);

// src/gen/aisle/v1/app_service_pb.ts
var file_aisle_v1_app_service = /* @__PURE__ */ fileDesc2("ChphaXNsZS92MS9hcHBfc2VydmljZS5wcm90bxIIYWlzbGUudjEiLgoQQ3JlYXRlQXBwUmVxdWVzdBIaCgNhcHAYASABKAsyDS5haXNsZS52MS5BcHAiLwoRQ3JlYXRlQXBwUmVzcG9uc2USGgoDYXBwGAEgASgLMg0uYWlzbGUudjEuQXBwIh8KDUdldEFwcFJlcXVlc3QSDgoGYXBwX2lkGAEgASgJIiwKDkdldEFwcFJlc3BvbnNlEhoKA2FwcBgBIAEoCzINLmFpc2xlLnYxLkFwcCI4Cg9MaXN0QXBwc1JlcXVlc3QSEQoJcGFnZV9zaXplGAEgASgNEhIKCnBhZ2VfdG9rZW4YAiABKAkiSAoQTGlzdEFwcHNSZXNwb25zZRIbCgRhcHBzGAEgAygLMg0uYWlzbGUudjEuQXBwEhcKD25leHRfcGFnZV90b2tlbhgCIAEoCSIuChBVcGRhdGVBcHBSZXF1ZXN0EhoKA2FwcBgBIAEoCzINLmFpc2xlLnYxLkFwcCIvChFVcGRhdGVBcHBSZXNwb25zZRIaCgNhcHAYASABKAsyDS5haXNsZS52MS5BcHAiIgoQRGVsZXRlQXBwUmVxdWVzdBIOCgZhcHBfaWQYASABKAkiEwoRRGVsZXRlQXBwUmVzcG9uc2UiQAocR2V0RnJhbWVDb25maWd1cmF0aW9uUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSEAoIZnJhbWVfaWQYAiABKAkiWgodR2V0RnJhbWVDb25maWd1cmF0aW9uUmVzcG9uc2USOQoTZnJhbWVfY29uZmlndXJhdGlvbhgBIAEoCzIcLmFpc2xlLnYxLkZyYW1lQ29uZmlndXJhdGlvbiJXCh5MaXN0RnJhbWVDb25maWd1cmF0aW9uc1JlcXVlc3QSDgoGYXBwX2lkGAEgASgJEhEKCXBhZ2Vfc2l6ZRgCIAEoDRISCgpwYWdlX3Rva2VuGAMgASgJInYKH0xpc3RGcmFtZUNvbmZpZ3VyYXRpb25zUmVzcG9uc2USOgoUZnJhbWVfY29uZmlndXJhdGlvbnMYASADKAsyHC5haXNsZS52MS5GcmFtZUNvbmZpZ3VyYXRpb24SFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJImkKHFNldEZyYW1lQ29uZmlndXJhdGlvblJlcXVlc3QSDgoGYXBwX2lkGAEgASgJEjkKE2ZyYW1lX2NvbmZpZ3VyYXRpb24YAiABKAsyHC5haXNsZS52MS5GcmFtZUNvbmZpZ3VyYXRpb24iWgodU2V0RnJhbWVDb25maWd1cmF0aW9uUmVzcG9uc2USOQoTZnJhbWVfY29uZmlndXJhdGlvbhgBIAEoCzIcLmFpc2xlLnYxLkZyYW1lQ29uZmlndXJhdGlvbiJDCh9EZWxldGVGcmFtZUNvbmZpZ3VyYXRpb25SZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRIQCghmcmFtZV9pZBgCIAEoCSIiCiBEZWxldGVGcmFtZUNvbmZpZ3VyYXRpb25SZXNwb25zZTKzBgoKQXBwU2VydmljZRJGCglDcmVhdGVBcHASGi5haXNsZS52MS5DcmVhdGVBcHBSZXF1ZXN0GhsuYWlzbGUudjEuQ3JlYXRlQXBwUmVzcG9uc2UiABJACgZHZXRBcHASFy5haXNsZS52MS5HZXRBcHBSZXF1ZXN0GhguYWlzbGUudjEuR2V0QXBwUmVzcG9uc2UiA5ACARJGCghMaXN0QXBwcxIZLmFpc2xlLnYxLkxpc3RBcHBzUmVxdWVzdBoaLmFpc2xlLnYxLkxpc3RBcHBzUmVzcG9uc2UiA5ACARJGCglVcGRhdGVBcHASGi5haXNsZS52MS5VcGRhdGVBcHBSZXF1ZXN0GhsuYWlzbGUudjEuVXBkYXRlQXBwUmVzcG9uc2UiABJGCglEZWxldGVBcHASGi5haXNsZS52MS5EZWxldGVBcHBSZXF1ZXN0GhsuYWlzbGUudjEuRGVsZXRlQXBwUmVzcG9uc2UiABJtChVHZXRGcmFtZUNvbmZpZ3VyYXRpb24SJi5haXNsZS52MS5HZXRGcmFtZUNvbmZpZ3VyYXRpb25SZXF1ZXN0GicuYWlzbGUudjEuR2V0RnJhbWVDb25maWd1cmF0aW9uUmVzcG9uc2UiA5ACARJzChdMaXN0RnJhbWVDb25maWd1cmF0aW9ucxIoLmFpc2xlLnYxLkxpc3RGcmFtZUNvbmZpZ3VyYXRpb25zUmVxdWVzdBopLmFpc2xlLnYxLkxpc3RGcmFtZUNvbmZpZ3VyYXRpb25zUmVzcG9uc2UiA5ACARJqChVTZXRGcmFtZUNvbmZpZ3VyYXRpb24SJi5haXNsZS52MS5TZXRGcmFtZUNvbmZpZ3VyYXRpb25SZXF1ZXN0GicuYWlzbGUudjEuU2V0RnJhbWVDb25maWd1cmF0aW9uUmVzcG9uc2UiABJzChhEZWxldGVGcmFtZUNvbmZpZ3VyYXRpb24SKS5haXNsZS52MS5EZWxldGVGcmFtZUNvbmZpZ3VyYXRpb25SZXF1ZXN0GiouYWlzbGUudjEuRGVsZXRlRnJhbWVDb25maWd1cmF0aW9uUmVzcG9uc2UiAGIGcHJvdG8z", [file_aisle_v1_app]);
var AppService = /* @__PURE__ */ serviceDesc(file_aisle_v1_app_service, 0);

// src/gen/aisle/v1/catalog_service_pb.ts
import { fileDesc as fileDesc6, messageDesc as messageDesc6, serviceDesc as serviceDesc2 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/product_pb.ts
import { enumDesc, fileDesc as fileDesc4, messageDesc as messageDesc4 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/money_pb.ts
import { fileDesc as fileDesc3, messageDesc as messageDesc3 } from "@bufbuild/protobuf/codegenv2";
var file_aisle_v1_money = /* @__PURE__ */ fileDesc3("ChRhaXNsZS92MS9tb25leS5wcm90bxIIYWlzbGUudjEiKQoFTW9uZXkSDgoGYW1vdW50GAEgASgJEhAKCGN1cnJlbmN5GAIgASgJYgZwcm90bzM");

// src/gen/aisle/v1/product_pb.ts
import { file_google_protobuf_timestamp as file_google_protobuf_timestamp2 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_product = /* @__PURE__ */ fileDesc4("ChZhaXNsZS92MS9wcm9kdWN0LnByb3RvEghhaXNsZS52MSL1AwoHUHJvZHVjdBISCgpwcm9kdWN0X2lkGAEgASgJEgsKA3NrdRgCIAEoCRIYChB2YXJpYW50X2dyb3VwX2lkGAMgASgJEg0KBXRpdGxlGAQgASgJEhMKC2Rlc2NyaXB0aW9uGAUgASgJEi0KCmNhdGVnb3JpZXMYBiADKAsyGS5haXNsZS52MS5Qcm9kdWN0Q2F0ZWdvcnkSDQoFYnJhbmQYByABKAkSHgoFcHJpY2UYCCABKAsyDy5haXNsZS52MS5Nb25leRILCgN1cmwYCSABKAkSEQoJaW1hZ2VfdXJsGAogASgJEiwKDGF2YWlsYWJpbGl0eRgLIAEoDjIWLmFpc2xlLnYxLkF2YWlsYWJpbGl0eRIOCgZoaWRkZW4YDCABKAgSDAoEdGFncxgNIAMoCRI1CgphdHRyaWJ1dGVzGA4gAygLMiEuYWlzbGUudjEuUHJvZHVjdC5BdHRyaWJ1dGVzRW50cnkSJwoGb3JpZ2luGA8gASgOMhcuYWlzbGUudjEuUHJvZHVjdE9yaWdpbhIuCgp1cGRhdGVkX2F0GBAgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcBoxCg9BdHRyaWJ1dGVzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASI0Cg9Qcm9kdWN0Q2F0ZWdvcnkSEwoLY2F0ZWdvcnlfaWQYASABKAkSDAoEbmFtZRgCIAEoCSplCg1Qcm9kdWN0T3JpZ2luEh4KGlBST0RVQ1RfT1JJR0lOX1VOU1BFQ0lGSUVEEAASGgoWUFJPRFVDVF9PUklHSU5fQ0FUQUxPRxABEhgKFFBST0RVQ1RfT1JJR0lOX0VWRU5UEAIqZgoMQXZhaWxhYmlsaXR5EhwKGEFWQUlMQUJJTElUWV9VTlNQRUNJRklFRBAAEhkKFUFWQUlMQUJJTElUWV9JTl9TVE9DSxABEh0KGUFWQUlMQUJJTElUWV9PVVRfT0ZfU1RPQ0sQAmIGcHJvdG8z", [file_aisle_v1_money, file_google_protobuf_timestamp2]);

// src/gen/aisle/v1/refused_item_pb.ts
import { fileDesc as fileDesc5, messageDesc as messageDesc5 } from "@bufbuild/protobuf/codegenv2";
var file_aisle_v1_refused_item = /* @__PURE__ */ fileDesc5("ChthaXNsZS92MS9yZWZ1c2VkX2l0ZW0ucHJvdG8SCGFpc2xlLnYxIjsKC1JlZnVzZWRJdGVtEg0KBWluZGV4GAEgASgEEg0KBWZpZWxkGAIgASgJEg4KBnJlYXNvbhgDIAEoCWIGcHJvdG8z");

// src/gen/aisle/v1/catalog_service_pb.ts
var file_aisle_v1_catalog_service = /* @__PURE__ */ fileDesc6("Ch5haXNsZS92MS9jYXRhbG9nX3NlcnZpY2UucHJvdG8SCGFpc2xlLnYxIkwKFVVwc2VydFByb2R1Y3RzUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSIwoIcHJvZHVjdHMYAiADKAsyES5haXNsZS52MS5Qcm9kdWN0ImkKFlVwc2VydFByb2R1Y3RzUmVzcG9uc2USEAoIYWNjZXB0ZWQYASABKAQSJgoHcmVmdXNlZBgCIAMoCzIVLmFpc2xlLnYxLlJlZnVzZWRJdGVtEhUKDXJlZnVzZWRfY291bnQYAyABKAQiRAoRR2V0UHJvZHVjdFJlcXVlc3QSDgoGYXBwX2lkGAEgASgJEhIKCnByb2R1Y3RfaWQYAiABKAkSCwoDc2t1GAMgASgJIjgKEkdldFByb2R1Y3RSZXNwb25zZRIiCgdwcm9kdWN0GAEgASgLMhEuYWlzbGUudjEuUHJvZHVjdCJMChNMaXN0UHJvZHVjdHNSZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRIRCglwYWdlX3NpemUYAiABKA0SEgoKcGFnZV90b2tlbhgDIAEoCSJUChRMaXN0UHJvZHVjdHNSZXNwb25zZRIjCghwcm9kdWN0cxgBIAMoCzIRLmFpc2xlLnYxLlByb2R1Y3QSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJIjoKFERlbGV0ZVByb2R1Y3RSZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRISCgpwcm9kdWN0X2lkGAIgASgJIhcKFURlbGV0ZVByb2R1Y3RSZXNwb25zZTLfAgoOQ2F0YWxvZ1NlcnZpY2USVwoOVXBzZXJ0UHJvZHVjdHMSHy5haXNsZS52MS5VcHNlcnRQcm9kdWN0c1JlcXVlc3QaIC5haXNsZS52MS5VcHNlcnRQcm9kdWN0c1Jlc3BvbnNlIgAoARJMCgpHZXRQcm9kdWN0EhsuYWlzbGUudjEuR2V0UHJvZHVjdFJlcXVlc3QaHC5haXNsZS52MS5HZXRQcm9kdWN0UmVzcG9uc2UiA5ACARJSCgxMaXN0UHJvZHVjdHMSHS5haXNsZS52MS5MaXN0UHJvZHVjdHNSZXF1ZXN0Gh4uYWlzbGUudjEuTGlzdFByb2R1Y3RzUmVzcG9uc2UiA5ACARJSCg1EZWxldGVQcm9kdWN0Eh4uYWlzbGUudjEuRGVsZXRlUHJvZHVjdFJlcXVlc3QaHy5haXNsZS52MS5EZWxldGVQcm9kdWN0UmVzcG9uc2UiAGIGcHJvdG8z", [file_aisle_v1_product, file_aisle_v1_refused_item]);
var CatalogService = /* @__PURE__ */ serviceDesc2(file_aisle_v1_catalog_service, 0);

// src/gen/aisle/v1/event_service_pb.ts
import { fileDesc as fileDesc9, messageDesc as messageDesc9, serviceDesc as serviceDesc3 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/event_pb.ts
import { enumDesc as enumDesc2, fileDesc as fileDesc8, messageDesc as messageDesc8 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/visitor_pb.ts
import { fileDesc as fileDesc7, messageDesc as messageDesc7 } from "@bufbuild/protobuf/codegenv2";
var file_aisle_v1_visitor = /* @__PURE__ */ fileDesc7("ChZhaXNsZS92MS92aXNpdG9yLnByb3RvEghhaXNsZS52MSJICgpWaXNpdG9ySWRzEhEKCWNsaWVudF9pZBgBIAEoCRIWCg5maW5nZXJwcmludF9pZBgCIAEoCRIPCgd1c2VyX2lkGAMgASgJYgZwcm90bzM");

// src/gen/aisle/v1/event_pb.ts
import { file_google_protobuf_timestamp as file_google_protobuf_timestamp3 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_event = /* @__PURE__ */ fileDesc8("ChRhaXNsZS92MS9ldmVudC5wcm90bxIIYWlzbGUudjEi6QQKBUV2ZW50EhAKCGV2ZW50X2lkGAEgASgJEhMKC2FjdGlvbl90eXBlGAIgASgJEikKC3NlbmRlcl90eXBlGAMgASgOMhQuYWlzbGUudjEuU2VuZGVyVHlwZRIvCgtvY2N1cnJlZF9hdBgEIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASLwoLcmVjZWl2ZWRfYXQYBSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEiUKB3Zpc2l0b3IYBiABKAsyFC5haXNsZS52MS5WaXNpdG9ySWRzEicKB2NvbnRhY3QYByABKAsyFi5haXNsZS52MS5FdmVudENvbnRhY3QSKAoIcHJvZHVjdHMYCCADKAsyFi5haXNsZS52MS5FdmVudFByb2R1Y3QSKwoKY2F0ZWdvcmllcxgJIAMoCzIXLmFpc2xlLnYxLkV2ZW50Q2F0ZWdvcnkSIwoFb3JkZXIYCiABKAsyFC5haXNsZS52MS5FdmVudE9yZGVyEhQKDHNlYXJjaF9xdWVyeRgLIAEoCRIQCghwbGF0Zm9ybRgMIAEoCRIYChBwbGF0Zm9ybV92ZXJzaW9uGA0gASgJEhYKDnNlbmRlcl92ZXJzaW9uGA4gASgJEjYKDGV4dHJhX2ZpZWxkcxgPIAMoCzIgLmFpc2xlLnYxLkV2ZW50LkV4dHJhRmllbGRzRW50cnkSDQoFbm90ZXMYECADKAkSCwoDYm90GBEgASgIGjIKEEV4dHJhRmllbGRzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASKIAgoMRXZlbnRDb250YWN0Eg0KBWVtYWlsGAEgASgJEg0KBXBob25lGAIgASgJEhIKCmZpcnN0X25hbWUYAyABKAkSEQoJbGFzdF9uYW1lGAQgASgJEg8KB2NvdW50cnkYBSABKAkSDAoEY2l0eRgGIAEoCRIOCgZnZW5kZXIYByABKAkSEgoKYmlydGhfZGF0ZRgIIAEoCRIMCgR0YWdzGAkgAygJEh0KEGVtYWlsX3N1YnNjcmliZWQYCiABKAhIAIgBARIbCg5zbXNfc3Vic2NyaWJlZBgLIAEoCEgBiAEBQhMKEV9lbWFpbF9zdWJzY3JpYmVkQhEKD19zbXNfc3Vic2NyaWJlZCKdAgoMRXZlbnRQcm9kdWN0EhIKCnByb2R1Y3RfaWQYASABKAkSCwoDc2t1GAIgASgJEhIKCnZhcmlhbnRfaWQYAyABKAkSDQoFdGl0bGUYBCABKAkSEQoJaW1hZ2VfdXJsGAUgASgJEgsKA3VybBgGIAEoCRIQCghxdWFudGl0eRgHIAEoDRIWCglhdmFpbGFibGUYCCABKAhIAIgBARIrCgpjYXRlZ29yaWVzGAkgAygLMhcuYWlzbGUudjEuRXZlbnRDYXRlZ29yeRIQCghicmFuZF9pZBgKIAEoCRISCgpicmFuZF9uYW1lGAsgASgJEh4KBXByaWNlGAwgASgLMg8uYWlzbGUudjEuTW9uZXlCDAoKX2F2YWlsYWJsZSIyCg1FdmVudENhdGVnb3J5EhMKC2NhdGVnb3J5X2lkGAEgASgJEgwKBG5hbWUYAiABKAkihwEKCkV2ZW50T3JkZXISEAoIb3JkZXJfaWQYASABKAkSDgoGc3RhdHVzGAIgASgJEiAKB3BheW1lbnQYAyABKAsyDy5haXNsZS52MS5Nb25leRIlCgxiYXNlX3BheW1lbnQYBCABKAsyDy5haXNsZS52MS5Nb25leRIOCgZjb3Vwb24YBSABKAkqWgoKU2VuZGVyVHlwZRIbChdTRU5ERVJfVFlQRV9VTlNQRUNJRklFRBAAEhcKE1NFTkRFUl9UWVBFX0JST1dTRVIQARIWChJTRU5ERVJfVFlQRV9TRVJWRVIQAmIGcHJvdG8z", [file_aisle_v1_money, file_aisle_v1_visitor, file_google_protobuf_timestamp3]);
var EventSchema = /* @__PURE__ */ messageDesc8(file_aisle_v1_event, 0);

// src/gen/aisle/v1/event_service_pb.ts
import { file_google_protobuf_duration, file_google_protobuf_timestamp as file_google_protobuf_timestamp4 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_event_service = /* @__PURE__ */ fileDesc9("ChxhaXNsZS92MS9ldmVudF9zZXJ2aWNlLnByb3RvEghhaXNsZS52MSJdChJSZWNvcmRFdmVudFJlcXVlc3QSDgoGYXBwX2lkGAEgASgJEh4KBWV2ZW50GAIgASgLMg8uYWlzbGUudjEuRXZlbnQSFwoPaWRlbXBvdGVuY3lfa2V5GAMgASgJIpoBChNSZWNvcmRFdmVudFJlc3BvbnNlEhAKCGV2ZW50X2lkGAEgASgJEhQKDGRlZHVwbGljYXRlZBgCIAEoCBIXCg92aXNpdG9yX2NoYW5nZWQYAyABKAgSDQoFbm90ZXMYBCADKAkSMwoQc2VuZGVyX2FsbG93YW5jZRgFIAEoCzIZLmFpc2xlLnYxLlNlbmRlckFsbG93YW5jZSKOAQoPU2VuZGVyQWxsb3dhbmNlEg0KBWxpbWl0GAEgASgNEikKBndpbmRvdxgCIAEoCzIZLmdvb2dsZS5wcm90b2J1Zi5EdXJhdGlvbhIRCglyZW1haW5pbmcYAyABKA0SLgoLcmVzZXRfYWZ0ZXIYBCABKAsyGS5nb29nbGUucHJvdG9idWYuRHVyYXRpb24iYAoTUmVjb3JkRXZlbnRzUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSHwoGZXZlbnRzGAIgAygLMg8uYWlzbGUudjEuRXZlbnQSGAoQaWRlbXBvdGVuY3lfa2V5cxgDIAMoCSJ9ChRSZWNvcmRFdmVudHNSZXNwb25zZRIQCghhY2NlcHRlZBgBIAEoBBIUCgxkZWR1cGxpY2F0ZWQYAiABKAQSJgoHcmVmdXNlZBgDIAMoCzIVLmFpc2xlLnYxLlJlZnVzZWRJdGVtEhUKDXJlZnVzZWRfY291bnQYBCABKAQiMwoPR2V0RXZlbnRSZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRIQCghldmVudF9pZBgCIAEoCSIyChBHZXRFdmVudFJlc3BvbnNlEh4KBWV2ZW50GAEgASgLMg8uYWlzbGUudjEuRXZlbnQihwEKEUxpc3RFdmVudHNSZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRIRCglwYWdlX3NpemUYAiABKA0SEgoKcGFnZV90b2tlbhgDIAEoCRIUCgxuZXdlc3RfZmlyc3QYBCABKAgSJQoHdmlzaXRvchgFIAEoCzIULmFpc2xlLnYxLlZpc2l0b3JJZHMiTgoSTGlzdEV2ZW50c1Jlc3BvbnNlEh8KBmV2ZW50cxgBIAMoCzIPLmFpc2xlLnYxLkV2ZW50EhcKD25leHRfcGFnZV90b2tlbhgCIAEoCSLOAQoNUmVqZWN0ZWRFdmVudBIZChFyZWplY3RlZF9ldmVudF9pZBgBIAEoCRIvCgtyZWplY3RlZF9hdBgCIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASHgoFZXZlbnQYAyABKAsyDy5haXNsZS52MS5FdmVudBIXCg9pZGVtcG90ZW5jeV9rZXkYBCABKAkSDQoFZmllbGQYBSABKAkSDgoGcmVhc29uGAYgASgJEhkKEXJlcGxheWVkX2V2ZW50X2lkGAcgASgJIlIKGUxpc3RSZWplY3RlZEV2ZW50c1JlcXVlc3QSDgoGYXBwX2lkGAEgASgJEhEKCXBhZ2Vfc2l6ZRgCIAEoDRISCgpwYWdlX3Rva2VuGAMgASgJImcKGkxpc3RSZWplY3RlZEV2ZW50c1Jlc3BvbnNlEjAKD3JlamVjdGVkX2V2ZW50cxgBIAMoCzIXLmFpc2xlLnYxLlJlamVjdGVkRXZlbnQSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJInMKG1JlcGxheVJlamVjdGVkRXZlbnRzUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSGgoScmVqZWN0ZWRfZXZlbnRfaWRzGAIgAygJEigKD2NvcnJlY3RlZF9ldmVudBgDIAEoCzIPLmFpc2xlLnYxLkV2ZW50InMKHFJlcGxheVJlamVjdGVkRXZlbnRzUmVzcG9uc2USKQoIcmVwbGF5ZWQYASADKAsyFy5haXNsZS52MS5SZXBsYXllZEV2ZW50EigKB3JlZnVzZWQYAiADKAsyFy5haXNsZS52MS5SZWZ1c2VkUmVwbGF5ImEKDVJlcGxheWVkRXZlbnQSGQoRcmVqZWN0ZWRfZXZlbnRfaWQYASABKAkSEAoIZXZlbnRfaWQYAiABKAkSFAoMZGVkdXBsaWNhdGVkGAMgASgIEg0KBW5vdGVzGAQgAygJIkkKDVJlZnVzZWRSZXBsYXkSGQoRcmVqZWN0ZWRfZXZlbnRfaWQYASABKAkSDQoFZmllbGQYAiABKAkSDgoGcmVhc29uGAMgASgJMpQECgxFdmVudFNlcnZpY2USTAoLUmVjb3JkRXZlbnQSHC5haXNsZS52MS5SZWNvcmRFdmVudFJlcXVlc3QaHS5haXNsZS52MS5SZWNvcmRFdmVudFJlc3BvbnNlIgASUQoMUmVjb3JkRXZlbnRzEh0uYWlzbGUudjEuUmVjb3JkRXZlbnRzUmVxdWVzdBoeLmFpc2xlLnYxLlJlY29yZEV2ZW50c1Jlc3BvbnNlIgAoARJGCghHZXRFdmVudBIZLmFpc2xlLnYxLkdldEV2ZW50UmVxdWVzdBoaLmFpc2xlLnYxLkdldEV2ZW50UmVzcG9uc2UiA5ACARJMCgpMaXN0RXZlbnRzEhsuYWlzbGUudjEuTGlzdEV2ZW50c1JlcXVlc3QaHC5haXNsZS52MS5MaXN0RXZlbnRzUmVzcG9uc2UiA5ACARJkChJMaXN0UmVqZWN0ZWRFdmVudHMSIy5haXNsZS52MS5MaXN0UmVqZWN0ZWRFdmVudHNSZXF1ZXN0GiQuYWlzbGUudjEuTGlzdFJlamVjdGVkRXZlbnRzUmVzcG9uc2UiA5ACARJnChRSZXBsYXlSZWplY3RlZEV2ZW50cxIlLmFpc2xlLnYxLlJlcGxheVJlamVjdGVkRXZlbnRzUmVxdWVzdBomLmFpc2xlLnYxLlJlcGxheVJlamVjdGVkRXZlbnRzUmVzcG9uc2UiAGIGcHJvdG8z", [file_aisle_v1_event, file_aisle_v1_refused_item, file_aisle_v1_visitor, file_google_protobuf_duration, file_google_protobuf_timestamp4]);
var EventService = /* @__PURE__ */ serviceDesc3(file_aisle_v1_event_service, 0);

// src/gen/aisle/v1/model_service_pb.ts
import { fileDesc as fileDesc12, messageDesc as messageDesc12, serviceDesc as serviceDesc4 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/evaluation_pb.ts
import { enumDesc as enumDesc3, fileDesc as fileDesc11, messageDesc as messageDesc11 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/model_pb.ts
import { fileDesc as fileDesc10, messageDesc as messageDesc10 } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp as file_google_protobuf_timestamp5 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_model = /* @__PURE__ */ fileDesc10("ChRhaXNsZS92MS9tb2RlbC5wcm90bxIIYWlzbGUudjEi1wIKBU1vZGVsEhAKCG1vZGVsX2lkGAEgASgJEg8KB3ZlcnNpb24YAiABKAkSDgoGYWN0aXZlGAMgASgIEi4KCmNyZWF0ZWRfYXQYBCABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEisKB2N1dF9vZmYYBSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEhIKCnNpemVfYnl0ZXMYBiABKAQSEwoLdHJhaW5pbmdfbXMYByABKAQSNAoLZGF0YV9jb3VudHMYCCADKAsyHy5haXNsZS52MS5Nb2RlbC5EYXRhQ291bnRzRW50cnkSLAoKYWxnb3JpdGhtcxgJIAMoCzIYLmFpc2xlLnYxLk1vZGVsQWxnb3JpdGhtGjEKD0RhdGFDb3VudHNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAQ6AjgBIqIBCg5Nb2RlbEFsZ29yaXRobRIMCgRuYW1lGAEgASgJEhAKCGluY2x1ZGVkGAIgASgIEg4KBnJlYXNvbhgDIAEoCRIyCgVmYWN0cxgEIAMoCzIjLmFpc2xlLnYxLk1vZGVsQWxnb3JpdGhtLkZhY3RzRW50cnkaLAoKRmFjdHNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAE6AjgBYgZwcm90bzM", [file_google_protobuf_timestamp5]);

// src/gen/aisle/v1/evaluation_pb.ts
import { file_google_protobuf_timestamp as file_google_protobuf_timestamp6 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_evaluation = /* @__PURE__ */ fileDesc11("ChlhaXNsZS92MS9ldmFsdWF0aW9uLnByb3RvEghhaXNsZS52MSKLAgoKRXZhbHVhdGlvbhIrCgdjdXRfb2ZmGAEgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcBIMCgRzZWVkGAIgASgNEjkKC2RhdGFfY291bnRzGAMgAygLMiQuYWlzbGUudjEuRXZhbHVhdGlvbi5EYXRhQ291bnRzRW50cnkSJgoFdGFza3MYBCADKAsyFy5haXNsZS52MS5FdmFsdWF0ZWRUYXNrEiwKCmFsZ29yaXRobXMYBSADKAsyGC5haXNsZS52MS5Nb2RlbEFsZ29yaXRobRoxCg9EYXRhQ291bnRzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgEOgI4ASJ+Cg1FdmFsdWF0ZWRUYXNrEgwKBG5hbWUYASABKAkSDwoHcXVlcmllcxgCIAEoDRIQCghwb3NzaWJsZRgDIAEoDRIOCgZyZWFzb24YBCABKAkSLAoIcmFua2luZ3MYBSADKAsyGi5haXNsZS52MS5FdmFsdWF0ZWRSYW5raW5nIt8BChBFdmFsdWF0ZWRSYW5raW5nEgwKBG5hbWUYASABKAkSIwoEa2luZBgCIAEoDjIVLmFpc2xlLnYxLlJhbmtpbmdLaW5kEjgKB2ZpZ3VyZXMYAyADKAsyJy5haXNsZS52MS5FdmFsdWF0ZWRSYW5raW5nLkZpZ3VyZXNFbnRyeRIuCgpieV9oaXN0b3J5GAQgAygLMhouYWlzbGUudjEuRXZhbHVhdGVkSGlzdG9yeRouCgxGaWd1cmVzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgBOgI4ASKqAQoQRXZhbHVhdGVkSGlzdG9yeRINCgVsZWFzdBgBIAEoDRIMCgRtb3N0GAIgASgNEg8KB3F1ZXJpZXMYAyABKA0SOAoHZmlndXJlcxgEIAMoCzInLmFpc2xlLnYxLkV2YWx1YXRlZEhpc3RvcnkuRmlndXJlc0VudHJ5Gi4KDEZpZ3VyZXNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAE6AjgBKngKC1JhbmtpbmdLaW5kEhwKGFJBTktJTkdfS0lORF9VTlNQRUNJRklFRBAAEhcKE1JBTktJTkdfS0lORF9BTlNXRVIQARIXChNSQU5LSU5HX0tJTkRfU09VUkNFEAISGQoVUkFOS0lOR19LSU5EX0JBU0VMSU5FEANiBnByb3RvMw", [file_aisle_v1_model, file_google_protobuf_timestamp6]);

// src/gen/aisle/v1/model_service_pb.ts
var file_aisle_v1_model_service = /* @__PURE__ */ fileDesc12("ChxhaXNsZS92MS9tb2RlbF9zZXJ2aWNlLnByb3RvEghhaXNsZS52MSIjChFUcmFpbk1vZGVsUmVxdWVzdBIOCgZhcHBfaWQYASABKAkiZAoSVHJhaW5Nb2RlbFJlc3BvbnNlEg0KBXN0YWdlGAEgASgJEhAKCHByb2dyZXNzGAIgASgBEiMKBW1vZGVsGAMgASgLMg8uYWlzbGUudjEuTW9kZWxIAIgBAUIICgZfbW9kZWwiMwoPR2V0TW9kZWxSZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRIQCghtb2RlbF9pZBgCIAEoCSIyChBHZXRNb2RlbFJlc3BvbnNlEh4KBW1vZGVsGAEgASgLMg8uYWlzbGUudjEuTW9kZWwiSgoRTGlzdE1vZGVsc1JlcXVlc3QSDgoGYXBwX2lkGAEgASgJEhEKCXBhZ2Vfc2l6ZRgCIAEoDRISCgpwYWdlX3Rva2VuGAMgASgJIk4KEkxpc3RNb2RlbHNSZXNwb25zZRIfCgZtb2RlbHMYASADKAsyDy5haXNsZS52MS5Nb2RlbBIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkiOAoUQWN0aXZhdGVNb2RlbFJlcXVlc3QSDgoGYXBwX2lkGAEgASgJEhAKCG1vZGVsX2lkGAIgASgJIjcKFUFjdGl2YXRlTW9kZWxSZXNwb25zZRIeCgVtb2RlbBgBIAEoCzIPLmFpc2xlLnYxLk1vZGVsIkkKFEV2YWx1YXRlTW9kZWxSZXF1ZXN0Eg4KBmFwcF9pZBgBIAEoCRITCgttYXhfcXVlcmllcxgCIAEoDRIMCgRzZWVkGAMgASgNInYKFUV2YWx1YXRlTW9kZWxSZXNwb25zZRINCgVzdGFnZRgBIAEoCRIQCghwcm9ncmVzcxgCIAEoARItCgpldmFsdWF0aW9uGAMgASgLMhQuYWlzbGUudjEuRXZhbHVhdGlvbkgAiAEBQg0KC19ldmFsdWF0aW9uMpsDCgxNb2RlbFNlcnZpY2USSwoKVHJhaW5Nb2RlbBIbLmFpc2xlLnYxLlRyYWluTW9kZWxSZXF1ZXN0GhwuYWlzbGUudjEuVHJhaW5Nb2RlbFJlc3BvbnNlIgAwARJGCghHZXRNb2RlbBIZLmFpc2xlLnYxLkdldE1vZGVsUmVxdWVzdBoaLmFpc2xlLnYxLkdldE1vZGVsUmVzcG9uc2UiA5ACARJMCgpMaXN0TW9kZWxzEhsuYWlzbGUudjEuTGlzdE1vZGVsc1JlcXVlc3QaHC5haXNsZS52MS5MaXN0TW9kZWxzUmVzcG9uc2UiA5ACARJSCg1BY3RpdmF0ZU1vZGVsEh4uYWlzbGUudjEuQWN0aXZhdGVNb2RlbFJlcXVlc3QaHy5haXNsZS52MS5BY3RpdmF0ZU1vZGVsUmVzcG9uc2UiABJUCg1FdmFsdWF0ZU1vZGVsEh4uYWlzbGUudjEuRXZhbHVhdGVNb2RlbFJlcXVlc3QaHy5haXNsZS52MS5FdmFsdWF0ZU1vZGVsUmVzcG9uc2UiADABYgZwcm90bzM", [file_aisle_v1_evaluation, file_aisle_v1_model]);
var ModelService = /* @__PURE__ */ serviceDesc4(file_aisle_v1_model_service, 0);

// src/gen/aisle/v1/recommendation_service_pb.ts
import { fileDesc as fileDesc14, messageDesc as messageDesc14, serviceDesc as serviceDesc5 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/recommendation_pb.ts
import { enumDesc as enumDesc4, fileDesc as fileDesc13, messageDesc as messageDesc13 } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp as file_google_protobuf_timestamp7 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_recommendation = /* @__PURE__ */ fileDesc13("Ch1haXNsZS92MS9yZWNvbW1lbmRhdGlvbi5wcm90bxIIYWlzbGUudjEijwEKElByb2R1Y3RJbnRlcmFjdGlvbhInCgR0eXBlGAEgASgOMhkuYWlzbGUudjEuSW50ZXJhY3Rpb25UeXBlEhIKCnByb2R1Y3RfaWQYAiABKAkSCwoDc2t1GAMgASgJEi8KC29jY3VycmVkX2F0GAQgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcCJVChBGcmFtZUludGVyYWN0aW9uEhAKCGZyYW1lX2lkGAEgASgJEi8KC29jY3VycmVkX2F0GAIgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcCKFAQoLUHJvZHVjdENhcmQSEgoKcHJvZHVjdF9pZBgBIAEoCRINCgV0aXRsZRgCIAEoCRIRCglpbWFnZV91cmwYAyABKAkSCwoDdXJsGAQgASgJEh4KBXByaWNlGAUgASgLMg8uYWlzbGUudjEuTW9uZXkSEwoLY2F0ZWdvcnlfaWQYBiABKAkiRgoUUmVjb21tZW5kYXRpb25GaWx0ZXISEQoJYW55X2dyb3VwGAEgAygJEhsKE2V4Y2x1ZGVfcHJvZHVjdF9pZHMYAiADKAkiWwoNUHJvZHVjdFJlYXNvbhISCgpwcm9kdWN0X2lkGAEgASgJEg0KBXNjb3JlGAIgASgBEicKB3NvdXJjZXMYAyADKAsyFi5haXNsZS52MS5Tb3VyY2VSZWFzb24i0gEKDFNvdXJjZVJlYXNvbhIuCgZzb3VyY2UYASABKA4yHi5haXNsZS52MS5SZWNvbW1lbmRhdGlvblNvdXJjZRINCgVzY29yZRgCIAEoARIMCgRyYW5rGAMgASgNEhIKCmJlY2F1c2Vfb2YYBCADKAkSMgoGY291bnRzGAUgAygLMiIuYWlzbGUudjEuU291cmNlUmVhc29uLkNvdW50c0VudHJ5Gi0KC0NvdW50c0VudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoAToCOAEqlAEKD0ludGVyYWN0aW9uVHlwZRIgChxJTlRFUkFDVElPTl9UWVBFX1VOU1BFQ0lGSUVEEAASIQodSU5URVJBQ1RJT05fVFlQRV9QUk9EVUNUX1ZJRVcQARIgChxJTlRFUkFDVElPTl9UWVBFX0FERF9UT19DQVJUEAISGgoWSU5URVJBQ1RJT05fVFlQRV9PUkRFUhADKv0BChRSZWNvbW1lbmRhdGlvblNvdXJjZRIlCiFSRUNPTU1FTkRBVElPTl9TT1VSQ0VfVU5TUEVDSUZJRUQQABIrCidSRUNPTU1FTkRBVElPTl9TT1VSQ0VfQVNTT0NJQVRJT05fUlVMRVMQARIiCh5SRUNPTU1FTkRBVElPTl9TT1VSQ0VfU0VNQU5USUMQAhInCiNSRUNPTU1FTkRBVElPTl9TT1VSQ0VfQ09MTEFCT1JBVElWRRADEh4KGlJFQ09NTUVOREFUSU9OX1NPVVJDRV9DQVJUEAQSJAogUkVDT01NRU5EQVRJT05fU09VUkNFX1BPUFVMQVJJVFkQBWIGcHJvdG8z", [file_aisle_v1_money, file_google_protobuf_timestamp7]);

// src/gen/aisle/v1/recommendation_service_pb.ts
var file_aisle_v1_recommendation_service = /* @__PURE__ */ fileDesc14("CiVhaXNsZS92MS9yZWNvbW1lbmRhdGlvbl9zZXJ2aWNlLnByb3RvEghhaXNsZS52MSLMAwoQUmVjb21tZW5kUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSJQoHdmlzaXRvchgCIAEoCzIULmFpc2xlLnYxLlZpc2l0b3JJZHMSMgoMaW50ZXJhY3Rpb25zGAMgAygLMhwuYWlzbGUudjEuUHJvZHVjdEludGVyYWN0aW9uEjYKEmZyYW1lX2ludGVyYWN0aW9ucxgEIAMoCzIaLmFpc2xlLnYxLkZyYW1lSW50ZXJhY3Rpb24SGwoTY3VycmVudF9wcm9kdWN0X2lkcxgFIAMoCRIUCgxjdXJyZW50X3NrdXMYBiADKAkSHAoUY3VycmVudF9jYXRlZ29yeV9pZHMYByADKAkSEAoIZnJhbWVfaWQYCCABKAkSLgoGZmlsdGVyGAkgASgLMh4uYWlzbGUudjEuUmVjb21tZW5kYXRpb25GaWx0ZXISFgoOY2xpZW50X3ZlcnNpb24YCiABKAkSHgoRcmVjb21tZW5kZWRfY291bnQYCyABKA1IAIgBARIeChFhbHRlcm5hdGl2ZV9jb3VudBgMIAEoDUgBiAEBQhQKEl9yZWNvbW1lbmRlZF9jb3VudEIUChJfYWx0ZXJuYXRpdmVfY291bnQiowIKEVJlY29tbWVuZFJlc3BvbnNlEg8KB3ZlcnNpb24YASABKAkSMwoPdHJhY2tlcl9wcm9kdWN0GAIgASgLMhUuYWlzbGUudjEuUHJvZHVjdENhcmRIAIgBARIqCgtyZWNvbW1lbmRlZBgDIAMoCzIVLmFpc2xlLnYxLlByb2R1Y3RDYXJkEioKC2FsdGVybmF0aXZlGAQgAygLMhUuYWlzbGUudjEuUHJvZHVjdENhcmQSEgoKcmVxdWVzdF9pZBgFIAEoCRIQCghmcmFtZV9pZBgGIAEoCRIPCgd2YXJpYW50GAcgASgJEhAKCG1vZGVsX2lkGAggASgJEhMKC21pc3NpbmdfaWRzGAkgAygJQhIKEF90cmFja2VyX3Byb2R1Y3QiSwocRXhwbGFpblJlY29tbWVuZGF0aW9uUmVxdWVzdBIrCgdyZXF1ZXN0GAEgASgLMhouYWlzbGUudjEuUmVjb21tZW5kUmVxdWVzdCK6AQodRXhwbGFpblJlY29tbWVuZGF0aW9uUmVzcG9uc2USLQoIcmVzcG9uc2UYASABKAsyGy5haXNsZS52MS5SZWNvbW1lbmRSZXNwb25zZRI0ChNyZWNvbW1lbmRlZF9yZWFzb25zGAIgAygLMhcuYWlzbGUudjEuUHJvZHVjdFJlYXNvbhI0ChNhbHRlcm5hdGl2ZV9yZWFzb25zGAMgAygLMhcuYWlzbGUudjEuUHJvZHVjdFJlYXNvbjLRAQoVUmVjb21tZW5kYXRpb25TZXJ2aWNlEkkKCVJlY29tbWVuZBIaLmFpc2xlLnYxLlJlY29tbWVuZFJlcXVlc3QaGy5haXNsZS52MS5SZWNvbW1lbmRSZXNwb25zZSIDkAIBEm0KFUV4cGxhaW5SZWNvbW1lbmRhdGlvbhImLmFpc2xlLnYxLkV4cGxhaW5SZWNvbW1lbmRhdGlvblJlcXVlc3QaJy5haXNsZS52MS5FeHBsYWluUmVjb21tZW5kYXRpb25SZXNwb25zZSIDkAIBYgZwcm90bzM", [file_aisle_v1_recommendation, file_aisle_v1_visitor]);
var RecommendationService = /* @__PURE__ */ serviceDesc5(file_aisle_v1_recommendation_service, 0);

// src/gen/aisle/v1/subscription_service_pb.ts
import { fileDesc as fileDesc16, messageDesc as messageDesc16, serviceDesc as serviceDesc6 } from "@bufbuild/protobuf/codegenv2";

// src/gen/aisle/v1/subscription_pb.ts
import { enumDesc as enumDesc5, fileDesc as fileDesc15, messageDesc as messageDesc15 } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp as file_google_protobuf_timestamp8 } from "@bufbuild/protobuf/wkt";
var file_aisle_v1_subscription = /* @__PURE__ */ fileDesc15("ChthaXNsZS92MS9zdWJzY3JpcHRpb24ucHJvdG8SCGFpc2xlLnYxIsUCCgdDb250YWN0EhIKCmNvbnRhY3RfaWQYASABKAkSDQoFZW1haWwYAiABKAkSDQoFcGhvbmUYAyABKAkSMAoLZW1haWxfc3RhdGUYBCABKA4yGy5haXNsZS52MS5TdWJzY3JpcHRpb25TdGF0ZRIuCglzbXNfc3RhdGUYBSABKA4yGy5haXNsZS52MS5TdWJzY3JpcHRpb25TdGF0ZRISCgpmaXJzdF9uYW1lGAYgASgJEhEKCWxhc3RfbmFtZRgHIAEoCRIPCgdjb3VudHJ5GAggASgJEgwKBGNpdHkYCSABKAkSDgoGZ2VuZGVyGAogASgJEhIKCmJpcnRoX2RhdGUYCyABKAkSDAoEdGFncxgMIAMoCRIuCgpjcmVhdGVkX2F0GA0gASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcCKuAgoSU3Vic2NyaXB0aW9uQ2hhbmdlEhEKCWNoYW5nZV9pZBgBIAEoCRISCgpjb250YWN0X2lkGAIgASgJEi4KB2NoYW5uZWwYAyABKA4yHS5haXNsZS52MS5TdWJzY3JpcHRpb25DaGFubmVsEi4KCW9sZF9zdGF0ZRgEIAEoDjIbLmFpc2xlLnYxLlN1YnNjcmlwdGlvblN0YXRlEi4KCW5ld19zdGF0ZRgFIAEoDjIbLmFpc2xlLnYxLlN1YnNjcmlwdGlvblN0YXRlEi8KC29jY3VycmVkX2F0GAYgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcBIOCgZzb3VyY2UYByABKAkSEAoIZXZlbnRfaWQYCCABKAkSDgoGcmVhc29uGAkgASgJKp8BChFTdWJzY3JpcHRpb25TdGF0ZRIiCh5TVUJTQ1JJUFRJT05fU1RBVEVfVU5TUEVDSUZJRUQQABIeChpTVUJTQ1JJUFRJT05fU1RBVEVfVU5LTk9XThABEiEKHVNVQlNDUklQVElPTl9TVEFURV9TVUJTQ1JJQkVEEAISIwofU1VCU0NSSVBUSU9OX1NUQVRFX1VOU1VCU0NSSUJFRBADKnkKE1N1YnNjcmlwdGlvbkNoYW5uZWwSJAogU1VCU0NSSVBUSU9OX0NIQU5ORUxfVU5TUEVDSUZJRUQQABIeChpTVUJTQ1JJUFRJT05fQ0hBTk5FTF9FTUFJTBABEhwKGFNVQlNDUklQVElPTl9DSEFOTkVMX1NNUxACYgZwcm90bzM", [file_google_protobuf_timestamp8]);

// src/gen/aisle/v1/subscription_service_pb.ts
var file_aisle_v1_subscription_service = /* @__PURE__ */ fileDesc16("CiNhaXNsZS92MS9zdWJzY3JpcHRpb25fc2VydmljZS5wcm90bxIIYWlzbGUudjEiSQoQR2V0U3RhdHVzUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSJQoHdmlzaXRvchgCIAEoCzIULmFpc2xlLnYxLlZpc2l0b3JJZHMiiQEKEUdldFN0YXR1c1Jlc3BvbnNlEhIKCmlkZW50aWZpZWQYASABKAgSMAoLZW1haWxfc3RhdGUYAiABKA4yGy5haXNsZS52MS5TdWJzY3JpcHRpb25TdGF0ZRIuCglzbXNfc3RhdGUYAyABKA4yGy5haXNsZS52MS5TdWJzY3JpcHRpb25TdGF0ZSLfAQoWU2V0U3Vic2NyaXB0aW9uUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSDQoFZW1haWwYAiABKAkSDQoFcGhvbmUYAyABKAkSMAoLZW1haWxfc3RhdGUYBCABKA4yGy5haXNsZS52MS5TdWJzY3JpcHRpb25TdGF0ZRIuCglzbXNfc3RhdGUYBSABKA4yGy5haXNsZS52MS5TdWJzY3JpcHRpb25TdGF0ZRIOCgZyZWFzb24YBiABKAkSJQoHdmlzaXRvchgHIAEoCzIULmFpc2xlLnYxLlZpc2l0b3JJZHMiPQoXU2V0U3Vic2NyaXB0aW9uUmVzcG9uc2USIgoHY29udGFjdBgBIAEoCzIRLmFpc2xlLnYxLkNvbnRhY3QiVQoRR2V0Q29udGFjdFJlcXVlc3QSDgoGYXBwX2lkGAEgASgJEg0KBWVtYWlsGAIgASgJEg0KBXBob25lGAMgASgJEhIKCmNvbnRhY3RfaWQYBCABKAkiOAoSR2V0Q29udGFjdFJlc3BvbnNlEiIKB2NvbnRhY3QYASABKAsyES5haXNsZS52MS5Db250YWN0Il8KEkxpc3RDaGFuZ2VzUmVxdWVzdBIOCgZhcHBfaWQYASABKAkSEgoKY29udGFjdF9pZBgCIAEoCRIRCglwYWdlX3NpemUYAyABKA0SEgoKcGFnZV90b2tlbhgEIAEoCSJdChNMaXN0Q2hhbmdlc1Jlc3BvbnNlEi0KB2NoYW5nZXMYASADKAsyHC5haXNsZS52MS5TdWJzY3JpcHRpb25DaGFuZ2USFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJMtkCChNTdWJzY3JpcHRpb25TZXJ2aWNlEkkKCUdldFN0YXR1cxIaLmFpc2xlLnYxLkdldFN0YXR1c1JlcXVlc3QaGy5haXNsZS52MS5HZXRTdGF0dXNSZXNwb25zZSIDkAIBElgKD1NldFN1YnNjcmlwdGlvbhIgLmFpc2xlLnYxLlNldFN1YnNjcmlwdGlvblJlcXVlc3QaIS5haXNsZS52MS5TZXRTdWJzY3JpcHRpb25SZXNwb25zZSIAEkwKCkdldENvbnRhY3QSGy5haXNsZS52MS5HZXRDb250YWN0UmVxdWVzdBocLmFpc2xlLnYxLkdldENvbnRhY3RSZXNwb25zZSIDkAIBEk8KC0xpc3RDaGFuZ2VzEhwuYWlzbGUudjEuTGlzdENoYW5nZXNSZXF1ZXN0Gh0uYWlzbGUudjEuTGlzdENoYW5nZXNSZXNwb25zZSIDkAIBYgZwcm90bzM", [file_aisle_v1_subscription, file_aisle_v1_visitor]);
var SubscriptionService = /* @__PURE__ */ serviceDesc6(file_aisle_v1_subscription_service, 0);

// src/intake/history.ts
function historyIdOf(event, identity) {
  if (identity.visitor) return identity.visitor.visitorId;
  if (identity.contact) return identity.contact.contactId;
  return event.order ? `anonymous:order:${event.order.orderId}` : `anonymous:${event.eventId}`;
}
var keepHistory = (tx, event, identity) => {
  if (event.actionType !== "product_view" && event.actionType !== "add_to_cart") return NO_OUTCOME;
  tx.putInteraction(historyIdOf(event, identity), {
    type: event.actionType,
    at: event.occurredAt,
    productIds: [...new Set(event.products.map((product) => product.productId))],
    ref: event.eventId,
    ...event.bot && { bot: true }
  });
  tx.markChanged();
  return NO_OUTCOME;
};

// src/intake/order-book.ts
var keepOrderBook = (tx, event, identity) => {
  if (event.order === null || event.actionType !== "order" && event.actionType !== "order_cancel") return NO_OUTCOME;
  const before = tx.orders.get(event.order.orderId);
  const after2 = mergeOrder(before, event, identity);
  tx.orders.put(after2.orderId, after2);
  if (before) takeOut(tx, before);
  putIn(tx, after2);
  tx.markChanged();
  return before?.cancelled && event.actionType === "order" ? { visitorChanged: false, notes: ["the order is cancelled and stays out of the history"] } : NO_OUTCOME;
};
function mergeOrder(before, event, identity) {
  const order = event.order;
  const isOrder = event.actionType === "order";
  const base = before ?? {
    orderId: order.orderId,
    visitorId: "",
    visitor: event.visitor,
    contactId: "",
    lines: [],
    status: "",
    statusAt: 0,
    payment: NO_MONEY,
    occurredAt: 0,
    cancelled: false,
    bot: false
  };
  const newer = order.status !== "" && event.occurredAt >= base.statusAt;
  const isFirst = base.occurredAt === 0;
  const occurredAt = isOrder ? isFirst ? event.occurredAt : Math.min(base.occurredAt, event.occurredAt) : base.occurredAt;
  const named = historyIdOf(event, identity);
  const bot = isOrder ? event.bot && (isFirst || base.bot) : base.bot;
  return {
    orderId: base.orderId,
    visitorId: rank(named) > rank(base.visitorId) ? named : base.visitorId,
    visitor: {
      clientId: base.visitor.clientId || event.visitor.clientId,
      fingerprintId: base.visitor.fingerprintId || event.visitor.fingerprintId,
      userId: base.visitor.userId || event.visitor.userId
    },
    contactId: base.contactId || identity.contact?.contactId || "",
    lines: isOrder ? fullest(base.lines, linesOf(event)) : base.lines,
    status: newer ? order.status : base.status,
    statusAt: newer ? event.occurredAt : base.statusAt,
    payment: pick(base.payment, order.payment),
    occurredAt,
    cancelled: base.cancelled || !isOrder,
    bot
  };
}
function rank(historyId) {
  if (historyId === "") return 0;
  if (historyId.startsWith("anonymous:")) return 1;
  return historyId.startsWith("contact:") ? 2 : 3;
}
function linesOf(event) {
  const quantities = /* @__PURE__ */ new Map();
  for (const { productId, quantity } of event.products)
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  return [...quantities].map(([productId, quantity]) => ({ productId, quantity }));
}
function fullest(known2, seen) {
  return seen.length > known2.length ? seen : known2;
}
function pick(known2, seen) {
  return known2.amount === "" ? seen : known2;
}
function takeOut(tx, order) {
  if (order.occurredAt > 0) tx.deleteInteraction(order.visitorId, order.occurredAt, refOf(order));
}
function putIn(tx, order) {
  if (order.cancelled || order.occurredAt === 0 || order.lines.length === 0) return;
  tx.putInteraction(order.visitorId, {
    type: "order",
    at: order.occurredAt,
    productIds: order.lines.map((line) => line.productId),
    ref: refOf(order),
    ...order.bot && { bot: true }
  });
}
function refOf(order) {
  return `order:${order.orderId}`;
}

// src/intake/record-event.ts
import { createHash } from "node:crypto";

// src/domain/contact.ts
var UNKNOWN = { status: null, changedAt: 0, changedBy: "" };
var EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\].]+(\.[^\s@"(),:;<>[\\\].]+)+$/;
function emailKey(text3) {
  const key = text3.trim().normalize("NFC").toLowerCase();
  return key.length <= 254 && EMAIL.test(key) && !/\p{Cc}/u.test(key) ? key : "";
}
function phoneKey(text3) {
  const restored = /^ \d/.test(text3) ? `+${text3.slice(1)}` : text3.trim();
  if (!/^\+?[\d\s()./-]+$/.test(restored)) return "";
  const digits = restored.replace(/\D/g, "");
  if (digits.length < 5 || digits.length > 20) return "";
  return restored.startsWith("+") ? `+${digits}` : digits;
}

// src/domain/event.ts
var KNOWN_ACTIONS = [
  "other",
  "homepage_view",
  "category_view",
  "product_view",
  "add_to_cart",
  "order",
  "order_cancel",
  "subscribe",
  "search_query"
];

// src/intake/normalise.ts
var MAX_ACTION_LENGTH = 64;
var MAX_AHEAD_MS = 5 * 6e4;
var YEAR_2000 = Date.UTC(2e3, 0, 1);
var MAX_TEXT = 8192;
var MAX_PRODUCTS = 1e3;
var MAX_EXTRA_FIELDS = 128;
var known = new Set(KNOWN_ACTIONS);
function normalise(draft, eventId, receivedAt) {
  const notes = [];
  const actionType = readAction(draft.actionType);
  const taken = draft.products.slice(0, MAX_PRODUCTS);
  if (taken.length < draft.products.length) notes.push(`products beyond ${MAX_PRODUCTS} were left out`);
  const products = taken.map((product) => readProduct(product, notes)).filter((product) => product.productId !== "" || product.sku !== "");
  if (products.length < taken.length) notes.push("products without a usable id or SKU were left out");
  const categories2 = readCategories(draft.categories);
  const contact = draft.contact && readContact(draft.contact, notes);
  const order = draft.order && readOrder(draft.order);
  if ((actionType === "product_view" || actionType === "add_to_cart") && products.length === 0)
    throw new InvalidArgument("event.products", "missing");
  if (actionType === "category_view" && categories2.length === 0)
    throw new InvalidArgument("event.categories", "missing");
  if ((actionType === "order" || actionType === "order_cancel") && !order?.orderId)
    throw new InvalidArgument("event.order.order_id", "missing");
  if (actionType === "subscribe" && !contact?.email && !contact?.phone)
    throw new InvalidArgument("event.contact.email", "missing");
  if (actionType === "order" && products.length === 0) notes.push("the order names no product");
  return {
    eventId,
    actionType,
    sender: draft.sender,
    bot: draft.bot,
    occurredAt: readTime(draft.occurredAt, receivedAt, notes),
    receivedAt,
    visitor: readVisitor(draft.visitor, notes),
    contact,
    products,
    categories: categories2,
    order: order?.orderId ? order : null,
    searchQuery: cut(draft.searchQuery),
    platform: cut(draft.platform),
    platformVersion: cut(draft.platformVersion),
    senderVersion: cut(draft.senderVersion),
    extraFields: readExtra(draft.extraFields, notes),
    notes: [...new Set(notes)]
  };
}
function readAction(text3) {
  const action = text3.trim();
  if (action === "") throw new InvalidArgument("event.action_type", "missing");
  if (action.length > MAX_ACTION_LENGTH || /\p{Cc}/u.test(action))
    throw new InvalidArgument("event.action_type", "invalid", `at most ${MAX_ACTION_LENGTH} characters of text`);
  const lower = action.toLowerCase();
  return known.has(lower) ? lower : action;
}
function readTime(at, receivedAt, notes) {
  if (at === null) return receivedAt;
  if (Number.isFinite(at) && at >= YEAR_2000 && at <= receivedAt + MAX_AHEAD_MS) return Math.floor(at);
  notes.push("the event's time is not plausible; the time of receipt counts");
  return receivedAt;
}
function readVisitor(ids, notes) {
  const visitor = {
    clientId: cleanId(ids.clientId),
    fingerprintId: cleanId(ids.fingerprintId),
    userId: cleanId(ids.userId)
  };
  if (visitor.clientId !== ids.clientId || visitor.fingerprintId !== ids.fingerprintId || visitor.userId !== ids.userId) {
    notes.push("a visitor id is too long or holds control characters and counts as absent");
  }
  return visitor;
}
function readContact(contact, notes) {
  if (contact.email !== "" && emailKey(contact.email) === "")
    notes.push("the e-mail is no address and identifies nobody");
  if (contact.phone !== "" && phoneKey(contact.phone) === "")
    notes.push("the phone is no number and identifies nobody");
  return {
    email: cut(contact.email),
    phone: cut(contact.phone),
    firstName: cut(contact.firstName),
    lastName: cut(contact.lastName),
    country: cut(contact.country),
    city: cut(contact.city),
    gender: cut(contact.gender),
    birthDate: cut(contact.birthDate),
    tags: contact.tags.slice(0, 100).map((tag) => cut(tag)),
    emailSubscribed: contact.emailSubscribed,
    smsSubscribed: contact.smsSubscribed
  };
}
function readOrder(order) {
  return {
    orderId: cleanId(order.orderId),
    status: cut(order.status),
    payment: readMoney(order.payment),
    basePayment: readMoney(order.basePayment),
    coupon: cut(order.coupon)
  };
}
function readProduct(product, notes) {
  const imageUrl = webUrl(product.imageUrl);
  const url = webUrl(product.url);
  if (product.imageUrl !== "" && imageUrl === "" || product.url !== "" && url === "")
    notes.push("a product URL that is not http or https was left out");
  return {
    productId: cleanId(product.productId),
    sku: cleanId(product.sku),
    variantId: cleanId(product.variantId),
    title: cut(product.title),
    imageUrl,
    url,
    quantity: product.quantity >= 1 && product.quantity <= 1e9 ? Math.floor(product.quantity) : 1,
    available: product.available,
    categories: readCategories(product.categories),
    brandId: cleanId(product.brandId),
    brandName: cut(product.brandName),
    price: readMoney(product.price)
  };
}
function readCategories(categories2) {
  return categories2.slice(0, 32).map(({ categoryId, name }) => ({ categoryId: cleanId(categoryId), name: cut(name) })).filter(({ categoryId }) => categoryId !== "");
}
function readMoney(money) {
  const amount = money.amount.trim();
  return isDecimal(amount) ? { amount, currency: cut(money.currency, 8) } : { amount: "", currency: cut(money.currency, 8) };
}
function readExtra(fields, notes) {
  const names = Object.keys(fields);
  if (names.length > MAX_EXTRA_FIELDS) notes.push(`fields beyond ${MAX_EXTRA_FIELDS} were dropped`);
  const extra = /* @__PURE__ */ Object.create(null);
  for (const name of names.slice(0, MAX_EXTRA_FIELDS)) extra[cut(name, 255)] = cut(fields[name] ?? "");
  return extra;
}
function cut(text3, length = MAX_TEXT) {
  return text3.length <= length ? text3 : text3.slice(0, length);
}

// src/intake/record-event.ts
var KEY_LIFETIME_MS = 24 * 36e5;
function createTakeEvent(deps) {
  return (tx, event, draft, idempotencyKey) => {
    if (idempotencyKey === "") return store(tx, resolveSkus(tx, event), deps);
    const bodyHash = hashOf(draft);
    const claimed = tx.idempotency.get(idempotencyKey);
    if (claimed !== void 0 && claimed.claimedAt > event.receivedAt - KEY_LIFETIME_MS) {
      if (claimed.bodyHash !== bodyHash)
        throw new AlreadyExists("idempotency_key", "The idempotency key was used with another body");
      return { eventId: claimed.eventId, deduplicated: true, visitorChanged: false, notes: [] };
    }
    tx.idempotency.put(idempotencyKey, { eventId: event.eventId, bodyHash, claimedAt: event.receivedAt });
    return store(tx, resolveSkus(tx, event), deps);
  };
}
function createRecordEvent(deps) {
  const record = async (isWanted, ...[appId, draft, idempotencyKey, single2]) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    mustBeKey(idempotencyKey);
    const receivedAt = deps.now();
    const event = normalise(draft, deps.newEventId(), receivedAt);
    if (await deps.apps.get(appId) === void 0) throw new NotFound("app");
    const allowance = single2 && draft.sender === "server" ? await deps.senderLimit(appId) : void 0;
    const recorded = await deps.unitOfWork.run(appId, (tx) => {
      if (!isWanted()) throw new Unavailable("The sender was answered already");
      if (tx.app() === void 0) throw new NotFound("app");
      return deps.take(tx, event, draft, idempotencyKey);
    });
    deps.metrics.count(recorded.deduplicated ? "events_deduplicated" : "events_stored");
    if (event.bot && !recorded.deduplicated) deps.metrics.count("events_of_bots");
    return allowance === void 0 ? recorded : { ...recorded, allowance };
  };
  const { answerMs } = deps;
  return async (...call) => {
    const [appId, draft, idempotencyKey, single2] = call;
    try {
      if (!single2 || answerMs === void 0) return await record(() => true, ...call);
      return await inTime(answerMs, (isWanted) => record(isWanted, ...call));
    } catch (error) {
      deps.rejectedEvents.keep(appId, draft, idempotencyKey, error);
      throw error;
    }
  };
}
function mustBeKey(idempotencyKey) {
  if (idempotencyKey !== "" && cleanId(idempotencyKey) === "")
    throw new InvalidArgument("idempotency_key", "invalid", "at most 255 bytes without control characters");
}
async function inTime(limitMs, work) {
  let isWanted = true;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      isWanted = false;
      reject(new Unavailable(`The event was not stored within ${limitMs} ms`));
    }, limitMs);
  });
  try {
    return await Promise.race([work(() => isWanted), late]);
  } finally {
    clearTimeout(timer);
  }
}
function store(tx, event, deps) {
  const identity = deps.identify(tx, event);
  let visitorChanged = identity.visitorChanged;
  const notes = [...event.notes, ...identity.notes];
  for (const effect of deps.effects) {
    const outcome = effect(tx, event, identity);
    visitorChanged ||= outcome.visitorChanged;
    notes.push(...outcome.notes);
  }
  tx.events.put(event.eventId, notes.length === event.notes.length ? event : { ...event, notes });
  return { eventId: event.eventId, deduplicated: false, visitorChanged, notes };
}
function resolveSkus(tx, event) {
  if (event.products.every((product) => product.productId !== "")) return event;
  return {
    ...event,
    products: event.products.map(
      (product) => product.productId === "" ? { ...product, productId: tx.productSkus.get(product.sku) ?? product.sku } : product
    )
  };
}
function hashOf({ bot: _, ...said }) {
  return createHash("sha256").update(JSON.stringify(said)).digest("base64url");
}

// src/intake/record-events.ts
function createRecordEvents(deps) {
  const { apps, unitOfWork, take, rejectedEvents, now, newEventId, metrics } = deps;
  return async (appId, count, sent) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    if (await apps.get(appId) === void 0) throw new NotFound("app");
    const receivedAt = now();
    const works = Array.from({ length: count }, (_, index) => {
      const eventId = newEventId();
      return (tx) => {
        if (tx.app() === void 0) throw new NotFound("app");
        const { draft, idempotencyKey } = sent(index);
        mustBeKey(idempotencyKey);
        const { deduplicated: deduplicated2 } = take(tx, normalise(draft, eventId, receivedAt), draft, idempotencyKey);
        return deduplicated2 ? "deduplicated" : draft.bot ? "stored of a bot" : "stored";
      };
    });
    const outcomes = await unitOfWork.runEach(appId, works);
    const taken = /* @__PURE__ */ new Map();
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") taken.set(outcome.value, (taken.get(outcome.value) ?? 0) + 1);
      else {
        const { draft, idempotencyKey } = sent(index);
        rejectedEvents.keep(appId, draft, idempotencyKey, outcome.reason);
      }
    }
    const bots = taken.get("stored of a bot") ?? 0;
    const stored = bots + (taken.get("stored") ?? 0);
    const deduplicated = taken.get("deduplicated") ?? 0;
    if (stored > 0) metrics.count("events_stored", void 0, stored);
    if (deduplicated > 0) metrics.count("events_deduplicated", void 0, deduplicated);
    if (bots > 0) metrics.count("events_of_bots", void 0, bots);
    return outcomes;
  };
}

// src/intake/rejected-events.ts
var MAX_BYTES = 64 * 1024;
var LEAST_BYTES = 1024;
var APP_BUDGET = { bytes: 2 * 2 ** 20, perSecond: 64 * 1024 };
var BUDGET = { bytes: 8 * 2 ** 20, perSecond: 256 * 1024 };
var WORK_BYTES = 256 * 1024;
var WORK_EVENTS = 64;
var YEAR_10000 = Date.UTC(1e4, 0, 1);
function createRejectedEvents(deps) {
  const { apps, unitOfWork, now, monotonicNow, metrics } = deps;
  const budget = new Budget(BUDGET, monotonicNow);
  const budgets = /* @__PURE__ */ new Map();
  const waiting = /* @__PURE__ */ new Map();
  let writing;
  const drop = (reason, count = 1) => {
    metrics.count("rejected_events_dropped", { reason }, count);
  };
  const writeSome = async (appId, all) => {
    const some = firstOf(all);
    try {
      if (await apps.get(appId) === void 0) return [];
      const own = budgets.get(appId) ?? new Budget(APP_BUDGET, monotonicNow);
      budgets.set(appId, own);
      const paid = some.filter(({ bytes }) => own.spend(bytes));
      if (paid.length < some.length) drop("rate", some.length - paid.length);
      if (paid.length === 0) return all.slice(some.length);
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() !== void 0) for (const event of paid) tx.rejectedEvents.add(event);
      });
      metrics.count("rejected_events_kept", void 0, paid.length);
    } catch {
      drop("store", some.length);
    }
    return all.slice(some.length);
  };
  const writeAll = async () => {
    for (const [appId, all] of waiting) {
      waiting.delete(appId);
      for (let left = all; left.length > 0; ) left = await writeSome(appId, left);
    }
  };
  return {
    keep(appId, draft, idempotencyKey, error) {
      const reason = reasonOf(error);
      if (reason === void 0 || appId === "") return;
      if (!budget.has(LEAST_BYTES)) return drop("rate");
      const rejectedAt = now();
      const event = eventOf(draft, rejectedAt);
      const bytes = Math.max(LEAST_BYTES, Buffer.byteLength(JSON.stringify(event)));
      const isTaken = budget.spend(Math.min(bytes, MAX_BYTES));
      if (bytes > MAX_BYTES) return drop("size");
      if (!isTaken) return drop("rate");
      const kept = { ...reason, rejectedAt, idempotencyKey: cleanId(idempotencyKey), event, bytes, replayedAs: "" };
      const own = waiting.get(appId);
      if (own === void 0) waiting.set(appId, [kept]);
      else own.push(kept);
      writing ??= writeAll().finally(() => {
        writing = void 0;
      });
    },
    async settled() {
      while (writing !== void 0) await writing;
    }
  };
}
function firstOf(all) {
  let bytes = 0;
  let count = 0;
  for (const event of all) {
    bytes += event.bytes;
    if (count > 0 && (count === WORK_EVENTS || bytes > WORK_BYTES)) break;
    count++;
  }
  return all.slice(0, count);
}
function reasonOf(error) {
  if (error instanceof InvalidArgument) return { fault: error.fault, field: error.field, accepted: error.accepted };
  if (error instanceof AlreadyExists) return { fault: "reused", field: "idempotency_key", accepted: "" };
  return void 0;
}
function eventOf(draft, rejectedAt) {
  const at = draft.occurredAt ?? 0;
  const occurredAt = at > 0 && at < YEAR_10000 ? Math.floor(at) : 0;
  return { ...draft, eventId: "", occurredAt, receivedAt: rejectedAt, notes: [] };
}
var Budget = class {
  constructor(size, now) {
    this.size = size;
    this.now = now;
    this.left = size.bytes;
    this.at = now();
  }
  size;
  now;
  left;
  at;
  has(bytes) {
    const now = this.now();
    this.left = Math.min(this.size.bytes, this.left + (now - this.at) / 1e3 * this.size.perSecond);
    this.at = now;
    return this.left >= bytes;
  }
  /** False, and nothing spent, when there is not enough. */
  spend(bytes) {
    if (!this.has(bytes)) return false;
    this.left -= bytes;
    return true;
  }
};

// src/intake/replay-rejected-event.ts
var REPLAYED_BYTES = 256;
function createReplayRejectedEvent(deps) {
  const { unitOfWork, take, now, newEventId, metrics } = deps;
  return async (appId, rejectedId, correction) => {
    const [eventId, receivedAt] = [newEventId(), now()];
    const recorded = await unitOfWork.run(appId, (tx) => {
      if (tx.app() === void 0) throw new NotFound("app");
      const rejected = tx.rejectedEvents.get(rejectedId);
      if (rejected === void 0) throw new NotFound("rejected_event");
      if (rejected.event === null)
        return { eventId: rejected.replayedAs, deduplicated: true, visitorChanged: false, notes: [] };
      const draft = withTime(correction ?? rejected.event, rejected);
      const key = rejected.fault === "reused" ? "" : rejected.idempotencyKey;
      const taken = take(tx, normalise(draft, eventId, receivedAt), draft, key);
      const replayed = { ...rejected, event: null, bytes: REPLAYED_BYTES, replayedAs: taken.eventId };
      tx.rejectedEvents.replace(replayed);
      return taken;
    });
    metrics.count(recorded.deduplicated ? "events_deduplicated" : "events_stored");
    return recorded;
  };
}
function withTime(draft, { rejectedAt }) {
  return { ...draft, occurredAt: draft.occurredAt || rejectedAt };
}

// src/domain/gcra.ts
function allowanceAt(theoreticalArrival, nowMs, limits) {
  const interval = 1e3 / limits.ratePerSecond;
  const resetMs = Math.max(0, (theoreticalArrival ?? nowMs) - nowMs);
  const remaining = Math.max(0, Math.floor(limits.burst - resetMs / interval + 1e-9));
  return { limit: limits.burst, windowMs: limits.burst * interval, remaining, resetMs };
}
function gcra(theoreticalArrival, nowMs, limits) {
  const interval = 1e3 / limits.ratePerSecond;
  const arrival = Math.max(theoreticalArrival ?? nowMs, nowMs);
  const waitMs = arrival - (limits.burst - 1) * interval - nowMs;
  return waitMs > 1e-9 ? { admitted: false, waitMs } : { admitted: true, next: arrival + interval };
}

// src/intake/sender-limit.ts
var SERVER_SENDER_LIMITS = { ratePerSecond: 100, burst: 100 };
function createSenderLimit(monotonicNow, limits = SERVER_SENDER_LIMITS) {
  const arrivals = /* @__PURE__ */ new Map();
  return (appId) => {
    const now = monotonicNow();
    const verdict = gcra(arrivals.get(appId), now, limits);
    if (!verdict.admitted) throw new RateLimited(verdict.waitMs, allowanceAt(arrivals.get(appId), now, limits));
    arrivals.set(appId, verdict.next);
    return allowanceAt(verdict.next, now, limits);
  };
}

// src/domain/version.ts
function versionText(at, isUsed) {
  const digits = new Date(at).toISOString().replace(/\D/g, "");
  for (const length of [10, 12, 14, 17]) {
    const text3 = digits.slice(0, length);
    if (!isUsed(text3)) return text3;
  }
  for (let n = 1; ; n++) {
    const text3 = `${digits}${n}`;
    if (!isUsed(text3)) return text3;
  }
}

// src/model/registry.ts
var KEPT_SNAPSHOTS = 3;
var LOOK_AGAIN_MS = 1e3;
var MAX_USED_VERSIONS = 1e3;
function createModelRegistry(deps) {
  const entries = /* @__PURE__ */ new Map();
  const load = async (appId, pointer) => {
    const bytes = await deps.models.read(appId, pointer.modelId);
    if (bytes === void 0) throw new NotFound("model");
    return { model: deps.load(pointer.modelId, bytes), pointer };
  };
  const open4 = async (appId) => {
    const pointer = await deps.models.pointer(appId);
    return pointer === void 0 ? void 0 : load(appId, pointer);
  };
  const lookAgain = async (appId, entry) => {
    const [pointer, serving] = await Promise.all([deps.models.pointer(appId), entry.serving]);
    if (pointer?.version === serving?.pointer.version) return;
    if (pointer === void 0) {
      if (entries.get(appId) === entry) entry.serving = Promise.resolve(void 0);
      return;
    }
    const fresh = serving !== void 0 && pointer.modelId === serving.pointer.modelId ? { model: serving.model, pointer } : await load(appId, pointer);
    if (entries.get(appId) === entry) entry.serving = Promise.resolve(fresh);
  };
  const look = async (appId, entry) => {
    if (entry.looking) return;
    entry.looking = true;
    try {
      await lookAgain(appId, entry);
    } catch {
    } finally {
      entry.looking = false;
      entry.lookedAt = deps.now();
    }
  };
  const moveTo = async (appId, modelId, model, lease) => {
    const before = await deps.models.pointer(appId);
    const used = new Set(before?.usedVersions ?? [await deps.firstVersionOf(appId)]);
    const at = deps.now();
    const version = versionText(at, (text3) => used.has(text3));
    const usedVersions = [...used, version].slice(-MAX_USED_VERSIONS);
    const pointer = { modelId, version, activatedAt: at, usedVersions };
    await deps.models.setPointer(appId, pointer, lease);
    entries.set(appId, { serving: Promise.resolve({ model, pointer }), lookedAt: at, looking: false });
    return pointer;
  };
  return {
    current(appId) {
      let entry = entries.get(appId);
      const now = deps.now();
      if (entry === void 0) {
        const opened = { serving: open4(appId), lookedAt: now, looking: false };
        entries.set(appId, opened);
        opened.serving.catch(() => {
          if (entries.get(appId) === opened) entries.delete(appId);
        });
        entry = opened;
      } else if (now - entry.lookedAt >= LOOK_AGAIN_MS) void look(appId, entry);
      return entry.serving;
    },
    async activate(appId, modelId) {
      const bytes = await deps.models.read(appId, modelId);
      if (bytes === void 0) throw new NotFound("model");
      return moveTo(appId, modelId, deps.load(modelId, bytes));
    },
    async publish(appId, record, bytes, lease) {
      const model = deps.load(record.modelId, bytes);
      await deps.models.put(appId, record, bytes);
      const pointer = await moveTo(appId, record.modelId, model, lease);
      await deps.models.prune(appId, KEPT_SNAPSHOTS);
      return pointer;
    },
    async lookAgain() {
      for (const [appId, entry] of [...entries]) await look(appId, entry);
    },
    forget(appId) {
      entries.delete(appId);
    }
  };
}

// src/algorithms/association-significance.ts
var NEGLIGIBLE = 1e-12;
function chanceOfMeeting(baskets, both, antecedent, consequent) {
  const least = Math.max(0, antecedent + consequent - baskets);
  const most = Math.min(antecedent, consequent);
  if (both <= least) return 1;
  if (both > most) return 0;
  const isAbove = both * baskets > antecedent * consequent;
  let x = isAbove ? both : both - 1;
  let term = Math.exp(
    logOver(antecedent, x) + logOver(baskets - antecedent, consequent - x) - logOver(baskets, consequent)
  );
  let sum = term;
  while (isAbove ? x < most : x > least) {
    const up = isAbove ? x : x - 1;
    const ratio = (antecedent - up) * (consequent - up) / ((up + 1) * (baskets - antecedent - consequent + up + 1));
    term *= isAbove ? ratio : 1 / ratio;
    sum += term;
    x += isAbove ? 1 : -1;
    if (term < sum * NEGLIGIBLE) break;
  }
  return Math.min(1, Math.max(0, isAbove ? sum : 1 - sum));
}
function logOver(n, k) {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}
function logFactorial(n) {
  let factors = 1;
  let x = n;
  while (x < STIRLING_FROM) factors *= ++x;
  const square = x * x;
  const series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / x;
  return x * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI * x) + series - Math.log(factors);
}
var STIRLING_FROM = 16;

// src/algorithms/rows.ts
function rowCount(rows2) {
  return rows2.offsets.length - 1;
}
function rowOf(rows2, r) {
  return rows2.items.subarray(rows2.offsets[r], rows2.offsets[r + 1]);
}

// src/algorithms/candidates.ts
var NO_CANDIDATES = { indices: new Uint32Array(0), scores: new Float64Array(0) };

// src/algorithms/section-reader.ts
var UnknownFormat = class extends Error {
};
function createSectionReader(what, formatNumber, section) {
  if (section.formatNumber !== formatNumber)
    throw new UnknownFormat(`${what} of format ${section.formatNumber} are not known`);
  const array = (name) => Object.hasOwn(section.arrays, name) ? section.arrays[name] : void 0;
  const uint322 = (name) => {
    const found = array(name);
    if (!(found instanceof Uint32Array)) throw new Error(`${what} lack the array ${name}`);
    return found;
  };
  return {
    number(name) {
      const found = Object.hasOwn(section.numbers, name) ? section.numbers[name] : void 0;
      if (found === void 0) throw new Error(`${what} lack the number ${name}`);
      return found;
    },
    uint32: uint322,
    float32(name) {
      const found = array(name);
      if (!(found instanceof Float32Array)) throw new Error(`${what} lack the array ${name}`);
      return found;
    },
    rows(name, rowCount2, itemCount) {
      const offsets = uint322(name);
      if (offsets.length !== rowCount2 + 1 || offsets[0] !== 0 || offsets.at(-1) !== itemCount)
        throw new Error(`${what} have rows that do not fit: ${name}`);
    }
  };
}

// src/algorithms/association-rules-section.ts
var FORMAT2 = 1;
function decodeRules(section) {
  const read = createSectionReader("Association rules", FORMAT2, section);
  const rules = {
    basketCount: read.number("basketCount"),
    productCount: read.number("productCount"),
    productCounts: read.uint32("productCounts"),
    pairOffsets: read.uint32("pairOffsets"),
    pairSeconds: read.uint32("pairSeconds"),
    pairCounts: read.uint32("pairCounts"),
    offsets: read.uint32("offsets"),
    consequents: read.uint32("consequents"),
    counts: read.uint32("counts")
  };
  read.rows("pairOffsets", rules.productCount, rules.pairSeconds.length);
  read.rows("offsets", rules.productCount + rules.pairSeconds.length, rules.consequents.length);
  return rules;
}

// src/algorithms/association-rules.ts
var CONFIDENCE_PRIOR = 20;
var PAIR_CONFIDENCE_PRIOR = 50;
var LIFT_SHARE = 0.2;
var RELEVANCE_DECAY = 0.8;
var MAX_ANTECEDENTS = 50;
var MAX_PAIRED = 10;
function ruleStrength(baskets, both, antecedent, consequent, prior = CONFIDENCE_PRIOR) {
  return (both + prior * consequent / baskets) / (antecedent + prior) * (baskets / consequent) ** LIFT_SHARE;
}
function recommendFromRules(rules, antecedents, k, relevanceDecay = RELEVANCE_DECAY) {
  const known2 = knownProducts(rules, antecedents);
  if (known2.length === 0) return NO_CANDIDATES;
  const powers = /* @__PURE__ */ new Map();
  for (const { row, antecedentCount, prior, relevance } of matchingRows(rules, known2, relevanceDecay)) {
    for (let i = rules.offsets[row]; i < rules.offsets[row + 1]; i++) {
      const c = rules.consequents[i];
      const consequentCount = rules.productCounts[c];
      const strength = ruleStrength(rules.basketCount, rules.counts[i], antecedentCount, consequentCount, prior) * relevance;
      const square = strength * strength;
      powers.set(c, (powers.get(c) ?? 0) + square * square);
    }
  }
  for (const product of known2) powers.delete(product);
  const top = createTopK();
  top.reset(k);
  for (const [product, power] of powers) top.offer(product, power ** 0.25);
  return top.take();
}
function explainRule(rules, antecedents, productIndex, relevanceDecay = RELEVANCE_DECAY) {
  const known2 = knownProducts(rules, antecedents);
  if (known2.includes(productIndex)) return void 0;
  let best;
  let bestStrength = 0;
  let speaking = 0;
  for (const { row, products, antecedentCount, prior, relevance } of matchingRows(rules, known2, relevanceDecay)) {
    const i = rules.consequents.subarray(rules.offsets[row], rules.offsets[row + 1]).indexOf(productIndex);
    if (i < 0) continue;
    speaking++;
    const count = rules.counts[rules.offsets[row] + i];
    const consequentCount = rules.productCounts[productIndex];
    const strength = ruleStrength(rules.basketCount, count, antecedentCount, consequentCount, prior) * relevance;
    if (strength <= bestStrength) continue;
    bestStrength = strength;
    const counts = {
      pair_count: count,
      antecedent_count: antecedentCount,
      support: count / rules.basketCount,
      confidence: count / antecedentCount,
      lift: count * rules.basketCount / (antecedentCount * consequentCount)
    };
    best = { becauseOf: products, counts };
  }
  if (best === void 0) return void 0;
  const { pair_count: both = 0, antecedent_count: antecedent = 0 } = best.counts;
  const chance = chanceOfMeeting(rules.basketCount, both, antecedent, rules.productCounts[productIndex]);
  return { becauseOf: best.becauseOf, counts: { ...best.counts, chance, rules: speaking } };
}
function knownProducts(rules, antecedents) {
  return [...new Set(antecedents)].filter((product) => product < rules.productCount);
}
function* matchingRows(rules, known2, decay) {
  for (const [i, product] of known2.slice(0, MAX_ANTECEDENTS).entries()) {
    const relevance = decay ** i;
    const antecedentCount = rules.productCounts[product];
    yield { row: product, products: [product], antecedentCount, prior: CONFIDENCE_PRIOR, relevance };
    for (let j = 0; j < i && i < MAX_PAIRED; j++) {
      const pair = findPair(rules, Math.min(known2[j], product), Math.max(known2[j], product));
      if (pair === void 0) continue;
      const products = [known2[j], product];
      const row = rules.productCount + pair;
      yield { row, products, antecedentCount: rules.pairCounts[pair], prior: PAIR_CONFIDENCE_PRIOR, relevance };
    }
  }
}
function findPair(rules, first, second) {
  let low = rules.pairOffsets[first];
  const end = rules.pairOffsets[first + 1];
  let high = end;
  while (low < high) {
    const middle = low + high >>> 1;
    if (rules.pairSeconds[middle] < second) low = middle + 1;
    else high = middle;
  }
  return low < end && rules.pairSeconds[low] === second ? low : void 0;
}

// src/algorithms/cart-neighbours.ts
var QUERY_POSTINGS = 3e4;
function createBasketSearch(cart) {
  const shared = new Float64Array(rowCount(cart.baskets));
  const met = new Uint32Array(shared.length);
  const top = createTopK();
  return (inCart) => {
    let count = 0;
    const each = Math.max(1, Math.floor(QUERY_POSTINGS / Math.max(1, inCart.length)));
    for (const item of inCart) {
      const idf = cart.idf[item];
      const end = cart.postings.offsets[item + 1];
      for (let i = Math.max(cart.postings.offsets[item], end - each); i < end; i++) {
        const basket = cart.postings.items[i];
        if (shared[basket] === 0) met[count++] = basket;
        shared[basket] += idf;
      }
    }
    top.reset(cart.neighbours);
    for (let m = 0; m < count; m++) {
      const basket = met[m];
      const part2 = shared[basket] / cart.basketNorms[basket];
      top.offer(basket, part2 * part2 * cart.basketWeights[basket]);
      shared[basket] = 0;
    }
    return top.take();
  };
}

// src/algorithms/cart-complements-section.ts
var FORMAT3 = 1;
function decodeCartComplements(section) {
  const read = createSectionReader("Cart complements", FORMAT3, section);
  const productCount = read.number("productCount");
  const basketWeights = read.float32("basketWeights");
  const baskets = { offsets: read.uint32("basketOffsets"), items: read.uint32("basketItems") };
  const postings = { offsets: read.uint32("postingOffsets"), items: read.uint32("postings") };
  const products = { offsets: read.uint32("ridgeOffsets"), items: read.uint32("ridgeProducts") };
  read.rows("basketOffsets", basketWeights.length, baskets.items.length);
  read.rows("postingOffsets", productCount, postings.items.length);
  read.rows("ridgeOffsets", productCount, products.items.length);
  return {
    productCount,
    neighbours: read.number("neighbours"),
    baskets,
    basketWeights,
    basketNorms: read.float32("basketNorms"),
    idf: read.float32("idf"),
    postings,
    ridge: { products, weights: read.float32("ridgeWeights") }
  };
}

// src/algorithms/cart-complements.ts
var MAX_BECAUSE_OF = 3;
function complementsOf(cart, items, k) {
  const inCart = knownProducts2(cart, items);
  if (inCart.length === 0) return NO_CANDIDATES;
  const scores = new Float64Array(cart.productCount);
  const met = [];
  const add = (product, score) => {
    if (scores[product] === 0) met.push(product);
    scores[product] += score;
  };
  const { indices: similar, scores: similarities } = createBasketSearch(cart)(inCart);
  const total2 = similarities.reduce((sum, similarity2) => sum + similarity2, 0);
  for (let s = 0; s < similar.length; s++) {
    const share = similarities[s] / total2;
    for (let i = cart.baskets.offsets[similar[s]]; i < cart.baskets.offsets[similar[s] + 1]; i++) {
      add(cart.baskets.items[i], share);
    }
  }
  const { products, weights } = cart.ridge;
  for (const item of inCart) {
    for (let i = products.offsets[item]; i < products.offsets[item + 1]; i++) add(products.items[i], weights[i]);
  }
  for (const item of inCart) scores[item] = 0;
  const top = createTopK();
  top.reset(k);
  for (const product of met) {
    if (scores[product] <= 0) continue;
    top.offer(product, scores[product]);
    scores[product] = 0;
  }
  return top.take();
}
function explainComplement(cart, items, productIndex) {
  const inCart = knownProducts2(cart, items);
  if (inCart.includes(productIndex)) return void 0;
  const parts = new Map(inCart.map((item) => [item, ridgeWeight(cart, item, productIndex)]));
  const ridge = [...parts.values()].reduce((sum, weight) => sum + weight, 0);
  const { indices: similar, scores: similarities } = createBasketSearch(cart)(inCart);
  const total2 = similarities.reduce((sum, similarity2) => sum + similarity2, 0);
  let neighbours = 0;
  let share = 0;
  for (const [s, basket] of similar.entries()) {
    const row = rowOf(cart.baskets, basket);
    if (!row.includes(productIndex)) continue;
    neighbours++;
    const part2 = similarities[s] / total2;
    share += part2;
    const shared = inCart.filter((item) => row.includes(item));
    for (const item of shared) parts.set(item, parts.get(item) + part2 / shared.length);
  }
  if (share + ridge <= 0) return void 0;
  const becauseOf = inCart.filter((item) => parts.get(item) > 0).sort((a, b) => parts.get(b) - parts.get(a) || b - a).slice(0, MAX_BECAUSE_OF);
  const pairCount = becauseOf.length === 0 ? 0 : basketsWithBoth(cart, becauseOf[0], productIndex);
  return { becauseOf, counts: { neighbours, neighbour_share: share, ridge, pair_count: pairCount } };
}
function knownProducts2(cart, items) {
  return [...new Set(items)].filter((item) => item < cart.productCount).sort((a, b) => a - b);
}
function ridgeWeight(cart, from, to) {
  const at = rowOf(cart.ridge.products, from).indexOf(to);
  return at < 0 ? 0 : cart.ridge.weights[cart.ridge.products.offsets[from] + at];
}
function basketsWithBoth(cart, a, b) {
  return rowOf(cart.postings, a).filter((basket) => rowOf(cart.baskets, basket).includes(b)).length;
}

// src/algorithms/cart-features.ts
var CART_FEATURES = [
  "ridge",
  "ridge_share",
  "ridge_rank",
  "ridge_most",
  "ridge_last",
  "neighbours",
  "neighbours_share",
  "neighbours_rank",
  "confidence",
  "confidence_rank",
  "cosine",
  "cosine_most",
  "antecedents",
  "near",
  "near_most",
  "near_rank",
  "asked_with",
  "overall",
  "days_90",
  "days_30",
  "days_7",
  "trend_30",
  "trend_7",
  "first_days",
  "last_days",
  "asked_overall",
  "asked_trend",
  "times_bought",
  "days_since_bought",
  "orders"
];

// src/algorithms/cart-candidates.ts
var BY_RIDGE = 60;
var BY_NEIGHBOURS = 40;
var BY_RULES = 20;
var BY_HISTORY = 60;
var BY_NEAR = 15;
var MAX_ITEMS = 300;
var LAST2 = 3;
var TREND_PRIOR = 1e-4;
function createCartCandidates({
  cart,
  rules,
  sales,
  near: graph
}) {
  const { productCount } = cart;
  const findBaskets = createBasketSearch(cart);
  const ridge = new Float64Array(productCount);
  const ridgeMost = new Float32Array(productCount);
  const ridgeLast = new Float32Array(productCount);
  const share = new Float64Array(productCount);
  const confidence = new Float32Array(productCount);
  const cosine = new Float32Array(productCount);
  const cosineMost = new Float32Array(productCount);
  const antecedents = new Uint16Array(productCount);
  const near = new Float64Array(productCount);
  const nearMost = new Float32Array(productCount);
  const marks = new Uint8Array(productCount);
  const place = new Uint32Array(productCount);
  const met = new Uint32Array(productCount);
  const chosen = new Uint32Array(BY_RIDGE + BY_NEIGHBOURS + BY_RULES + BY_HISTORY + BY_NEAR);
  const width = CART_FEATURES.length;
  const rows2 = new Float32Array(chosen.length * width);
  const top = createTopK();
  let metCount = 0;
  let count = 0;
  const meet = (product) => {
    if ((marks[product] & 2) !== 0) return;
    marks[product] |= 2;
    met[metCount++] = product;
  };
  function addRidge(item, isLast) {
    const { products, weights } = cart.ridge;
    for (let i = products.offsets[item]; i < products.offsets[item + 1]; i++) {
      const product = products.items[i];
      const weight = weights[i];
      meet(product);
      ridge[product] += weight;
      if (weight > ridgeMost[product]) ridgeMost[product] = weight;
      if (isLast) ridgeLast[product] += weight;
    }
  }
  function addNear(item) {
    const { edges, weights } = graph;
    for (let i = edges.offsets[item]; i < edges.offsets[item + 1]; i++) {
      const product = edges.items[i];
      meet(product);
      near[product] += weights[i];
      if (weights[i] > nearMost[product]) nearMost[product] = weights[i];
    }
  }
  function addRules(item) {
    const ordered = rules.productCounts[item];
    for (let i = rules.offsets[item]; i < rules.offsets[item + 1]; i++) {
      const product = rules.consequents[i];
      const both = rules.counts[i];
      meet(product);
      confidence[product] = Math.max(confidence[product], both / ordered);
      const alike = both / Math.sqrt(ordered * rules.productCounts[product]);
      cosine[product] += alike;
      if (alike > cosineMost[product]) cosineMost[product] = alike;
      antecedents[product]++;
    }
  }
  function addNeighbours(items) {
    const { indices: indices2, scores } = findBaskets(items);
    let total2 = 0;
    for (const score of scores) total2 += score;
    const { offsets, items: held } = cart.baskets;
    for (let s = 0; s < indices2.length; s++) {
      const part2 = scores[s] / total2;
      for (let i = offsets[indices2[s]]; i < offsets[indices2[s] + 1]; i++) {
        meet(held[i]);
        share[held[i]] += part2;
      }
    }
  }
  const choose = (product) => {
    if ((marks[product] & 4) !== 0) return;
    marks[product] |= 4;
    chosen[count++] = product;
  };
  function chooseBest(scores, most) {
    top.reset(most);
    for (let m = 0; m < metCount; m++) {
      const product = met[m];
      if ((marks[product] & 1) === 0 && scores[product] > 0) top.offer(product, scores[product]);
    }
    for (const product of top.take().indices) choose(product);
  }
  function chooseBought({ products, times }) {
    top.reset(BY_HISTORY);
    for (let i = 0; i < products.length; i++) {
      if (products[i] < productCount) top.offer(i, times[i]);
    }
    for (const i of top.take().indices) choose(products[i]);
  }
  function writeRanks(products, scores, column) {
    for (let c = 0; c < products.length; c++) rows2[c * width + column] = products.length;
    top.reset(products.length);
    for (const product of products) if (scores[product] !== 0) top.offer(product, scores[product]);
    const ranked = top.take().indices;
    for (let rank2 = 0; rank2 < ranked.length; rank2++) rows2[place[ranked[rank2]] * width + column] = rank2;
  }
  function writeRows(products, items, purchases2) {
    let bestRidge = 1e-9;
    let bestShare = 1e-9;
    for (const product of products) {
      bestRidge = Math.max(bestRidge, ridge[product]);
      bestShare = Math.max(bestShare, share[product]);
    }
    let askedOverall = 0;
    let askedLately = 0;
    for (const item of items) {
      askedOverall += sales.overall[item] / items.length;
      askedLately += sales.days30[item] / items.length;
    }
    for (let c = 0; c < products.length; c++) {
      const product = products[c];
      place[product] = c;
      let at = c * width;
      const put2 = (value) => {
        rows2[at++] = value;
      };
      put2(ridge[product]);
      put2(ridge[product] / bestRidge);
      put2(0);
      put2(ridgeMost[product]);
      put2(ridgeLast[product]);
      put2(share[product]);
      put2(share[product] / bestShare);
      put2(0);
      put2(confidence[product]);
      put2(0);
      put2(cosine[product]);
      put2(cosineMost[product]);
      put2(antecedents[product]);
      put2(near[product]);
      put2(nearMost[product]);
      put2(0);
      put2(items.length);
      put2(sales.overall[product]);
      put2(sales.days90[product]);
      put2(sales.days30[product]);
      put2(sales.days7[product]);
      put2((sales.days30[product] + TREND_PRIOR) / (sales.overall[product] + TREND_PRIOR));
      put2((sales.days7[product] + TREND_PRIOR) / (sales.days30[product] + TREND_PRIOR));
      put2(sales.firstDays[product]);
      put2(sales.lastDays[product]);
      put2(askedOverall);
      put2((askedLately + TREND_PRIOR) / (askedOverall + TREND_PRIOR));
      put2(0);
      put2(-1);
      put2(purchases2?.orders ?? 0);
    }
    for (let i = 0; purchases2 !== void 0 && i < purchases2.products.length; i++) {
      const product = purchases2.products[i];
      if (product >= productCount || (marks[product] & 4) === 0) continue;
      rows2[place[product] * width + TIMES_BOUGHT] = purchases2.times[i];
      rows2[place[product] * width + DAYS_SINCE_BOUGHT] = purchases2.days[i];
    }
    writeRanks(products, ridge, RIDGE_RANK);
    writeRanks(products, share, NEIGHBOURS_RANK);
    writeRanks(products, confidence, CONFIDENCE_RANK);
    writeRanks(products, near, NEAR_RANK);
  }
  function clear(items, purchases2) {
    for (let m = 0; m < metCount; m++) {
      const product = met[m];
      ridge[product] = 0;
      ridgeMost[product] = 0;
      ridgeLast[product] = 0;
      share[product] = 0;
      confidence[product] = 0;
      cosine[product] = 0;
      cosineMost[product] = 0;
      antecedents[product] = 0;
      near[product] = 0;
      nearMost[product] = 0;
      marks[product] = 0;
    }
    for (const item of items) marks[item] = 0;
    if (purchases2) {
      for (const product of purchases2.products) if (product < productCount) marks[product] = 0;
    }
    metCount = 0;
    count = 0;
  }
  return ({ items: given, purchases: purchases2 }) => {
    const items = knownProducts2(cart, given.slice(-MAX_ITEMS));
    const last = new Set(given.slice(-LAST2));
    for (const item of items) marks[item] |= 1;
    if (purchases2) for (const product of knownProducts2(cart, purchases2.products)) marks[product] |= 1;
    for (const item of items) {
      addRidge(item, last.has(item));
      addRules(item);
      addNear(item);
    }
    if (items.length > 0) addNeighbours(items);
    chooseBest(ridge, BY_RIDGE);
    chooseBest(share, BY_NEIGHBOURS);
    chooseBest(confidence, BY_RULES);
    chooseBest(near, BY_NEAR);
    if (purchases2) chooseBought(purchases2);
    const products = chosen.slice(0, count).sort();
    writeRows(products, items, purchases2);
    clear(items, purchases2);
    return { count: products.length, products, rows: rows2 };
  };
}
var RIDGE_RANK = CART_FEATURES.indexOf("ridge_rank");
var NEIGHBOURS_RANK = CART_FEATURES.indexOf("neighbours_rank");
var NEAR_RANK = CART_FEATURES.indexOf("near_rank");
var CONFIDENCE_RANK = CART_FEATURES.indexOf("confidence_rank");
var TIMES_BOUGHT = CART_FEATURES.indexOf("times_bought");
var DAYS_SINCE_BOUGHT = CART_FEATURES.indexOf("days_since_bought");

// src/algorithms/cart-groups.ts
var NOTHING = {
  asked: 0,
  rows: new Float32Array(0),
  groups: new Uint32Array(1),
  answers: new Uint32Array(0)
};

// src/algorithms/gradient-boosting/forest-scorer.ts
function createForestScorer({ featureCount, roots, features, values: values2, lefts }) {
  const asked = Int32Array.from(features);
  const ways = Int32Array.from(lefts, (left, node) => left === 0 ? node : left);
  const limits = values2.map((value, node) => lefts[node] === 0 ? Number.POSITIVE_INFINITY : value);
  return (rows2, count, scores) => {
    for (const root of roots) {
      for (let r = 0; r < count; r += 4) {
        const at0 = r * featureCount;
        const at1 = Math.min(r + 1, count - 1) * featureCount;
        const at2 = Math.min(r + 2, count - 1) * featureCount;
        const at3 = Math.min(r + 3, count - 1) * featureCount;
        let node0 = root | 0;
        let node1 = node0;
        let node2 = node0;
        let node3 = node0;
        let way0 = ways[node0];
        let way1 = way0;
        let way2 = way0;
        let way3 = way0;
        while ((way0 ^ node0 | way1 ^ node1 | way2 ^ node2 | way3 ^ node3) !== 0) {
          node0 = way0 + +(rows2[at0 + asked[node0]] > limits[node0]) | 0;
          node1 = way1 + +(rows2[at1 + asked[node1]] > limits[node1]) | 0;
          node2 = way2 + +(rows2[at2 + asked[node2]] > limits[node2]) | 0;
          node3 = way3 + +(rows2[at3 + asked[node3]] > limits[node3]) | 0;
          way0 = ways[node0];
          way1 = ways[node1];
          way2 = ways[node2];
          way3 = ways[node3];
        }
        scores[r] += values2[node0];
        if (r + 1 < count) scores[r + 1] += values2[node1];
        if (r + 2 < count) scores[r + 2] += values2[node2];
        if (r + 3 < count) scores[r + 3] += values2[node3];
      }
    }
  };
}

// src/algorithms/cart-order.ts
var CART_LEADS = ["trees", "ridge", "neighbours", "ridge_and_neighbours", "confidence"];
var EMPTY_FOREST = {
  featureCount: CART_FEATURES.length,
  roots: new Uint32Array(0),
  features: new Uint32Array(0),
  values: new Float32Array(0),
  lefts: new Uint32Array(0)
};
function createLeadScorer(lead, forest) {
  if (lead === "trees") {
    const addScores = createForestScorer(forest);
    return (rows2) => {
      const scores = Float64Array.from(startingScores(rows2));
      addScores(rows2, scores.length, scores);
      return scores;
    };
  }
  const width = CART_FEATURES.length;
  const columns = COLUMNS[lead].map((name) => CART_FEATURES.indexOf(name));
  return (rows2) => Float64Array.from(
    { length: rows2.length / width },
    (_, r) => columns.reduce((sum, column) => sum + rows2[r * width + column], 0)
  );
}
function startingScores(rows2) {
  const width = CART_FEATURES.length;
  return Float32Array.from(
    { length: rows2.length / width },
    (_, r) => Math.log(Math.max(LEAST_SHARE, rows2[r * width + RIDGE] + rows2[r * width + NEIGHBOURS]))
  );
}
var RIDGE = CART_FEATURES.indexOf("ridge");
var NEIGHBOURS = CART_FEATURES.indexOf("neighbours");
var LEAST_SHARE = 1e-3;
var COLUMNS = {
  ridge: ["ridge"],
  neighbours: ["neighbours"],
  ridge_and_neighbours: ["ridge", "neighbours"],
  confidence: ["confidence"]
};

// src/algorithms/customer-purchases.ts
var DAY_MS = 864e5;
function purchasesOf(orders, now) {
  const found = /* @__PURE__ */ new Map();
  let count = 0;
  for (const { at, products } of orders) {
    count++;
    for (const product of new Set(products)) {
      const times = found.get(product)?.times ?? 0;
      found.delete(product);
      found.set(product, { times: times + 1, at });
    }
  }
  const all = [...found.values()];
  return {
    products: Uint32Array.from(found.keys()),
    times: Float32Array.from(all, ({ times }) => times),
    days: Float32Array.from(all, ({ at }) => Math.max(0, now - at) / DAY_MS),
    orders: count
  };
}

// src/algorithms/gradient-boosting/forest.ts
var FORMAT4 = 1;
function decodeForest(section) {
  const read = createSectionReader("Boosted trees", FORMAT4, section);
  const forest = {
    featureCount: read.number("featureCount"),
    roots: read.uint32("roots"),
    features: read.uint32("features"),
    values: read.float32("values"),
    lefts: read.uint32("lefts")
  };
  const { features, values: values2, lefts, roots, featureCount } = forest;
  const nodes = values2.length;
  const sound = features.length === nodes && lefts.length === nodes && roots.every((root) => root < nodes) && features.every((feature) => feature < featureCount) && lefts.every((left, node) => left === 0 || left > node && left + 1 < nodes);
  if (!sound) throw new Error("Boosted trees have nodes that do not fit");
  return forest;
}

// src/algorithms/gradient-boosting/listwise.ts
var BOOSTING_DEFAULTS = {
  trees: 150,
  leaves: 15,
  learningRate: 0.1,
  l2: 5,
  minHessian: 5,
  minGain: 1e-6,
  topShare: 0.15,
  otherShare: 0.15,
  featureShare: 0.7,
  patience: 10,
  thinAfter: Number.POSITIVE_INFINITY,
  thinTo: 0,
  focus: 0
};

// src/algorithms/item-graph.ts
var FORMAT5 = 1;
function decodeItemGraph(section) {
  const read = createSectionReader("Item graph", FORMAT5, section);
  const [offsets, items, weights] = [read.uint32("offsets"), read.uint32("items"), read.float32("weights")];
  read.rows("offsets", Math.max(0, offsets.length - 1), items.length);
  if (weights.length !== items.length || items.some((item) => item >= offsets.length - 1))
    throw new Error("Item graph has edges that do not fit");
  return { edges: { offsets, items }, weights };
}

// src/algorithms/cart-ranking-section.ts
var FORMAT6 = 2;
function decodeCartRanking(section) {
  const read = createSectionReader("Cart rankings", FORMAT6, section);
  const features = read.number("features");
  if (features !== CART_FEATURES.length) throw new UnknownFormat(`Cart rankings of ${features} features are not known`);
  const productCount = read.number("productCount");
  const float32 = (name) => {
    const array = read.float32(name);
    if (array.length !== productCount) throw new Error(`Cart rankings have an array that does not fit: ${name}`);
    return array;
  };
  const lead = (name) => {
    const found = CART_LEADS[read.number(name)];
    if (found === void 0) throw new Error(`Cart rankings have a lead that is not known: ${name}`);
    return found;
  };
  const order = (question) => ({
    lead: lead(`${question}.lead`),
    bestSource: lead(`${question}.bestSource`),
    judged: read.number(`${question}.judged`),
    hitRate: read.number(`${question}.hitRate`),
    reciprocalRank: read.number(`${question}.reciprocalRank`),
    bestSourceHitRate: read.number(`${question}.bestSourceHitRate`),
    bestSourceReciprocalRank: read.number(`${question}.bestSourceReciprocalRank`),
    forest: decodeForest({
      formatNumber: 1,
      numbers: { featureCount: features },
      arrays: {
        roots: read.uint32(`${question}.roots`),
        features: read.uint32(`${question}.features`),
        values: read.float32(`${question}.values`),
        lefts: read.uint32(`${question}.lefts`)
      }
    })
  });
  const near = decodeItemGraph({
    formatNumber: 1,
    numbers: {},
    arrays: {
      offsets: read.uint32("near.offsets"),
      items: read.uint32("near.items"),
      weights: read.float32("near.weights")
    }
  });
  if (near.edges.offsets.length !== productCount + 1) throw new Error("Cart rankings have a graph that does not fit");
  return {
    ranking: { cart: order("cart"), customer: order("customer") },
    sales: {
      overall: float32("overall"),
      days90: float32("days90"),
      days30: float32("days30"),
      days7: float32("days7"),
      firstDays: float32("firstDays"),
      lastDays: float32("lastDays")
    },
    near
  };
}

// src/algorithms/cart-ranking.ts
var CART_RANKING_DEFAULTS = {
  newestShare: 0.125,
  minOrders: 1500,
  maxOrders: 2500,
  minQuestions: 300,
  boosting: {
    ...BOOSTING_DEFAULTS,
    trees: 120,
    leaves: 8,
    learningRate: 0.08,
    l2: 20,
    minHessian: 20,
    featureShare: 0.5,
    patience: 30
  }
};
var HALF_LIFE_MS = 120 * 864e5;

// src/algorithms/truncated-svd.ts
import { EigenvalueDecomposition, Matrix } from "ml-matrix";

// src/algorithms/text-coherence.ts
var COHERENCE = { topics: 16, shrinkage: 5, power: 0.75 };

// src/algorithms/text-terms.ts
var MAX_CHARACTERS = { short: 1e3, long: 4e3 };
var MAX_WORD = 30;
var MAX_GRAMMED = 100;
var TAG = /<\/?[a-z!][^<>]*>/gi;
var ENTITY = /&(?:#x?[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});/gi;
var GLUED = /(?<=\p{Ll}\p{Ll})(?=\p{Lu})/gu;
var WORD = /[\p{L}\p{M}\p{N}]+/gu;
var NUMBER = /^\p{N}+$/u;
var UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
function wordsOf(text3, field) {
  const plain = withoutMarkup(text3.slice(0, MAX_CHARACTERS[field])).normalize("NFKC").replace(GLUED, " ").toLowerCase();
  const words = plain.match(WORD) ?? [];
  return words.filter((word) => !(word.length > 4 && NUMBER.test(word)));
}
function withoutMarkup(text3) {
  return text3.replace(TAG, " ").replace(ENTITY, " ");
}
function termsOf(field, text3) {
  const terms = [];
  for (const word of wordsOf(text3, field)) {
    if (word.length <= MAX_WORD) terms.push(word);
    const unspaced = UNSPACED.test(word);
    if (field === "long" && !unspaced) continue;
    if (NUMBER.test(word)) continue;
    const characters = Array.from(unspaced ? word : `<${word}>`).slice(0, MAX_GRAMMED);
    const [shortest, longest] = unspaced ? [2, 3] : [3, 5];
    for (let length = shortest; length <= longest; length++) {
      for (let at = 0; at + length <= characters.length; at++) {
        terms.push(`#${characters.slice(at, at + length).join("")}`);
      }
    }
  }
  return terms;
}

// src/algorithms/text-features.ts
var TEXT_FEATURES = {
  titleWeight: 1,
  brandWeight: 0.3,
  categoryWeight: 1,
  descriptionWeight: 1,
  gramWeight: 0.2,
  idfPower: 0.75,
  saturation: 0.6,
  lengthShare: 0.5,
  minDocuments: 2,
  maxDocumentShare: 0.5,
  maxWords: 2e4,
  maxGrams: 1e4
};
function vocabularyOf(terms, weights, params, lengths) {
  const columns = new Map(terms.map((term, column) => [term, column]));
  return { terms, weights, params, lengths, columnOf: (term) => columns.get(term) };
}
function textRows(vocabulary, texts2) {
  const offsets = new Uint32Array(texts2.length + 1);
  const columns = [];
  const values2 = [];
  for (const [r, text3] of texts2.entries()) {
    const row = [];
    let squares = 0;
    for (const [term, weight] of weighTerms(text3, vocabulary.params, vocabulary.lengths)) {
      const column = vocabulary.columnOf(term);
      if (column === void 0) continue;
      const value = weight * vocabulary.weights[column];
      row.push([column, value]);
      squares += value * value;
    }
    row.sort(([a], [b]) => a - b);
    const length = Math.sqrt(squares);
    for (const [column, value] of row) {
      columns.push(column);
      values2.push(value / length);
    }
    offsets[r + 1] = columns.length;
  }
  return {
    offsets,
    columns: Uint32Array.from(columns),
    values: Float32Array.from(values2),
    columnCount: vocabulary.terms.length
  };
}
function weighTerms(text3, params, lengths) {
  const weighed = /* @__PURE__ */ new Map();
  const add = (field, content, weight, isNew = true) => {
    if (weight === 0 || !isNew) return;
    const counts = /* @__PURE__ */ new Map();
    for (const term of termsOf(field, content)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const { saturation, lengthShare } = params;
    const words = wordsOf(content, field).length;
    const norm = saturation * (1 - lengthShare + lengthShare * words / lengths[field]);
    for (const [term, count] of counts) {
      weighed.set(term, (weighed.get(term) ?? 0) + weight * count * (saturation + 1) / (count + norm));
    }
  };
  add("short", text3.title, params.titleWeight);
  add("short", text3.brand, params.brandWeight, !text3.title.toLowerCase().includes(text3.brand.toLowerCase()));
  add("short", text3.categories.join("\n"), params.categoryWeight);
  add("long", text3.description, params.descriptionWeight);
  return weighed;
}

// src/algorithms/embedder-section.ts
var FORMAT7 = 2;
var PARAM_NAMES = Object.keys(TEXT_FEATURES);
function decodeEmbedder({ formatNumber, numbers, arrays }) {
  if (formatNumber !== FORMAT7) throw new UnknownFormat(`An embedder of format ${formatNumber} is not known`);
  const { termOffsets, termBytes, termWeights, projection, centre } = arrays;
  if (!(termOffsets instanceof Uint32Array) || !(termBytes instanceof Uint8Array))
    throw new Error("The embedder lacks its terms");
  if (!(termWeights instanceof Float32Array) || !(projection instanceof Float32Array))
    throw new Error("The embedder lacks its weights");
  if (!(centre instanceof Float32Array)) throw new Error("The embedder lacks its centre");
  const number2 = (name) => {
    const value = numbers[name];
    if (value === void 0) throw new Error(`The embedder lacks the number ${name}`);
    return value;
  };
  const params = { ...TEXT_FEATURES };
  for (const name of PARAM_NAMES) params[name] = number2(name);
  const lengths = { short: number2("meanTitle"), long: number2("meanDescription") };
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const terms = Array.from(
    termWeights,
    (_, t) => decoder.decode(termBytes.subarray(termOffsets[t], termOffsets[t + 1]))
  );
  return {
    vocabulary: vocabularyOf(terms, termWeights, params, lengths),
    dimensions: number2("dimensions"),
    projection,
    centre
  };
}

// src/algorithms/embedder.ts
var EMBEDDER = {
  dimensions: [
    { upTo: 5e3, dimensions: 384 },
    { upTo: 3e4, dimensions: 256 },
    { upTo: Number.POSITIVE_INFINITY, dimensions: 128 }
  ],
  centring: 0.85,
  fitTexts: 3e4,
  iterations: 1,
  features: TEXT_FEATURES,
  coherence: COHERENCE
};
function embedText(embedder, text3) {
  const { vectors, rows: rows2 } = embedAll(embedder, [text3]);
  return rows2.length === 0 ? void 0 : vectors;
}
function embedAll(embedder, texts2) {
  const { dimensions } = embedder;
  const vectors = new Float32Array(texts2.length * dimensions);
  const rows2 = new Uint32Array(texts2.length);
  let count = 0;
  for (const [r, text3] of texts2.entries()) {
    if (project(embedder, textRows(embedder.vocabulary, [text3]), vectors, count * dimensions)) rows2[count++] = r;
  }
  return { vectors: vectors.slice(0, count * dimensions), rows: rows2.slice(0, count), dimensions };
}
function project(embedder, row, vectors, to) {
  const { dimensions, projection, centre } = embedder;
  const sums = new Float64Array(dimensions);
  for (const [at, column] of row.columns.entries()) {
    const value = row.values[at];
    for (let d = 0; d < dimensions; d++) sums[d] += value * projection[column * dimensions + d];
  }
  if (!normalise2(sums)) return false;
  for (let d = 0; d < dimensions; d++) sums[d] -= centre[d];
  if (!normalise2(sums)) return false;
  vectors.set(sums, to);
  return true;
}
function normalise2(vector) {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(squares > 1e-12)) return false;
  const length = Math.sqrt(squares);
  for (let d = 0; d < vector.length; d++) vector[d] /= length;
  return true;
}

// src/algorithms/reranker/score-board.ts
var ScoreBoard = class {
  /** By product; 0 for those without a score. */
  values;
  /** The products with a score, `count` of them at the front. */
  touched;
  count = 0;
  constructor(productCount) {
    this.values = new Float64Array(productCount);
    this.touched = new Uint32Array(productCount);
  }
  /** Adds a number above 0. */
  add(product, score) {
    if (this.values[product] === 0) this.touched[this.count++] = product;
    this.values[product] += score;
  }
  /** Keeps the larger one of the score so far and this one, which is above 0. */
  raise(product, score) {
    const before = this.values[product];
    if (before === 0) this.touched[this.count++] = product;
    if (score > before) this.values[product] = score;
  }
  clear() {
    for (let i = 0; i < this.count; i++) this.values[this.touched[i]] = 0;
    this.count = 0;
  }
};

// src/algorithms/reranker/item-scores.ts
var MAX_ITEMS2 = 12;
var FADE = 0.75;
var FIRST_STEP = { from: 60, edges: 40 };
var SECOND_STEP = { from: 80, edges: 20 };
var STAY = 0.3;
function createItemScores({ near, following, neighbours }) {
  const board = () => new ScoreBoard(neighbours.productCount);
  const its = {
    nearLast: board(),
    nearSum: board(),
    nearMost: board(),
    nearCount: board(),
    followsLast: board(),
    followsSum: board(),
    followsSecond: board(),
    walk: board(),
    longWalk: board()
  };
  const boards = Object.values(its);
  const top = createTopK();
  const seen = [];
  function step(from, size, to, stay) {
    top.reset(size.from);
    for (let t = 0; t < from.count; t++) top.offer(from.touched[t], from.values[from.touched[t]]);
    let total2 = 0;
    for (let i = 0; i < top.size(); i++) total2 += top.scoreAt(i);
    for (let i = 0; i < top.size(); i++) {
      const product = top.indexAt(i);
      const weight = top.scoreAt(i) / total2;
      if (stay > 0) to.add(product, stay * weight);
      const begin = near.edges.offsets[product];
      const end = Math.min(near.edges.offsets[product + 1], begin + size.edges);
      let sum = 0;
      for (let e = begin; e < end; e++) sum += near.weights[e];
      for (let e = begin; e < end; e++) to.add(near.edges.items[e], weight * near.weights[e] / sum);
    }
  }
  return {
    ...its,
    ask(items) {
      for (const each of boards) each.clear();
      seen.length = 0;
      let weight = 1;
      for (let at = items.length - 1; at >= 0 && seen.length < MAX_ITEMS2; at--) {
        const item = items[at];
        if (seen.includes(item)) continue;
        seen.push(item);
        addEdges(near, item, weight, its.nearSum);
        addEdges(following, item, weight, its.followsSum);
        if (seen.length === 1) {
          addEdges(near, item, 1, its.nearLast);
          addEdges(following, item, 1, its.followsLast);
        }
        if (seen.length === 2) addEdges(following, item, 1, its.followsSecond);
        for (let e = near.edges.offsets[item]; e < near.edges.offsets[item + 1]; e++) {
          its.nearMost.raise(near.edges.items[e], near.weights[e]);
          its.nearCount.add(near.edges.items[e], 1);
        }
        weight *= FADE;
      }
      step(its.nearSum, FIRST_STEP, its.walk, STAY);
      step(its.walk, SECOND_STEP, its.longWalk, 0);
    }
  };
}
function addEdges({ edges, weights }, product, weight, to) {
  const end = edges.offsets[product + 1];
  for (let e = edges.offsets[product]; e < end; e++) to.add(edges.items[e], weight * weights[e]);
}

// src/algorithms/reranker/neighbour-votes.ts
function createNeighbourVotes(model) {
  const { params, sessions, sessionWeights, postings, postingOffsets, similarityIdf, scoreIdf, productCount } = model;
  const { offsets, items: held } = sessions;
  const boards = Array.from({ length: 5 }, () => new ScoreBoard(productCount));
  const [close, plain, next, holders, shared] = boards;
  const overlaps = new Float64Array(sessionWeights.length);
  const anchors = new Uint32Array(sessionWeights.length);
  const touched = new Uint32Array(sessionWeights.length);
  const asked = new Uint32Array(params.queryItems);
  const askedWeights = new Float64Array(params.queryItems);
  const neighbours = createTopK();
  const decay = Float64Array.from({ length: params.sessionItems }, (_, d) => Math.exp(-d / params.neighbourDecay));
  function readQuery(items) {
    let count = 0;
    for (let at = items.length - 1; at >= 0 && count < asked.length; at--) {
      const item = items[at];
      if (item >= productCount || asked.subarray(0, count).includes(item)) continue;
      asked[count] = item;
      askedWeights[count++] = Math.exp(-(items.length - 1 - at) / params.queryDecay);
    }
    return count;
  }
  function findNeighbours(queryLength) {
    let count = 0;
    for (let q = 0; q < queryLength; q++) {
      const weight = askedWeights[q] * similarityIdf[asked[q]];
      if (!(weight > 0)) continue;
      for (let at = postingOffsets[asked[q]]; at < postingOffsets[asked[q] + 1]; at++) {
        const session = postings[at];
        if (overlaps[session] === 0) {
          anchors[session] = q;
          touched[count++] = session;
        }
        overlaps[session] += weight;
      }
    }
    neighbours.reset(params.k);
    for (let t = 0; t < count; t++) {
      const session = touched[t];
      const overlap = overlaps[session];
      const similarity2 = (params.sharpness === 1 ? overlap : overlap ** params.sharpness) * sessionWeights[session];
      if (similarity2 > 0) neighbours.offer(session, similarity2);
    }
    return count;
  }
  function countVotes(session, similarity2) {
    const q = anchors[session];
    const anchor = asked[q];
    const end = offsets[session + 1];
    let anchorAt = end - 1;
    while (held[anchorAt] !== anchor) anchorAt--;
    const vote = similarity2 * askedWeights[q] ** params.anchorPower;
    const sharesMore = overlaps[session] > askedWeights[q] * similarityIdf[anchor] * 1.0001;
    for (let at = offsets[session]; at < end; at++) {
      const item = held[at];
      const closeness = item === anchor ? params.repeat : at > anchorAt ? decay[at - anchorAt - 1] : params.before * decay[anchorAt - at - 1];
      const score = vote * closeness * scoreIdf[item];
      if (score > 0) close.add(item, score);
      plain.add(item, similarity2);
      holders.add(item, 1);
      if (sharesMore) shared.add(item, similarity2);
    }
    if (anchorAt + 1 < end) next.add(held[anchorAt + 1], vote);
  }
  return {
    close,
    plain,
    next,
    holders,
    shared,
    ask(items) {
      for (const board of boards) board.clear();
      const touchedCount = findNeighbours(readQuery(items));
      const count = neighbours.size();
      for (let n = 0; n < count; n++) countVotes(neighbours.indexAt(n), neighbours.scoreAt(n));
      for (let t = 0; t < touchedCount; t++) overlaps[touched[t]] = 0;
      return count;
    }
  };
}

// src/algorithms/reranker/ranker-sources.ts
var STATS = ["popular5", "popular20", "popular100", "lastSeen", "repeated", "returned", "ended"];
function statAt(name) {
  return STATS.indexOf(name);
}
var NEAR = [1, 0.8, 0.64, 0.5, 0.4, 0.3, 0.25, 0.2];
var GRAPHS = {
  near: { after: NEAR, before: NEAR, balance: 0.5, keep: 80 },
  following: { after: [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6], before: [], balance: 0, keep: 60 },
  next: { after: [1], before: [], balance: 0, keep: 40 }
};

// src/algorithms/reranker/visit-facts.ts
var MAX_NEWEST = 30;
function createVisitFacts(productCount) {
  const since = new Uint32Array(productCount);
  const times = new Uint32Array(productCount);
  const others = new Uint32Array(productCount);
  let met = [];
  let followed = -1;
  let steps = 0;
  let run = 0;
  let returns = 0;
  let lastReturned = 0;
  return {
    read({ items, runs }) {
      for (const product of met) times[product] = 0;
      met = [];
      steps = 0;
      returns = 0;
      followed = -1;
      const last = items.length - 1;
      run = runs[last];
      for (let at = last; at >= 0; at--) {
        const product = items[at];
        if (times[product] === 0) {
          met.push(product);
          since[product] = steps + 1;
          others[product] = met.length;
        } else {
          returns++;
          if (product === items[last] && followed === -1) followed = items[at + 1];
        }
        times[product] += runs[at];
        steps += runs[at];
      }
      lastReturned = times[items[last]] > run ? 1 : 0;
    },
    newest: () => met.slice(0, MAX_NEWEST),
    situation: () => [steps, met.length, run, 1 - met.length / steps, returns, lastReturned],
    write(product, rows2, at) {
      const count = times[product];
      rows2[at] = count === 0 ? 0 : since[product];
      rows2[at + 1] = count;
      rows2[at + 2] = count === 0 ? 0 : others[product];
      rows2[at + 3] = product === followed ? 1 : 0;
    }
  };
}

// src/algorithms/reranker/candidate-features.ts
var SHARES = ["close", "plain", "next", "holders", "shared", "nearLast", "nearSum", "nearMost", "nearCount"];
var MORE_SHARES = ["followsLast", "followsSum", "followsSecond", "nextOfLast", "walk", "longWalk"];
var RANKS = ["closeRank", "plainRank", "nearSumRank", "followsSumRank", "walkRank", "longWalkRank"];
var RAW = [
  "closeScore",
  "nearLastScore",
  "nearMostScore",
  "followsLastScore",
  "followsSumScore",
  "nextScore"
];
var ITEM = [...STATS, "trend", "popularToLast", "likeLast", "likeVisit"];
var VISIT = ["stepsSince", "times", "othersSince", "followedLast"];
var SITUATION = [
  "steps",
  "products",
  "run",
  "repeatShare",
  "returns",
  "lastReturned",
  "lastPopular",
  "lastRepeated",
  "lastEnded",
  "neighbours",
  "mostFollowing"
];
var FEATURES = [...SHARES, ...MORE_SHARES, ...RANKS, ...RAW, ...ITEM, ...VISIT, ...SITUATION];
var FEATURE_COUNT = FEATURES.length;
var FEATURES_FORMAT = 1;
var MAX_CANDIDATES = 240;
var RECENTLY_POPULAR = 10;
var NO_RANK = 250;
var SMALL = 1e-5;
function createCandidateFeatures(sources) {
  const { stats, vectors, dimensions, neighbours: model, next: nextGraph } = sources;
  const { productCount } = model;
  const votes = createNeighbourVotes(model);
  const scores = createItemScores(sources);
  const facts = createVisitFacts(productCount);
  const nextOfLast = new ScoreBoard(productCount);
  const boards = [
    { board: votes.close, take: 80 },
    { board: votes.plain, take: 20 },
    { board: votes.next, take: 20 },
    { board: votes.holders, take: 0 },
    { board: votes.shared, take: 0 },
    { board: scores.nearLast, take: 20 },
    { board: scores.nearSum, take: 40 },
    { board: scores.nearMost, take: 0 },
    { board: scores.nearCount, take: 0 },
    { board: scores.followsLast, take: 20 },
    { board: scores.followsSum, take: 40 },
    { board: scores.followsSecond, take: 0 },
    { board: nextOfLast, take: 0 },
    { board: scores.walk, take: 40 },
    { board: scores.longWalk, take: 20 }
  ];
  const ranked = [votes.close, votes.plain, scores.nearSum, scores.followsSum, scores.walk, scores.longWalk];
  const raw = [votes.close, scores.nearLast, scores.nearMost, scores.followsLast, scores.followsSum, nextOfLast];
  const recentlyPopular = mostPopularLately(sources);
  const top = createTopK();
  const isCandidate = new Uint8Array(productCount);
  const candidates = new Uint32Array(MAX_CANDIDATES);
  const rows2 = new Float32Array(MAX_CANDIDATES * FEATURE_COUNT);
  const order = new Uint32Array(MAX_CANDIDATES);
  const direction = new Float64Array(dimensions);
  function gather() {
    let count = 0;
    const put2 = (product) => {
      if (isCandidate[product] === 1 || count === MAX_CANDIDATES) return;
      isCandidate[product] = 1;
      candidates[count++] = product;
    };
    for (const product of facts.newest()) put2(product);
    for (const { board, take } of boards) {
      if (take === 0) continue;
      top.reset(take);
      for (let t = 0; t < board.count; t++) top.offer(board.touched[t], board.values[board.touched[t]]);
      for (const product of top.take().indices) put2(product);
    }
    for (const product of recentlyPopular) put2(product);
    for (let c = 0; c < count; c++) isCandidate[candidates[c]] = 0;
    return count;
  }
  function writeShare({ values: values2 }, count, column) {
    let most = 0;
    for (let c = 0; c < count; c++) most = Math.max(most, values2[candidates[c]]);
    const scale = most > 0 ? 1 / most : 0;
    for (let c = 0; c < count; c++) rows2[c * FEATURE_COUNT + column] = values2[candidates[c]] * scale;
  }
  function writeRank({ values: values2 }, count, column) {
    let scored = 0;
    for (let c = 0; c < count; c++) {
      rows2[c * FEATURE_COUNT + column] = NO_RANK;
      if (values2[candidates[c]] > 0) order[scored++] = c;
    }
    const sorted = order.subarray(0, scored);
    sorted.sort((a, b) => values2[candidates[b]] - values2[candidates[a]] || a - b);
    for (let rank2 = 0; rank2 < scored; rank2++) rows2[sorted[rank2] * FEATURE_COUNT + column] = rank2 + 1;
  }
  function turnTo({ items }) {
    direction.fill(0);
    let weight = 1;
    for (let at = items.length - 1; at >= Math.max(0, items.length - 10); at--) {
      const from = items[at] * dimensions;
      for (let d = 0; d < dimensions; d++) direction[d] += weight * vectors[from + d];
      weight *= 0.75;
    }
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += direction[d] ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let d = 0; d < dimensions; d++) direction[d] *= scale;
  }
  function writeItem(product, last, column) {
    const from = product * STATS.length;
    for (let s = 0; s < STATS.length; s++) rows2[column++] = stats[from + s];
    rows2[column++] = (stats[from + statAt("popular5")] + SMALL) / (stats[from + statAt("popular100")] + SMALL);
    const lastPopular = stats[last * STATS.length + statAt("popular20")];
    rows2[column++] = stats[from + statAt("popular20")] / (lastPopular + SMALL);
    let likeLast = 0;
    let likeVisit = 0;
    for (let d = 0; d < dimensions; d++) {
      const value = vectors[product * dimensions + d];
      likeLast += value * vectors[last * dimensions + d];
      likeVisit += value * direction[d];
    }
    rows2[column++] = likeLast;
    rows2[column] = likeVisit;
  }
  return {
    candidates,
    rows: rows2,
    close: votes.close,
    make(query) {
      const { items } = query;
      const last = items.at(-1);
      if (last === void 0) return 0;
      const neighbours = votes.ask(items);
      scores.ask(items);
      nextOfLast.clear();
      addEdges(nextGraph, last, 1, nextOfLast);
      facts.read(query);
      turnTo(query);
      const count = gather();
      let column = 0;
      for (const { board } of boards) writeShare(board, count, column++);
      for (const board of ranked) writeRank(board, count, column++);
      for (const { values: values3 } of raw) {
        for (let c = 0; c < count; c++) rows2[c * FEATURE_COUNT + column] = values3[candidates[c]];
        column++;
      }
      const lastStats = last * STATS.length;
      let mostFollowing = 0;
      const { touched, values: values2, count: following } = scores.followsLast;
      for (let t = 0; t < following; t++) mostFollowing = Math.max(mostFollowing, values2[touched[t]]);
      const situation = [
        ...facts.situation(),
        stats[lastStats + statAt("popular20")],
        stats[lastStats + statAt("repeated")],
        stats[lastStats + statAt("ended")],
        neighbours,
        mostFollowing
      ];
      for (let c = 0; c < count; c++) {
        const product = candidates[c];
        const from = c * FEATURE_COUNT + column;
        writeItem(product, last, from);
        facts.write(product, rows2, from + ITEM.length);
        for (let s = 0; s < situation.length; s++) rows2[from + ITEM.length + VISIT.length + s] = situation[s];
      }
      return count;
    }
  };
}
function mostPopularLately({ stats, neighbours }) {
  const top = createTopK();
  top.reset(RECENTLY_POPULAR);
  for (let product = 0; product < neighbours.productCount; product++) {
    const score = stats[product * STATS.length + statAt("popular5")];
    if (score > 0) top.offer(product, score);
  }
  return top.take().indices;
}

// src/algorithms/reranker/ranker-section.ts
var RANKER_PARTS = ["near", "following", "next", "products", "trees"];
function decodeRanker(sections, neighbours) {
  const read = createSectionReader("Ranked products", FEATURES_FORMAT, sections.products);
  const { productCount } = neighbours;
  const dimensions = read.number("dimensions");
  const vectors = read.float32("vectors");
  const stats = read.float32("stats");
  const graphOf = (section) => {
    const graph = decodeItemGraph(section);
    if (graph.edges.offsets.length !== productCount + 1) throw new Error("Ranked products have graphs that do not fit");
    return graph;
  };
  const forest = decodeForest(sections.trees);
  if (vectors.length !== productCount * dimensions || stats.length !== productCount * STATS.length || forest.featureCount !== FEATURE_COUNT)
    throw new Error("Ranked products have numbers that do not fit");
  const sources = {
    neighbours,
    near: graphOf(sections.near),
    following: graphOf(sections.following),
    next: graphOf(sections.next),
    vectors,
    dimensions,
    stats
  };
  return { sources, forest };
}

// src/algorithms/session-params.ts
var BOUNDS = { k: 500, sessionsPerItem: 1e3, sessionItems: 200, queryItems: 30, idfInSimilarity: 4 };
var BROWSING = {
  ...BOUNDS,
  queryDecay: 4,
  sessionDecayDays: 120,
  neighbourDecay: 3,
  before: 0.7,
  repeat: 1,
  anchorPower: 1,
  idfInScore: 1,
  lengthNormalisation: 0.5,
  sharpness: 1.5
};
var QUICK = {
  ...BOUNDS,
  queryDecay: 2,
  sessionDecayDays: 7,
  neighbourDecay: 1.5,
  before: 1,
  repeat: 1,
  anchorPower: 1,
  idfInScore: 1,
  lengthNormalisation: 0.25,
  sharpness: 1
};
var RETURNING = {
  ...BOUNDS,
  queryDecay: 20,
  sessionDecayDays: 30,
  neighbourDecay: 10,
  before: 0.9,
  repeat: 4,
  anchorPower: 0.5,
  idfInScore: 1,
  lengthNormalisation: 0.25,
  sharpness: 1.5
};

// src/algorithms/session-neighbours-section.ts
var FORMAT8 = 1;
var PARAM_NAMES2 = Object.keys(BROWSING);
function decodeSessionNeighbours(section) {
  const reader = createSectionReader("Session neighbours", FORMAT8, section);
  const params = { ...BROWSING };
  for (const name of PARAM_NAMES2) params[name] = reader.number(name);
  const productCount = reader.number("productCount");
  const items = reader.uint32("items");
  const sessionWeights = reader.float32("sessionWeights");
  const postings = reader.uint32("postings");
  reader.rows("offsets", sessionWeights.length, items.length);
  reader.rows("postingOffsets", productCount, postings.length);
  return {
    params,
    productCount,
    sessions: { offsets: reader.uint32("offsets"), items },
    strengths: Object.hasOwn(section.arrays, "strengths") ? reader.float32("strengths") : void 0,
    sessionWeights,
    postingOffsets: reader.uint32("postingOffsets"),
    postings,
    similarityIdf: reader.float32("similarityIdf"),
    scoreIdf: reader.float32("scoreIdf")
  };
}

// src/algorithms/session-recommender.ts
function createSessionRecommender(model) {
  const { params, sessions, strengths, sessionWeights, postingOffsets, postings, similarityIdf, scoreIdf } = model;
  const { offsets, items } = sessions;
  const shared = new Float64Array(sessionWeights.length);
  const anchors = new Uint32Array(sessionWeights.length);
  const touched = new Uint32Array(sessionWeights.length);
  const scores = new Float64Array(model.productCount);
  const scored = new Uint32Array(model.productCount);
  const queryItems = new Uint32Array(params.queryItems);
  const queryWeights = new Float64Array(params.queryItems);
  const neighbours = createTopK();
  const best = createTopK();
  const after2 = decayTable(params.neighbourDecay, params.sessionItems);
  function readQuery(query) {
    let count = 0;
    const { items: asked, weights } = query;
    for (let at = asked.length - 1; at >= 0 && count < queryItems.length; at--) {
      const item = asked[at];
      if (item >= model.productCount || queryItems.subarray(0, count).includes(item)) continue;
      const weight = Math.exp(-(asked.length - 1 - at) / params.queryDecay) * (weights?.[at] ?? 1);
      if (!(weight > 0)) continue;
      queryItems[count] = item;
      queryWeights[count++] = weight;
    }
    return count;
  }
  function findNeighbours(queryLength) {
    let count = 0;
    for (let q = 0; q < queryLength; q++) {
      const item = queryItems[q];
      const weight = queryWeights[q] * similarityIdf[item];
      if (!(weight > 0)) continue;
      const end = postingOffsets[item + 1];
      for (let at = postingOffsets[item]; at < end; at++) {
        const session = postings[at];
        if (shared[session] === 0) {
          anchors[session] = q;
          touched[count++] = session;
        }
        shared[session] += weight;
      }
    }
    neighbours.reset(params.k);
    for (let t = 0; t < count; t++) {
      const session = touched[t];
      const overlap = shared[session];
      shared[session] = 0;
      const similarity2 = (params.sharpness === 1 ? overlap : overlap ** params.sharpness) * sessionWeights[session];
      if (similarity2 > 0) neighbours.offer(session, similarity2);
    }
  }
  function closeness(at, anchorAt, anchor) {
    const strength = strengths ? strengths[at] : 1;
    if (items[at] === anchor) return strength * params.repeat;
    return at > anchorAt ? strength * after2[at - anchorAt - 1] : strength * params.before * after2[anchorAt - at - 1];
  }
  function anchorPlace(session, anchor) {
    let at = offsets[session + 1] - 1;
    while (items[at] !== anchor) at--;
    return at;
  }
  function vote(n) {
    return neighbours.scoreAt(n) * queryWeights[anchors[neighbours.indexAt(n)]] ** params.anchorPower;
  }
  return {
    recommend(query, k) {
      const queryLength = readQuery(query);
      if (queryLength === 0) return NO_CANDIDATES;
      findNeighbours(queryLength);
      let count = 0;
      for (let n = 0; n < neighbours.size(); n++) {
        const session = neighbours.indexAt(n);
        const anchor = queryItems[anchors[session]];
        const anchorAt = anchorPlace(session, anchor);
        const share = vote(n);
        const end = offsets[session + 1];
        for (let at = offsets[session]; at < end; at++) {
          const item = items[at];
          const added = share * closeness(at, anchorAt, anchor);
          if (!(added > 0)) continue;
          if (scores[item] === 0) scored[count++] = item;
          scores[item] += added;
        }
      }
      best.reset(k);
      for (let c = 0; c < count; c++) {
        const item = scored[c];
        best.offer(item, scores[item] * scoreIdf[item]);
        scores[item] = 0;
      }
      return best.take();
    },
    explain(query, productIndex) {
      const queryLength = readQuery(query);
      if (queryLength === 0) return void 0;
      findNeighbours(queryLength);
      const because = new Float64Array(queryLength);
      let holding = 0;
      for (let n = 0; n < neighbours.size(); n++) {
        const session = neighbours.indexAt(n);
        const anchor = queryItems[anchors[session]];
        const anchorAt = anchorPlace(session, anchor);
        let added = 0;
        for (let at = offsets[session]; at < offsets[session + 1]; at++) {
          if (items[at] === productIndex) added += vote(n) * closeness(at, anchorAt, anchor);
        }
        if (!(added > 0)) continue;
        holding++;
        const row = items.subarray(offsets[session], offsets[session + 1]);
        for (let q = 0; q < queryLength; q++) if (row.includes(queryItems[q])) because[q] += added;
      }
      if (holding === 0) return void 0;
      const order = Array.from(because.keys()).filter((q) => because[q] > 0);
      order.sort((a, b) => because[b] - because[a] || a - b);
      return {
        becauseOf: order.map((q) => queryItems[q]),
        counts: { neighbours: holding, similar_sessions: neighbours.size() }
      };
    }
  };
}
function decayTable(decay, length) {
  return Float64Array.from({ length }, (_, step) => Math.exp(-step / decay));
}

// src/model/blend-weights.ts
var BLEND_PAGES = ["browsing", "browsing_with_cart", "cart"];
var BLEND_HISTORIES = ["one", "few", "many"];
var BLENDED_SOURCES = [
  "collaborative",
  "cart",
  "association_rules",
  "semantic",
  "popularity"
];
function sourceWeights(of) {
  return {
    collaborative: of("collaborative"),
    cart: of("cart"),
    association_rules: of("association_rules"),
    semantic: of("semantic"),
    popularity: of("popularity")
  };
}
function blendPageOf({ hasCart, isViewing = false }) {
  if (!hasCart) return "browsing";
  return isViewing ? "browsing_with_cart" : "cart";
}
function blendHistoryOf({ session }) {
  const { length } = session.items;
  if (length <= 1) return "one";
  return length <= 4 ? "few" : "many";
}
var FORMAT9 = 1;
function decodeBlendWeights({ formatNumber, arrays }) {
  const { weights } = arrays;
  const perPage = BLEND_HISTORIES.length * BLENDED_SOURCES.length;
  if (formatNumber !== FORMAT9) throw new UnknownFormat(`Weights of a blend of format ${formatNumber} are not known`);
  if (!(weights instanceof Float64Array) || weights.length !== BLEND_PAGES.length * perPage)
    throw new DataDamaged("The weights of a blend are not as many as there are sources");
  if (!weights.every((weight) => Number.isFinite(weight) && weight >= 0))
    throw new DataDamaged("The weights of a blend are not all numbers from 0");
  const weightsAt = (at) => sourceWeights((source) => weights[at + BLENDED_SOURCES.indexOf(source)] ?? 0);
  const blend = {};
  for (const [p, page2] of BLEND_PAGES.entries()) {
    const from = p * perPage;
    if (weights.subarray(from, from + perPage).every((weight) => weight === 0)) continue;
    const ofHistory = (history) => weightsAt(from + BLEND_HISTORIES.indexOf(history) * BLENDED_SOURCES.length);
    blend[page2] = { one: ofHistory("one"), few: ofHistory("few"), many: ofHistory("many") };
  }
  return blend;
}

// src/model/container.ts
var CONTAINER_FORMAT = 1;
var MAGIC3 = "AISLEMOD";
var ALIGNMENT = 8;
var ARRAY_TYPES = {
  u8: { size: 1, view: (b, from, length) => new Uint8Array(b, from, length) },
  u32: { size: 4, view: (b, from, length) => new Uint32Array(b, from, length) },
  i32: { size: 4, view: (b, from, length) => new Int32Array(b, from, length) },
  f32: { size: 4, view: (b, from, length) => new Float32Array(b, from, length) },
  f64: { size: 8, view: (b, from, length) => new Float64Array(b, from, length) }
};
function decodeContainer(bytes) {
  const aligned8 = bytes.byteOffset % ALIGNMENT === 0 ? bytes : bytes.slice();
  const header = readHeader(aligned8);
  const start = aligned(MAGIC3.length + 8 + header.length);
  const sections = /* @__PURE__ */ new Map();
  for (const [name, { formatNumber, numbers, arrays }] of Object.entries(header.value.sections)) {
    const views = {};
    for (const [arrayName, place] of Object.entries(arrays)) views[arrayName] = viewOf(aligned8, start, place);
    sections.set(name, { formatNumber, numbers, arrays: views });
  }
  return { manifest: header.value.manifest, sections };
}
function readHeader(bytes) {
  if (bytes.length < MAGIC3.length + 8 || new TextDecoder().decode(bytes.subarray(0, MAGIC3.length)) !== MAGIC3)
    throw new DataDamaged("The model snapshot does not begin as one");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = view.getUint32(MAGIC3.length, true);
  if (format !== CONTAINER_FORMAT)
    throw new DataDamaged(`The model snapshot has format ${format}; this program reads format ${CONTAINER_FORMAT}`);
  const length = view.getUint32(MAGIC3.length + 4, true);
  try {
    const text3 = new TextDecoder("utf8", { fatal: true }).decode(bytes.subarray(MAGIC3.length + 8).subarray(0, length));
    const value = JSON.parse(text3);
    return { value, length };
  } catch (cause) {
    throw new DataDamaged("The header of the model snapshot cannot be read", { cause });
  }
}
function viewOf(bytes, start, { type, offset, length }) {
  const kind = ARRAY_TYPES[type];
  const from = bytes.byteOffset + start + offset;
  if (kind === void 0 || from + length * kind.size > bytes.byteOffset + bytes.byteLength)
    throw new DataDamaged("An array of the model snapshot lies outside of it");
  return kind.view(bytes.buffer, from, length);
}
function aligned(offset) {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

// src/model/strings.ts
var FORMAT10 = 1;
function decodeStrings(section) {
  const { bytes, ends } = section.arrays;
  if (section.formatNumber !== FORMAT10 || !(bytes instanceof Uint8Array) || !(ends instanceof Uint32Array))
    throw new DataDamaged("A list of texts in the model snapshot cannot be read");
  const decoder = new TextDecoder();
  const texts2 = [];
  let start = 0;
  for (const end of ends) {
    texts2.push(decoder.decode(bytes.subarray(start, end)));
    start = end;
  }
  return texts2;
}

// src/model/snapshot.ts
var SNAPSHOT_FORMAT = 1;
function decodeSnapshot(bytes, indexes) {
  const { manifest, sections } = decodeContainer(bytes);
  if (manifest.formatNumber !== SNAPSHOT_FORMAT)
    throw new DataDamaged(`The model snapshot has contents of format ${manifest.formatNumber}`);
  const unread = [];
  const unlessUnknown = (name, decode2) => {
    try {
      return decode2();
    } catch (error) {
      if (!(error instanceof UnknownFormat)) throw error;
      unread.push(name);
      return void 0;
    }
  };
  const optional = (name, decode2) => {
    const section = sections.get(name);
    return section && unlessUnknown(name, () => decode2(section));
  };
  const products = sections.get("products");
  const scores = sections.get("popularity")?.arrays.scores;
  if (products === void 0 || !(scores instanceof Float32Array))
    throw new DataDamaged("The model snapshot lacks its products");
  const sessions = optional("session_neighbours", decodeSessionNeighbours);
  const fitted = {
    productIds: decodeStrings(products),
    popularity: scores,
    rules: optional("association_rules", decodeRules),
    cart: optional("cart_complements", decodeCartComplements),
    cartRanking: optional("cart_ranking", decodeCartRanking),
    sessions,
    ranker: sessions && unlessUnknown("ranker", () => decodeRankerOf(sessions, sections)),
    semantic: optional("embedder", (section) => decodeSemantic(section, sections.get("vectors"), indexes)),
    blend: optional("blend", decodeBlendWeights)
  };
  return { manifest, fitted, unread };
}
function decodeRankerOf(sessions, sections) {
  const { near, following, next, products, trees } = Object.fromEntries(
    RANKER_PARTS.map((part2) => [part2, sections.get(`ranker_${part2}`)])
  );
  if (near && following && next && products && trees)
    return decodeRanker({ near, following, next, products, trees }, sessions);
  if (near || following || next || products || trees)
    throw new DataDamaged("The model snapshot lacks parts of its ranker");
  return void 0;
}
function decodeSemantic(embedder, vectors, indexes) {
  const { rows: rows2, vectors: values2, index } = vectors?.arrays ?? {};
  if (!(rows2 instanceof Uint32Array) || !(values2 instanceof Float32Array) || !(index instanceof Uint8Array))
    throw new DataDamaged("The model snapshot lacks its vectors");
  const textDimensions = vectors?.numbers.textDimensions ?? 0;
  return { embedder: decodeEmbedder(embedder), textDimensions, rows: rows2, vectors: values2, index: indexes.open(index) };
}

// src/algorithms/cart-recommender.ts
function createCartRecommender(sources, ranking) {
  const candidatesOf = createCartCandidates(sources);
  const top = createTopK();
  const [ofCart, ofCustomer] = [scoresBy(ranking.cart), scoresBy(ranking.customer)];
  function answer(question, scoresOf, k, leftOut) {
    const { count, products, rows: rows2 } = candidatesOf(question);
    if (count === 0) return NO_CANDIDATES;
    const scores = scoresOf(rows2.subarray(0, count * CART_FEATURES.length));
    top.reset(k);
    for (let c = 0; c < count; c++) {
      if (scores[c] > 0 && !leftOut.has(products[c])) top.offer(products[c], scores[c]);
    }
    return top.take();
  }
  return {
    complements: (items, k) => answer({ items }, ofCart, k, NONE),
    nextOrder: (purchases2, k, repeats) => answer({ items: purchases2.products, purchases: purchases2 }, ofCustomer, k, repeats ? NONE : new Set(purchases2.products))
  };
}
var NONE = /* @__PURE__ */ new Set();
function scoresBy({ lead, forest }) {
  const scoresOf = createLeadScorer(lead, forest);
  return lead === "trees" ? (rows2) => softmax(scoresOf(rows2)) : scoresOf;
}
function softmax(scores) {
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.exp(scores[i] - most);
    sum += scores[i];
  }
  return scores.map((score) => score / sum);
}

// src/model/sources/cart.ts
function cartSource(fitted, ranked) {
  const recommender = ranked && createCartRecommender(ranked.sources, ranked.ranking);
  const askedWith = ({ basket, purchases: purchases2 }) => purchases2?.products ?? basket;
  return {
    name: "cart",
    complements: (query, k) => {
      if (askedWith(query).length === 0) return NO_CANDIDATES;
      if (query.purchases && recommender) return recommender.nextOrder(query.purchases, k, true);
      if (query.hasCart && recommender) return recommender.complements(query.basket, k);
      return complementsOf(fitted, askedWith(query), k);
    },
    alternatives: () => NO_CANDIDATES,
    explain: (query, list2, product) => {
      if (list2 !== "recommended" || askedWith(query).length === 0) return void 0;
      return explainRepeat(query, product) ?? explainComplement(fitted, askedWith(query), product);
    },
    isLearned: (query) => recommender !== void 0 && (query.hasCart || query.purchases !== void 0)
  };
}
function explainRepeat({ purchases: purchases2 }, product) {
  const at = purchases2?.products.indexOf(product) ?? -1;
  if (purchases2 === void 0 || at < 0) return void 0;
  const counts = {
    times_ordered: purchases2.times[at],
    days_since_ordered: purchases2.days[at],
    orders: purchases2.orders
  };
  return { becauseOf: [product], counts };
}

// src/algorithms/reranker/ranker.ts
function createVisitRecommender({ sources, forest }) {
  const features = createCandidateFeatures(sources);
  const addScores = createForestScorer(forest);
  const sessions = createSessionRecommender(sources.neighbours);
  const scores = new Float64Array(MAX_CANDIDATES);
  const isCandidate = new Uint8Array(sources.neighbours.productCount);
  const top = createTopK();
  function beyond(count, k) {
    for (let c = 0; c < count; c++) isCandidate[features.candidates[c]] = 1;
    top.reset(k);
    const { touched, values: values2, count: proposed } = features.close;
    for (let t = 0; t < proposed; t++) if (isCandidate[touched[t]] === 0) top.offer(touched[t], values2[touched[t]]);
    for (let c = 0; c < count; c++) isCandidate[features.candidates[c]] = 0;
    return top.take();
  }
  return {
    recommend(query, k) {
      const count = features.make(query);
      if (count === 0 || k === 0) return NO_CANDIDATES;
      scores.fill(0, 0, count);
      addScores(features.rows, count, scores);
      softmaxInPlace(scores, count);
      top.reset(k);
      for (let c = 0; c < count; c++) top.offer(features.candidates[c], scores[c]);
      const ranked = top.take();
      if (k <= count) return ranked;
      const rest = beyond(count, k - count);
      const scale = ranked.scores.at(-1) / (2 * Math.max(...rest.scores, Number.MIN_VALUE));
      return {
        indices: Uint32Array.from([...ranked.indices, ...rest.indices]),
        scores: Float64Array.from([...ranked.scores, ...rest.scores.map((score) => score * scale)])
      };
    },
    explain(query, productIndex) {
      const bySessions = sessions.explain(query, productIndex);
      const { edges } = sources.near;
      const distinct = [...new Set(query.items)].reverse();
      const related = distinct.filter(
        (item) => edges.items.subarray(edges.offsets[item], edges.offsets[item + 1]).includes(productIndex)
      );
      const timesMet = query.items.reduce((sum, item, i) => sum + (item === productIndex ? query.runs[i] : 0), 0);
      const becauseOf = bySessions?.becauseOf ?? (timesMet > 0 ? [productIndex] : related);
      if (becauseOf.length === 0) return void 0;
      return { becauseOf, counts: { ...bySessions?.counts, related: related.length, times_met: timesMet } };
    }
  };
}
function softmaxInPlace(scores, count) {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) most = Math.max(most, scores[i]);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    scores[i] = Math.exp(scores[i] - most);
    sum += scores[i];
  }
  for (let i = 0; i < count; i++) scores[i] /= sum;
}

// src/model/sources/collaborative.ts
function collaborativeSource(fitted, ranker) {
  const recommender = createSessionRecommender(fitted);
  const ranked = ranker && createVisitRecommender(ranker);
  const anchorOf = (query) => ({ items: query.anchor.slice().reverse() });
  return {
    name: "collaborative",
    complements: ({ session }, k) => {
      if (session.items.length === 0) return NO_CANDIDATES;
      return ranked ? ranked.recommend(session, k) : recommender.recommend(session, k);
    },
    alternatives: (query, k) => query.anchor.length === 0 ? NO_CANDIDATES : recommender.recommend(anchorOf(query), k),
    explain: (query, list2, product) => {
      if (list2 === "alternative") return recommender.explain(anchorOf(query), product);
      return ranked ? ranked.explain(query.session, product) : recommender.explain(query.session, product);
    }
  };
}

// src/model/sources/rules.ts
function rulesSource(rules) {
  return {
    name: "association_rules",
    complements: (query, k) => recommendFromRules(rules, query.antecedents, k),
    alternatives: () => NO_CANDIDATES,
    explain: (query, list2, product) => list2 === "recommended" ? explainRule(rules, query.antecedents, product) : void 0
  };
}

// src/algorithms/embedder-join.ts
function writeJoined(first, second, firstDimensions, to) {
  const scale = first === void 0 || second === void 0 ? 1 : Math.SQRT1_2;
  if (first !== void 0) for (const [d, value] of first.entries()) to[d] = value * scale;
  if (second !== void 0) for (const [d, value] of second.entries()) to[firstDimensions + d] = value * scale;
}

// src/model/sources/semantic.ts
function productVectors({ rows: rows2, vectors, index }, productCount) {
  const { dimensions } = index;
  const rowOf2 = new Int32Array(productCount).fill(-1);
  rows2.forEach((product, row) => {
    rowOf2[product] = row;
  });
  return (product) => {
    const row = rowOf2[product];
    return row < 0 ? void 0 : vectors.subarray(row * dimensions, (row + 1) * dimensions);
  };
}
function semanticSource(model, productCount) {
  const { rows: rows2, index } = model;
  const { dimensions } = index;
  const vectorOf2 = productVectors(model, productCount);
  const placed = ({ unseen = [] }) => unseen.map((text3) => placeText(model, text3)).filter((vector) => vector !== void 0);
  const search = (query, k) => {
    const { anchor } = query;
    const fresh = placed(query);
    const known2 = fresh.length > 0 ? fresh : [...anchor].map(vectorOf2).filter((vector) => vector !== void 0);
    const direction = meanDirection(known2, dimensions);
    if (direction === void 0) return NO_CANDIDATES;
    const found = index.search(direction, k + anchor.length);
    const products = [];
    const scores = [];
    for (let i = 0; i < found.indices.length && products.length < k; i++) {
      const product = rows2[found.indices[i]];
      if (found.similarities[i] <= 0) break;
      if (anchor.includes(product)) continue;
      products.push(product);
      scores.push(found.similarities[i]);
    }
    return { indices: Uint32Array.from(products), scores: Float64Array.from(scores) };
  };
  let last;
  const near = (query, k) => {
    if (last?.query !== query || last.k !== k) last = { query, k, found: search(query, k) };
    return last.found;
  };
  const explain2 = (query, product) => {
    const vector = vectorOf2(product);
    if (vector === void 0) return void 0;
    const fresh = placed(query);
    const reasons = fresh.length > 0 ? fresh.map((other) => ({ becauseOf: [], other })) : [...query.anchor].map((other) => ({ becauseOf: [other], other: vectorOf2(other) }));
    let best;
    let nearest2 = Number.NEGATIVE_INFINITY;
    for (const { becauseOf, other } of reasons) {
      if (other === void 0) continue;
      const similarity2 = dot(vector, other);
      if (similarity2 > nearest2) best = { becauseOf, counts: { similarity: similarity2 } };
      nearest2 = Math.max(nearest2, similarity2);
    }
    return best;
  };
  return {
    name: "semantic",
    complements: near,
    alternatives: near,
    explain: (query, _list, product) => explain2(query, product)
  };
}
function placeText({ embedder, textDimensions }, text3) {
  const own = embedText(embedder, text3);
  if (own === void 0) return void 0;
  const vector = new Float32Array(textDimensions + own.length);
  writeJoined(void 0, own, textDimensions, vector);
  return vector;
}
function meanDirection(all, dimensions) {
  const mean = new Float32Array(dimensions);
  for (const vector of all) for (let d = 0; d < dimensions; d++) mean[d] += vector[d];
  const length = Math.sqrt(dot(mean, mean));
  if (!(length > 1e-6)) return void 0;
  for (let d = 0; d < dimensions; d++) mean[d] /= length;
  return mean;
}
function dot(a, b) {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum;
}

// src/model/serving-model.ts
function loadServingModel(modelId, bytes, indexes, onUnread = () => {
}) {
  const { fitted, unread } = decodeSnapshot(bytes, indexes);
  if (unread.length > 0) onUnread(unread);
  const { productIds, popularity: popularity2 } = fitted;
  const indexOf = new Map(productIds.map((productId, index) => [productId, index]));
  const sources = [];
  if (fitted.sessions) sources.push(collaborativeSource(fitted.sessions, fitted.ranker));
  if (fitted.cart) {
    const { cart, rules, cartRanking } = fitted;
    const ranked = rules && cartRanking && { sources: { cart, rules, ...cartRanking }, ranking: cartRanking.ranking };
    sources.push(cartSource(cart, ranked));
  }
  if (fitted.rules) sources.push(rulesSource(fitted.rules));
  if (fitted.semantic) sources.push(semanticSource(fitted.semantic, productIds.length));
  return {
    modelId,
    productIds,
    indexOf: (productId) => indexOf.get(productId),
    sources,
    vectorOf: fitted.semantic && productVectors(fitted.semantic, productIds.length),
    blend: fitted.blend,
    popularity: popularity2,
    byPopularity: Uint32Array.from(productIds.keys()).sort((a, b) => popularity2[b] - popularity2[a] || a - b)
  };
}

// src/patience.ts
function createPatience(deps) {
  const { waitMs, restMs, monotonicNow } = deps;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let awayUntil = Number.NEGATIVE_INFINITY;
  const answered = () => {
    answeredAt = monotonicNow();
    awayUntil = Number.NEGATIVE_INFINITY;
  };
  const unanswered = (begunAt) => {
    if (answeredAt < begunAt) awayUntil = monotonicNow() + restMs;
  };
  const begin = (read) => {
    if (monotonicNow() < awayUntil) throw new Unavailable("The store does not answer");
    const begunAt = monotonicNow();
    const reading = read();
    reading.then(answered, (error) => error instanceof Unavailable ? unanswered(begunAt) : answered());
    return reading;
  };
  const wait = async (read) => {
    const begunAt = monotonicNow();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        unanswered(begunAt);
        reject(new Unavailable(`The store did not answer within ${waitMs} ms`));
      }, waitMs);
    });
    try {
      return await Promise.race([begin(read), late]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { wait, waitLong: async (read) => begin(read) };
}

// src/domain/app.ts
var DEFAULT_FRAME_ID = "default";
var DEFAULT_FRAME = {
  frameId: DEFAULT_FRAME_ID,
  title: "",
  recommendedCount: 10,
  alternativeCount: 10,
  includeViewed: false,
  includeBought: false,
  diversity: 0,
  updatedAt: 0
};

// src/domain/visitor.ts
function visitorKeys(ids) {
  const keys = [];
  const add = (kind, id2) => {
    const clean = cleanId(id2);
    if (clean !== "") keys.push(`${kind}:${clean}`);
  };
  add("c", ids.clientId);
  add("f", ids.fingerprintId);
  add("u", ids.userId);
  return keys;
}

// src/recommend/answer-visitor.ts
var MAX_KNOWN = 400;
var MAX_CURRENT = 100;
var MAX_COUNT = 100;
var MAX_FRAMES = 100;
function createAnswerVisitor(deps) {
  const { historyInTime = (read) => read() } = deps;
  const getFrame = async (appId, frameId) => {
    try {
      return await deps.apps.getFrame(appId, frameId);
    } catch {
      deps.metrics.count("recommend_frame_failures");
      return void 0;
    }
  };
  const frameOf = async (query) => {
    const wanted = query.frameId || DEFAULT_FRAME_ID;
    const frame = await getFrame(query.appId, wanted);
    if (frame !== void 0 || wanted === DEFAULT_FRAME_ID) return frame ?? DEFAULT_FRAME;
    deps.metrics.count("recommend_unknown_frames");
    return await getFrame(query.appId, DEFAULT_FRAME_ID) ?? DEFAULT_FRAME;
  };
  const knownOf = async (query) => {
    const keys = visitorKeys(query.visitor);
    if (keys.length === 0) return [];
    try {
      return await historyInTime(async () => {
        await deps.joinVisitors(query.appId, query.visitor);
        const visitors = await deps.visitors.find(query.appId, keys);
        const historyIds = visitors.flatMap(historyIdsOf);
        return historyIds.length === 0 ? [] : deps.interactions.recent(query.appId, historyIds, MAX_KNOWN);
      });
    } catch {
      deps.metrics.count("recommend_history_failures");
      return [];
    }
  };
  return async (query, withReasons) => {
    checkQuery2(query);
    const app = await deps.apps.get(query.appId);
    if (app === void 0) throw new NotFound("app");
    const [frame, known2, catalog, serving] = await Promise.all([
      frameOf(query),
      knownOf(query),
      deps.catalogOf(query.appId),
      deps.modelOf(query.appId)
    ]);
    const frameInteractions = await knownFrames(getFrame, query);
    return deps.recommend(
      {
        query: { ...query, frameInteractions },
        frame,
        known: known2,
        catalog,
        model: serving?.model,
        version: serving?.version ?? firstVersion(app),
        now: deps.now()
      },
      withReasons
    );
  };
}
function firstVersion(app) {
  return versionText(app.createdAt, () => false);
}
async function knownFrames(getFrame, query) {
  const names = /* @__PURE__ */ new Map();
  for (const { frameId } of query.frameInteractions) {
    if (names.has(frameId) || names.size === MAX_FRAMES) continue;
    const known2 = frameId === DEFAULT_FRAME_ID || await getFrame(query.appId, frameId) !== void 0;
    names.set(frameId, known2 ? frameId : "");
  }
  return query.frameInteractions.map((use) => ({ ...use, frameId: names.get(use.frameId) ?? "" }));
}
function historyIdsOf(visitor) {
  return visitor.contactId === "" ? [...visitor.members] : [...visitor.members, visitor.contactId];
}
function checkQuery2(query) {
  if (query.appId === "") throw new InvalidArgument("app_id", "missing");
  const lists = [
    ["current_product_ids", query.currentProductIds],
    ["current_skus", query.currentSkus],
    ["current_category_ids", query.currentCategoryIds]
  ];
  for (const [field, list2] of lists)
    if (list2.length > MAX_CURRENT) throw new InvalidArgument(field, "invalid", `at most ${MAX_CURRENT}`);
  if ((query.recommendedCount ?? 0) > MAX_COUNT)
    throw new InvalidArgument("recommended_count", "invalid", `0 to ${MAX_COUNT}`);
  if ((query.alternativeCount ?? 0) > MAX_COUNT)
    throw new InvalidArgument("alternative_count", "invalid", `0 to ${MAX_COUNT}`);
}

// src/algorithms/source-blend.ts
function placeWorth(place) {
  return Math.log1p(DEPTH / place);
}
var DEPTH = 100;

// src/recommend/blend.ts
function createBlender(productCount) {
  const sums = new Float64Array(productCount);
  return (proposals) => {
    const touched = [];
    for (const { weight, by, candidates } of proposals) {
      const best = candidates.scores[0] ?? 0;
      if (weight === 0 || by === "score" && !(best > 0)) continue;
      for (let i = 0; i < candidates.indices.length; i++) {
        const product = candidates.indices[i];
        const worth = weight * (by === "place" ? placeWorth(i + 1) : candidates.scores[i] / best);
        if (!(worth > 0)) continue;
        if (sums[product] === 0) touched.push(product);
        sums[product] += worth;
      }
    }
    touched.sort((a, b) => sums[b] - sums[a] || a - b);
    const indices2 = Uint32Array.from(touched);
    const scores = Float64Array.from(touched, (product) => sums[product]);
    for (const product of touched) sums[product] = 0;
    return { indices: indices2, scores };
  };
}

// src/recommend/diversity.ts
var PER_WANTED = 5;
var MOST_ARRANGED = 100;
function arrangement({ diversity, count, vectorOf: vectorOf2 }) {
  if (!(diversity > 0)) return void 0;
  const window = Math.min(count * PER_WANTED, MOST_ARRANGED);
  return { window, arrange: (tiers, wanted) => arrange(tiers, wanted, { window, diversity, vectorOf: vectorOf2 }) };
}
function arrange(tiers, wanted, { window, diversity, vectorOf: vectorOf2 }) {
  const all = tiers.flat();
  const size = Math.min(all.length, window);
  const placed = [];
  let place = 0;
  for (const tier of tiers) {
    const left = tier.slice(0, size - place).map((product, i) => {
      const relevance = (1 - diversity) * (1 - (place + i) / size);
      return { product, vector: vectorOf2(product), relevance, bound: relevance, compared: 0 };
    });
    place += left.length;
    while (left.length > 0 && placed.length < wanted) placed.push(...left.splice(nextOf(left, placed, diversity), 1));
  }
  return [...placed.map(({ product }) => product), ...all.slice(size)].slice(0, wanted);
}
function nextOf(left, placed, diversity) {
  for (; ; ) {
    let first = 0;
    let best = Number.NEGATIVE_INFINITY;
    let second = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < left.length; i++) {
      const { bound } = left[i];
      if (bound > best) {
        second = best;
        best = bound;
        first = i;
      } else if (bound > second) second = bound;
    }
    const candidate = left[first];
    if (candidate.compared === placed.length) return first;
    while (candidate.bound >= second && candidate.compared < placed.length) {
      const likeness = similarity(candidate, placed[candidate.compared++]);
      candidate.bound = Math.min(candidate.bound, candidate.relevance - diversity * likeness);
    }
  }
}
function similarity(a, b) {
  if (a.vector !== void 0 && b.vector !== void 0) return Math.max(0, dot2(a.vector, b.vector));
  return sharedFacts(a.product, b.product);
}
function sharedFacts(a, b) {
  const facts = [
    [a.categories.at(-1)?.categoryId, b.categories.at(-1)?.categoryId],
    [a.brand, b.brand]
  ];
  const told = facts.filter(([inA, inB]) => inA && inB);
  return told.length === 0 ? 0 : told.filter(([inA, inB]) => inA === inB).length / told.length;
}
function dot2(a, b) {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const whole = a.length - a.length % 4;
  for (let d = 0; d < whole; d += 4) {
    s0 += a[d] * b[d];
    s1 += a[d + 1] * b[d + 1];
    s2 += a[d + 2] * b[d + 2];
    s3 += a[d + 3] * b[d + 3];
  }
  for (let d = whole; d < a.length; d++) s0 += a[d] * b[d];
  return s0 + s1 + s2 + s3;
}

// src/recommend/explain.ts
function explain(products, explained) {
  const { model, query, list: list2, blended, weights } = explained;
  const scores = /* @__PURE__ */ new Map();
  blended?.indices.forEach((index, i) => {
    scores.set(index, blended.scores[i]);
  });
  const proposed = proposedBy(explained);
  return products.map(({ productId }) => {
    const index = model?.indexOf(productId);
    const shares = [];
    if (model !== void 0 && query !== void 0 && index !== void 0)
      for (const { source, found, ranks } of proposed) {
        const rank2 = ranks.get(index);
        if (rank2 === void 0) continue;
        const why = source.explain(query, list2, index);
        shares.push({
          source: source.name,
          score: found.scores[rank2],
          rank: rank2 + 1,
          becauseOf: why?.becauseOf.map((other) => model.productIds[other]) ?? [],
          counts: why?.counts ?? {}
        });
      }
    if ((weights?.popularity ?? 0) > 0 || shares.every(({ becauseOf, counts }) => becauseOf.length === 0 && Object.keys(counts).length === 0))
      shares.push(popularityShare(productId, model, explained.within));
    return { productId, score: index === void 0 ? 0 : scores.get(index) ?? 0, shares };
  });
}
function proposedBy({ model, query, list: list2, weights, candidateCount: candidateCount2 }) {
  if (model === void 0 || query === void 0 || weights === void 0) return [];
  return model.sources.filter((source) => weights[source.name] > 0).flatMap((source) => {
    try {
      const found = list2 === "recommended" ? source.complements(query, candidateCount2) : source.alternatives(query, candidateCount2);
      return [{ source, found, ranks: new Map([...found.indices].map((index, i) => [index, i])) }];
    } catch {
      return [];
    }
  });
}
function popularityShare(productId, model, within) {
  const popularityOf = (id2) => model?.popularity[model.indexOf(id2) ?? -1] ?? 0;
  const score = popularityOf(productId);
  const index = model?.indexOf(productId);
  const rank2 = model === void 0 || index === void 0 ? 0 : model.byPopularity.indexOf(index) + 1;
  if (score === 0 || !within?.has(productId)) return { source: "popularity", score, rank: rank2, becauseOf: [], counts: {} };
  const before = [...within].filter((id2) => popularityOf(id2) > score).length;
  return { source: "popularity", score, rank: rank2, becauseOf: [], counts: { rank_within: before + 1 } };
}

// src/recommend/substitutes.ts
var PRICE_BAND = 2;
var SAME_CATEGORY = 0.5;
var PRICED_ALIKE = 0.15;
var MAX_REPLACED = 5;
function toReplace(current, asked, model, catalog) {
  const met = model && asked ? Array.from(asked.anchor, (index) => model.productIds[index]) : [];
  return (current.length > 0 ? current : met).slice(0, MAX_REPLACED).map((productId) => catalog.get(productId)).filter((product) => product !== void 0);
}
function sameCategory(products, catalog) {
  const found = /* @__PURE__ */ new Set();
  for (const category of new Set(products.map(categoryOf)))
    if (category !== void 0) for (const productId of catalog.group(category) ?? []) found.add(productId);
  return found.size === 0 ? void 0 : found;
}
function categoryOf(product) {
  return product.categories.at(-1)?.categoryId;
}
function factsOf(product) {
  const price = Number(product.price.amount);
  return { category: categoryOf(product), price: price > 0 ? price : void 0, currency: product.price.currency };
}
function isSameCategory(a, b) {
  return a.category !== void 0 && a.category === b.category;
}
function pricedAlike(a, b) {
  if (a.price === void 0 || b.price === void 0 || a.currency !== b.currency) return void 0;
  return Math.max(a.price, b.price) <= PRICE_BAND * Math.min(a.price, b.price);
}
function preferSubstitutes({ indices: indices2, scores }, wanted, productAt) {
  const others = wanted.map(factsOf);
  const raised = scores.map((score, i) => {
    const product = productAt(indices2[i]);
    if (product === void 0) return score;
    const facts = factsOf(product);
    return score * others.reduce((most, other) => Math.max(most, likenessOf(facts, other)), 1);
  });
  const order = Uint32Array.from(indices2, (_, i) => i).sort(
    (a, b) => raised[b] - raised[a] || indices2[a] - indices2[b]
  );
  return { indices: order.map((i) => indices2[i]), scores: Float64Array.from(order, (i) => raised[i]) };
}
function likenessOf(facts, other) {
  return 1 + (isSameCategory(facts, other) ? SAME_CATEGORY : 0) + (pricedAlike(facts, other) ? PRICED_ALIKE : 0);
}

// src/recommend/tiers.ts
function* chain(proposals, fallback, sparing = []) {
  yield proposals;
  const spared = new Set(sparing);
  for (const tier of fallback) yield without(spared, tier);
  yield [...sparing].reverse();
}
function* without(spared, productIds) {
  for (const productId of productIds) if (!spared.has(productId)) yield productId;
}
function* flat(tiers) {
  for (const tier of tiers) yield* tier;
}
function* namesOf(indices2, model) {
  if (indices2 !== void 0 && model !== void 0) for (const index of indices2) yield model.productIds[index];
}

// src/recommend/fallback.ts
function* fallbackProducts({ model, query, catalog }, within) {
  if (within !== void 0) yield byPopularity(within, model);
  if (query.anyGroup.length > 0) return;
  yield namesOf(model?.byPopularity, model);
  yield unknownProducts(catalog, model);
}
function* insteadOf(replaced, situation, within) {
  const alike = sameCategory(replaced, situation.catalog);
  if (alike !== void 0) yield byPopularity(alike, situation.model);
  yield* fallbackProducts(situation, within);
}
function* unknownProducts(catalog, model) {
  for (const { productId } of catalog.products()) if (model?.indexOf(productId) === void 0) yield productId;
}
function byPopularity(productIds, model) {
  const score = (productId) => {
    const index = model?.indexOf(productId);
    return index === void 0 ? 0 : model?.popularity[index] ?? 0;
  };
  return [...productIds].map((productId) => ({ productId, score: score(productId) })).sort((a, b) => b.score - a.score || (a.productId < b.productId ? -1 : 1)).map(({ productId }) => productId);
}

// src/recommend/parting.ts
var MOST_CHANCE = 0.01;
function besideAlternative(proposals, viewed, alternatives, catalog, isTogether) {
  if (alternatives.length === 0) return proposals;
  const categories2 = new Set(viewed.map(categoryOf).filter((category) => category !== void 0));
  if (categories2.size === 0) return proposals;
  const isOfCategory = (product) => {
    const category = product && categoryOf(product);
    return category !== void 0 && categories2.has(category);
  };
  const isViewed = (productId) => viewed.some((product) => product.productId === productId);
  const left = new Set(alternatives);
  const first = [];
  const last = [];
  for (const productId of proposals) {
    const isSubstitute = isOfCategory(catalog.get(productId)) && !isViewed(productId) && !isTogether(productId);
    if (!isSubstitute) first.push(productId);
    else if (!left.has(productId)) last.push(productId);
  }
  return [...first, ...last];
}
function isBoughtTogether({ sources, indexOf }, query, productId) {
  const index = indexOf(productId);
  const rules = sources.find(({ name }) => name === "association_rules");
  if (index === void 0 || rules === void 0) return false;
  try {
    const { lift = 0, chance = 1 } = rules.explain({ ...query, antecedents: query.anchor }, "recommended", index)?.counts ?? {};
    return lift > 1 && chance <= MOST_CHANCE;
  } catch {
    return false;
  }
}
function recommendedShare(counts, substitutes, available) {
  const wanted = counts.recommended + counts.alternative;
  if (available >= wanted) return counts.recommended;
  const due = Math.min(substitutes, Math.floor(available * counts.alternative / wanted));
  return Math.min(counts.recommended, available - due);
}

// src/recommend/propose.ts
var BROWSING2 = { collaborative: 0.5, cart: 1, association_rules: 0.5, semantic: 0, popularity: 0 };
var WITH_CART = { collaborative: 0.2, cart: 1, association_rules: 0.1, semantic: 0, popularity: 0 };
var ALTERNATIVES = { semantic: 1, collaborative: 0.6, association_rules: 0, cart: 0, popularity: 0 };
var FILLING = 1e-4;
function weightsOf(list2, query, model) {
  if (list2 === "alternative") return { weights: ALTERNATIVES, by: "score" };
  const learned2 = query.purchases ? void 0 : model.blend?.[blendPageOf(query)];
  if (learned2 !== void 0) return { weights: learned2[blendHistoryOf(query)], by: "place" };
  const weights = query.hasCart ? WITH_CART : BROWSING2;
  const leading = model.sources.find((source) => source.isLearned?.(query))?.name;
  if (leading === void 0) return { weights, by: "score" };
  const weigh = (name) => name === leading ? 1 : weights[name] * FILLING;
  return {
    weights: sourceWeights(weigh),
    by: "score"
  };
}
function propose(model, query, list2, k, metrics) {
  const proposals = [];
  const { weights, by } = weightsOf(list2, query, model);
  for (const source of model.sources) {
    const weight = weights[source.name];
    if (weight === 0) continue;
    try {
      const candidates = list2 === "recommended" ? source.complements(query, k) : source.alternatives(query, k);
      proposals.push({ source: source.name, weight, by, candidates });
    } catch {
      metrics.count("recommend_source_failures", { source: source.name });
    }
  }
  if (weights.popularity > 0) {
    const indices2 = model.byPopularity.subarray(0, k);
    const scores = Float64Array.from(indices2, (product) => model.popularity[product]);
    proposals.push({ source: "popularity", weight: weights.popularity, by, candidates: { indices: indices2, scores } });
  }
  return proposals;
}

// src/recommend/selection.ts
var Selection = class {
  #catalog;
  #rules;
  #taken = /* @__PURE__ */ new Set();
  /** @param shown Products whose variants are not to be shown, for example the one being viewed. */
  constructor(catalog, rules, shown) {
    this.#catalog = catalog;
    this.#rules = rules;
    for (const productId of shown) {
      const group = catalog.get(productId)?.variantGroupId;
      if (group) this.#taken.add(`group:${group}`);
    }
  }
  /**
   * Products in the order of the proposals, or as they are arranged, those of `rules.last` behind the others; each turn
   * moves the list on by half its length, within some times its length; its first `count` are taken. Proposals come in
   * tiers, better ones first, and are read only as far as needed.
   */
  pick(tiers, count, turns, arrangement2) {
    if (count === 0) return [];
    const turn = Math.ceil(turns * count / 2);
    const found = this.#find(tiers, turn === 0 ? count : count * ROTATION_POOL, arrangement2);
    const start = found.length === 0 ? 0 : turn % found.length;
    const picked = [...found.slice(start), ...found.slice(0, start)].slice(0, count);
    for (const product of picked) for (const name of namesOf2(product)) this.#taken.add(name);
    return picked;
  }
  /** Ids of the first `count` products a pick would find now. Takes none of them. */
  foresee(proposals, count) {
    return this.#find([proposals], count).map((product) => product.productId);
  }
  #find(tiers, pool, arrangement2) {
    const sought = Math.max(pool, arrangement2?.window ?? 0);
    const byTier = [];
    const late = [];
    const seen = /* @__PURE__ */ new Set();
    let left = sought;
    for (const tier of tiers) {
      if (left === 0) break;
      const inTier = [];
      byTier.push(inTier);
      for (const productId of tier) {
        if (left === 0) break;
        const product = this.#passing(productId, seen);
        if (product === void 0) continue;
        if (this.#rules.last.has(productId)) late.push(product);
        else {
          inTier.push(product);
          left--;
          for (const name of namesOf2(product)) seen.add(name);
        }
      }
    }
    const found = arrangement2 === void 0 ? byTier.flat() : arrangement2.arrange(byTier, pool);
    for (const product of late) {
      if (found.length === pool) break;
      if (namesOf2(product).some((name) => seen.has(name))) continue;
      found.push(product);
      for (const name of namesOf2(product)) seen.add(name);
    }
    return found;
  }
  #passing(productId, seen) {
    const { excluded, allowed } = this.#rules;
    if (excluded.has(productId) || allowed !== void 0 && !allowed.has(productId)) return void 0;
    const product = this.#catalog.get(productId);
    if (product === void 0 || !isShown(product)) return void 0;
    if (product.title === "" && this.#catalog.hasTitles) return void 0;
    return namesOf2(product).some((name) => this.#taken.has(name) || seen.has(name)) ? void 0 : product;
  }
};
var ROTATION_POOL = 3;
function namesOf2(product) {
  return product.variantGroupId === "" ? [`product:${product.productId}`] : [`product:${product.productId}`, `group:${product.variantGroupId}`];
}

// src/model/product-text.ts
function productText(product) {
  return {
    title: product.title,
    description: product.description,
    brand: product.brand,
    categories: product.categories.map((category) => category.name || category.categoryId)
  };
}

// src/recommend/situation.ts
var MAX_UNSEEN = 5;
function currentProducts(query, catalog) {
  const ids = new Set(query.currentProductIds);
  if (query.currentProductIds.length === 0) for (const sku of query.currentSkus) ids.add(catalog.idOfSku(sku) ?? sku);
  return [...ids];
}
function unseenTexts(current, catalog, model) {
  const products = current.slice(0, MAX_UNSEEN).filter((productId) => model.indexOf(productId) === void 0);
  return products.map((productId) => catalog.get(productId)).filter((product) => product !== void 0).map(productText);
}
function excludedProducts(query, frame, context, current) {
  const excluded = /* @__PURE__ */ new Set([...query.excludeProductIds, ...context.cart]);
  if (!frame.includeViewed) for (const productId of current) excluded.add(productId);
  if (!frame.includeBought) for (const productId of context.bought) excluded.add(productId);
  return excluded;
}
function allowedProducts(groups, catalog, missing) {
  if (groups.length === 0) return void 0;
  const allowed = /* @__PURE__ */ new Set();
  for (const groupId of groups) {
    const group = catalog.group(groupId);
    if (group === void 0) missing.add(groupId);
    else for (const productId of group) allowed.add(productId);
  }
  return allowed;
}
function categoryProducts(query, catalog) {
  const products = /* @__PURE__ */ new Set();
  for (const categoryId of query.currentCategoryIds)
    for (const productId of catalog.group(categoryId) ?? []) products.add(productId);
  return products.size === 0 ? void 0 : products;
}
function turnOf({ query, frame, version }) {
  if (query.clientVersion !== "" && query.clientVersion !== version) return 0;
  const isDefault = frame.frameId === DEFAULT_FRAME_ID;
  return query.frameInteractions.filter((use) => use.frameId === frame.frameId || isDefault && use.frameId === "").length;
}

// src/algorithms/reranker/visits.ts
var MAX_VISIT_STEPS = 60;

// src/model/source-query.ts
var MAX_ANTECEDENTS2 = 20;
var MAX_ANCHORS = 5;
function situationQuery({ session, here, cart, last, purchases: purchases2 }) {
  const anchor = here.length > 0 ? here : last === void 0 ? [] : [last];
  return {
    session,
    antecedents: Uint32Array.from(/* @__PURE__ */ new Set([...here, ...[...cart].reverse(), ...[...session.items].reverse()])).slice(
      0,
      MAX_ANTECEDENTS2
    ),
    basket: Uint32Array.from(new Set(cart.length > 0 ? [...cart, ...here] : anchor)),
    hasCart: cart.length > 0,
    isViewing: here.length > 0,
    purchases: here.length === 0 ? purchases2 : void 0,
    anchor: Uint32Array.from(anchor.slice(0, MAX_ANCHORS))
  };
}

// src/recommend/source-query.ts
var TYPE_WEIGHT = { product_view: 1, add_to_cart: 1.5, order: 1.5 };
function sourceQuery(context, current, model, now) {
  const items = [];
  const weights = [];
  const runs = [];
  const add = (index, weight, again) => {
    if (items.at(-1) === index) {
      weights[weights.length - 1] = Math.max(weights[weights.length - 1], weight);
      runs[runs.length - 1] += again;
    } else {
      items.push(index);
      weights.push(weight);
      runs.push(1);
    }
  };
  for (const step of context.sequence.slice(-MAX_VISIT_STEPS)) {
    const index = model.indexOf(step.productId);
    if (index !== void 0) add(index, TYPE_WEIGHT[step.type], step.type === "product_view" ? 1 : 0);
  }
  const here = indices(current, model);
  for (const index of [...here].reverse()) add(index, 1, 0);
  const cart = indices(context.cart, model);
  const isKnown = (step) => model.indexOf(step.productId) !== void 0;
  const last = context.sequence.findLast((step) => step.type === "product_view" && isKnown(step)) ?? context.sequence.findLast(isKnown);
  return situationQuery({
    session: { items: Uint32Array.from(items), weights: Float32Array.from(weights), runs: Uint32Array.from(runs) },
    here,
    cart,
    last: last && model.indexOf(last.productId),
    purchases: here.length === 0 ? purchases(context, model, now) : void 0
  });
}
function purchases({ sequence }, model, now) {
  if (sequence.length === 0 || sequence.some((step) => step.type !== "order")) return void 0;
  const orders = /* @__PURE__ */ new Map();
  for (const { productId, at } of sequence) {
    const index = model.indexOf(productId);
    if (index === void 0) continue;
    const order = orders.get(at);
    if (order === void 0) orders.set(at, [index]);
    else order.push(index);
  }
  if (orders.size === 0) return void 0;
  return purchasesOf(
    [...orders].map(([at, products]) => ({ at, products })),
    now
  );
}
function indices(productIds, model) {
  return productIds.map((productId) => model.indexOf(productId)).filter((index) => index !== void 0);
}

// src/recommend/visitor-context.ts
var MAX_INTERACTIONS_PER_TYPE = 1e3;
var CART_LIFETIME_MS = 24 * 36e5;
var SAME_INTERACTION_MS = 10 * 6e4;
function visitorContext(client, server, idOfSku, now) {
  const fromClient = newest(
    client.map(({ type, productId, sku, at }) => ({ type, at, productId: productId || sku && (idOfSku(sku) ?? sku) })).filter((step) => step.productId !== "")
  );
  const fromServer = newest(
    server.flatMap(({ type, at, productIds }) => productIds.map((productId) => ({ type, at, productId })))
  );
  const sequence = join8(fromClient, fromServer);
  const lastOrder = sequence.findLast((step) => step.type === "order")?.at ?? Number.NEGATIVE_INFINITY;
  const cart = /* @__PURE__ */ new Set();
  const viewed = /* @__PURE__ */ new Set();
  const bought = /* @__PURE__ */ new Set();
  for (const { type, productId, at } of sequence) {
    if (type === "product_view") viewed.add(productId);
    else if (type === "order") bought.add(productId);
    else if (at > lastOrder && at >= now - CART_LIFETIME_MS) cart.add(productId);
  }
  return { sequence, viewed, bought, cart: [...cart] };
}
function newest(steps) {
  const sorted = steps.every((step, i) => i === 0 || steps[i - 1].at <= step.at) ? steps : steps.sort((a, b) => a.at - b.at);
  if (sorted.length <= MAX_INTERACTIONS_PER_TYPE) return sorted;
  const left = {
    product_view: MAX_INTERACTIONS_PER_TYPE,
    add_to_cart: MAX_INTERACTIONS_PER_TYPE,
    order: MAX_INTERACTIONS_PER_TYPE
  };
  return sorted.reverse().filter((step) => left[step.type]-- > 0).reverse();
}
function join8(client, server) {
  if (server.length === 0) return [...client];
  if (client.length === 0) return [...server];
  const times = /* @__PURE__ */ new Map();
  for (const step of client) {
    const key = `${step.type}:${step.productId}`;
    const known2 = times.get(key);
    if (known2 === void 0) times.set(key, [step.at]);
    else known2.push(step.at);
  }
  const news = server.filter(
    (step) => !times.get(`${step.type}:${step.productId}`)?.some((at) => step.type === "order" || Math.abs(at - step.at) <= SAME_INTERACTION_MS)
  );
  return [...client, ...news].sort((a, b) => a.at - b.at);
}

// src/recommend/recommend.ts
var CANDIDATES = 200;
function createRecommender({ metrics }) {
  const blenders = /* @__PURE__ */ new WeakMap();
  function blended(model, asked, list2, count) {
    if (count === 0) return void 0;
    let blend = blenders.get(model);
    if (blend === void 0) {
      blend = createBlender(model.productIds.length);
      blenders.set(model, blend);
    }
    return blend(propose(model, asked, list2, candidateCount(count), metrics));
  }
  return (situation, withReasons) => {
    const { query, frame, catalog, model } = situation;
    const missing = /* @__PURE__ */ new Set();
    const context = visitorContext(query.interactions, situation.known, (sku) => catalog.idOfSku(sku), situation.now);
    const current = currentProducts(query, catalog);
    for (const productId of current) if (catalog.get(productId) === void 0) missing.add(productId);
    if (query.frameId !== "" && query.frameId !== frame.frameId) missing.add(query.frameId);
    const allowed = allowedProducts(query.anyGroup, catalog, missing);
    const within = allowed ?? categoryProducts(query, catalog);
    const asked = model && {
      ...sourceQuery(context, current, model, situation.now),
      unseen: unseenTexts(current, catalog, model)
    };
    const replaced = toReplace(current, asked, model, catalog);
    const selection = new Selection(
      catalog,
      {
        excluded: excludedProducts(query, frame, context, current),
        last: frame.includeViewed ? /* @__PURE__ */ new Set() : context.viewed,
        allowed
      },
      frame.includeViewed ? [] : current
    );
    const counts = {
      recommended: query.recommendedCount ?? frame.recommendedCount,
      alternative: query.alternativeCount ?? frame.alternativeCount
    };
    const complements = model && asked && blended(model, asked, "recommended", counts.recommended);
    const similar = model && asked && blended(model, asked, "alternative", counts.alternative);
    const substitutes = model && similar && preferSubstitutes(similar, replaced, (index) => catalog.get(model.productIds[index]));
    const turn = turnOf(situation);
    const turned = (count) => turn === 0 ? count : count * ROTATION_POOL;
    const wanted = counts.recommended + counts.alternative;
    const spared = selection.foresee(
      namesOf(substitutes?.indices, model),
      counts.recommended === 0 ? 0 : turned(wanted)
    );
    const there = spared.length === 0 ? wanted : selection.foresee(allowed ?? flat(fallbackProducts(situation, void 0)), wanted).length;
    const completing = besideAlternative(
      [...namesOf(complements?.indices, model)],
      replaced,
      spared.slice(0, turned(counts.alternative)),
      catalog,
      (productId) => model !== void 0 && asked !== void 0 && isBoughtTogether(model, asked, productId)
    );
    const recommended = selection.pick(
      chain(completing, fallbackProducts(situation, within), spared),
      recommendedShare(counts, spared.length, there),
      turn,
      arrangement({
        diversity: frame.diversity,
        count: counts.recommended,
        vectorOf: (product) => vectorOf(product, model)
      })
    );
    const alternative = selection.pick(
      chain(namesOf(substitutes?.indices, model), insteadOf(replaced, situation, within)),
      counts.alternative,
      turn
    );
    const reasons = (list2, products, blend) => {
      if (!withReasons) return [];
      return explain(products, {
        model,
        query: asked,
        list: list2,
        blended: blend,
        weights: model && asked && weightsOf(list2, asked, model).weights,
        candidateCount: candidateCount(counts[list2]),
        within: (list2 === "alternative" ? sameCategory(replaced, catalog) : void 0) ?? within
      });
    };
    const first = current[0];
    return {
      version: situation.version,
      trackerProduct: first === void 0 ? null : { productId: first, known: catalog.get(first) },
      recommended,
      alternative,
      frameId: frame.frameId,
      variant: "",
      modelId: model?.modelId ?? "",
      missingIds: [...missing],
      recommendedReasons: reasons("recommended", recommended, complements),
      alternativeReasons: reasons("alternative", alternative, substitutes)
    };
  };
}
function candidateCount(count) {
  return Math.max(CANDIDATES, count * 10);
}
function vectorOf({ productId }, model) {
  const index = model?.indexOf(productId);
  return index === void 0 ? void 0 : model?.vectorOf?.(index);
}

// src/services/errors.ts
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";

// src/gen/google/rpc/error_details_pb.ts
import { fileDesc as fileDesc17, messageDesc as messageDesc17 } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_duration as file_google_protobuf_duration2 } from "@bufbuild/protobuf/wkt";
var file_google_rpc_error_details = /* @__PURE__ */ fileDesc17("Ch5nb29nbGUvcnBjL2Vycm9yX2RldGFpbHMucHJvdG8SCmdvb2dsZS5ycGMikwEKCUVycm9ySW5mbxIOCgZyZWFzb24YASABKAkSDgoGZG9tYWluGAIgASgJEjUKCG1ldGFkYXRhGAMgAygLMiMuZ29vZ2xlLnJwYy5FcnJvckluZm8uTWV0YWRhdGFFbnRyeRovCg1NZXRhZGF0YUVudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAEiOwoJUmV0cnlJbmZvEi4KC3JldHJ5X2RlbGF5GAEgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uIjIKCURlYnVnSW5mbxIVCg1zdGFja19lbnRyaWVzGAEgAygJEg4KBmRldGFpbBgCIAEoCSKPAwoMUXVvdGFGYWlsdXJlEjYKCnZpb2xhdGlvbnMYASADKAsyIi5nb29nbGUucnBjLlF1b3RhRmFpbHVyZS5WaW9sYXRpb24axgIKCVZpb2xhdGlvbhIPCgdzdWJqZWN0GAEgASgJEhMKC2Rlc2NyaXB0aW9uGAIgASgJEhMKC2FwaV9zZXJ2aWNlGAMgASgJEhQKDHF1b3RhX21ldHJpYxgEIAEoCRIQCghxdW90YV9pZBgFIAEoCRJRChBxdW90YV9kaW1lbnNpb25zGAYgAygLMjcuZ29vZ2xlLnJwYy5RdW90YUZhaWx1cmUuVmlvbGF0aW9uLlF1b3RhRGltZW5zaW9uc0VudHJ5EhMKC3F1b3RhX3ZhbHVlGAcgASgDEh8KEmZ1dHVyZV9xdW90YV92YWx1ZRgIIAEoA0gAiAEBGjYKFFF1b3RhRGltZW5zaW9uc0VudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAFCFQoTX2Z1dHVyZV9xdW90YV92YWx1ZSKVAQoTUHJlY29uZGl0aW9uRmFpbHVyZRI9Cgp2aW9sYXRpb25zGAEgAygLMikuZ29vZ2xlLnJwYy5QcmVjb25kaXRpb25GYWlsdXJlLlZpb2xhdGlvbho/CglWaW9sYXRpb24SDAoEdHlwZRgBIAEoCRIPCgdzdWJqZWN0GAIgASgJEhMKC2Rlc2NyaXB0aW9uGAMgASgJIswBCgpCYWRSZXF1ZXN0Ej8KEGZpZWxkX3Zpb2xhdGlvbnMYASADKAsyJS5nb29nbGUucnBjLkJhZFJlcXVlc3QuRmllbGRWaW9sYXRpb24afQoORmllbGRWaW9sYXRpb24SDQoFZmllbGQYASABKAkSEwoLZGVzY3JpcHRpb24YAiABKAkSDgoGcmVhc29uGAMgASgJEjcKEWxvY2FsaXplZF9tZXNzYWdlGAQgASgLMhwuZ29vZ2xlLnJwYy5Mb2NhbGl6ZWRNZXNzYWdlIjcKC1JlcXVlc3RJbmZvEhIKCnJlcXVlc3RfaWQYASABKAkSFAoMc2VydmluZ19kYXRhGAIgASgJImAKDFJlc291cmNlSW5mbxIVCg1yZXNvdXJjZV90eXBlGAEgASgJEhUKDXJlc291cmNlX25hbWUYAiABKAkSDQoFb3duZXIYAyABKAkSEwoLZGVzY3JpcHRpb24YBCABKAkiVgoESGVscBIkCgVsaW5rcxgBIAMoCzIVLmdvb2dsZS5ycGMuSGVscC5MaW5rGigKBExpbmsSEwoLZGVzY3JpcHRpb24YASABKAkSCwoDdXJsGAIgASgJIjMKEExvY2FsaXplZE1lc3NhZ2USDgoGbG9jYWxlGAEgASgJEg8KB21lc3NhZ2UYAiABKAlCbAoOY29tLmdvb2dsZS5ycGNCEUVycm9yRGV0YWlsc1Byb3RvUAFaP2dvb2dsZS5nb2xhbmcub3JnL2dlbnByb3RvL2dvb2dsZWFwaXMvcnBjL2VycmRldGFpbHM7ZXJyZGV0YWlsc6ICA1JQQ2IGcHJvdG8z", [file_google_protobuf_duration2]);
var ErrorInfoSchema = /* @__PURE__ */ messageDesc17(file_google_rpc_error_details, 0);
var RetryInfoSchema = /* @__PURE__ */ messageDesc17(file_google_rpc_error_details, 1);
var BadRequestSchema = /* @__PURE__ */ messageDesc17(file_google_rpc_error_details, 5);

// src/services/errors.ts
var ERROR_DOMAIN = "aisle";
function toConnectError(error) {
  if (error instanceof ConnectError) return error;
  if (error instanceof InvalidArgument) {
    const violation = {
      fieldViolations: [
        { field: error.field, description: error.accepted, reason: error.fault === "missing" ? "MISSING" : "INVALID" }
      ]
    };
    return new ConnectError(error.message, Code.InvalidArgument, void 0, [
      { desc: BadRequestSchema, value: violation }
    ]);
  }
  if (error instanceof NotFound) return withReason(error, Code.NotFound, `${error.resource.toUpperCase()}_NOT_FOUND`);
  if (error instanceof AlreadyExists)
    return withReason(error, Code.AlreadyExists, error.resource === "app" ? "APP_EXISTS" : "IDEMPOTENCY_KEY_REUSED");
  if (error instanceof Conflict)
    return error.kind === "aborted" ? withReason(error, Code.Aborted, "ABORTED") : withReason(error, Code.FailedPrecondition, "PRECONDITION");
  if (error instanceof RateLimited) {
    const { limit, windowMs } = error.limit;
    const metadata = { limit: String(limit), window_seconds: String(Math.ceil(windowMs / 1e3)) };
    return withRetry(error, Code.ResourceExhausted, { reason: "RATE_LIMITED", metadata });
  }
  if (error instanceof Unavailable) return withRetry(error, Code.Unavailable, { reason: "UNAVAILABLE" });
  if (isHangUp(error)) return new ConnectError("the caller went away", Code.Canceled, void 0, void 0, error);
  return new ConnectError("internal error", Code.Internal, void 0, void 0, error);
}
var HANG_UPS = /* @__PURE__ */ new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "ABORT_ERR", "EPIPE"]);
function isHangUp(error) {
  return error instanceof Error && "code" in error && HANG_UPS.has(error.code);
}
function withReason(error, code, reason) {
  return new ConnectError(error.message, code, void 0, [
    { desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN } }
  ]);
}
function withRetry(error, code, info) {
  return new ConnectError(
    error.message,
    code,
    void 0,
    [
      { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(Math.ceil(error.retryAfterMs)) } },
      { desc: ErrorInfoSchema, value: { ...info, domain: ERROR_DOMAIN } }
    ],
    error.cause
  );
}
function guarded(report, handler) {
  return async (...args) => {
    try {
      return await handler(...args);
    } catch (error) {
      throw reported(report, error);
    }
  };
}
function guardedStream(report, handler) {
  return async function* (...args) {
    try {
      yield* handler(...args);
    } catch (error) {
      throw reported(report, error);
    }
  };
}
function reported(report, error) {
  const mapped = toConnectError(error);
  if (mapped.code === Code.Internal) report(error);
  return mapped;
}

// src/services/messages.ts
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
function msOf(timestamp) {
  return timestamp === void 0 ? null : Number(timestamp.seconds) * 1e3 + Math.floor(timestamp.nanos / 1e6);
}
function timestampOf(ms) {
  return ms === 0 ? void 0 : timestampFromMs(ms);
}
function moneyOf(message) {
  return { amount: message?.amount ?? "", currency: message?.currency ?? "" };
}
function moneyMessage(money) {
  return money.amount === "" && money.currency === "" ? void 0 : { ...money };
}
function visitorIdsOf(message) {
  return {
    clientId: message?.clientId ?? "",
    fingerprintId: message?.fingerprintId ?? "",
    userId: message?.userId ?? ""
  };
}

// src/services/paging.ts
var DEFAULT_PAGE = 100;
var MAX_PAGE = 1e3;
function pageSize(asked) {
  return asked === 0 ? DEFAULT_PAGE : Math.min(asked, MAX_PAGE);
}
function pageToken(lastId) {
  return lastId === "" ? "" : Buffer.from(lastId, "utf8").toString("base64url");
}
function readPageToken(token) {
  if (token === "") return "";
  const id2 = Buffer.from(token, "base64url").toString("utf8");
  if (pageToken(id2) !== token)
    throw new InvalidArgument("page_token", "invalid", "the next_page_token of an earlier answer");
  return id2;
}
function page(found, size, idOf2) {
  if (found.length <= size) return [found, ""];
  const kept = found.slice(0, size);
  const last = kept.at(-1);
  return [kept, last === void 0 ? "" : pageToken(idOf2(last))];
}

// src/services/require-app.ts
async function requireApp(apps, appId) {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  if (await apps.get(appId) === void 0) throw new NotFound("app");
}

// src/services/app-service.ts
var MAX_FRAME_COUNT = 100;
var MAX_NAME = 255;
var ID_RULE = "1 to 64 of A-Z a-z 0-9 _ -";
function createAppService(deps) {
  const { apps, report } = deps;
  return {
    createApp: guarded(report, async (request) => {
      const settings = readSettings(request.app);
      const appId = request.app?.appId || deps.newAppId();
      if (!isAppId(appId)) throw new InvalidArgument("app.app_id", "invalid", ID_RULE);
      const at = deps.now();
      const app = { appId, ...settings, createdAt: at, updatedAt: at };
      if (!await apps.create(app)) throw new AlreadyExists("app", "There is an app with this id already");
      return { app: appMessage(app) };
    }),
    getApp: guarded(report, async (request) => {
      if (request.appId === "") throw new InvalidArgument("app_id", "missing");
      const app = await apps.get(request.appId);
      if (app === void 0) throw new NotFound("app");
      return { app: appMessage(app) };
    }),
    listApps: guarded(report, async (request) => {
      const size = pageSize(request.pageSize);
      const found = await apps.list(readPageToken(request.pageToken), size + 1);
      const [kept, nextPageToken] = page(found, size, (app) => app.appId);
      return { apps: kept.map(appMessage), nextPageToken };
    }),
    updateApp: guarded(report, async (request) => {
      const settings = readSettings(request.app);
      if (!request.app?.appId) throw new InvalidArgument("app.app_id", "missing");
      const before = await apps.get(request.app.appId);
      if (before === void 0) throw new NotFound("app");
      const app = { ...before, ...settings, updatedAt: deps.now() };
      if (!await apps.update(app)) throw new NotFound("app");
      return { app: appMessage(app) };
    }),
    deleteApp: guarded(report, async (request) => {
      if (request.appId === "") throw new InvalidArgument("app_id", "missing");
      if (!await apps.delete(request.appId)) throw new NotFound("app");
      deps.onDeleted(request.appId);
      return {};
    }),
    getFrameConfiguration: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const frame = await apps.getFrame(request.appId, request.frameId);
      if (frame === void 0 && request.frameId !== DEFAULT_FRAME_ID) throw new NotFound("frame_configuration");
      return { frameConfiguration: frameMessage(frame ?? DEFAULT_FRAME) };
    }),
    listFrameConfigurations: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const size = pageSize(request.pageSize);
      const found = await apps.listFrames(request.appId, readPageToken(request.pageToken), size + 1);
      const [frames, nextPageToken] = page(found, size, (frame) => frame.frameId);
      const first = request.pageToken === "" && !frames.some((frame) => frame.frameId === DEFAULT_FRAME_ID);
      return { frameConfigurations: [...first ? [DEFAULT_FRAME] : [], ...frames].map(frameMessage), nextPageToken };
    }),
    setFrameConfiguration: guarded(report, async (request) => {
      const asked = request.frameConfiguration;
      if (!asked?.frameId) throw new InvalidArgument("frame_configuration.frame_id", "missing");
      if (!isAppId(asked.frameId)) throw new InvalidArgument("frame_configuration.frame_id", "invalid", ID_RULE);
      checkCount("recommended_count", asked.recommendedCount);
      checkCount("alternative_count", asked.alternativeCount);
      if (!(asked.diversity >= 0 && asked.diversity <= 1))
        throw new InvalidArgument("frame_configuration.diversity", "invalid", "0 to 1");
      checkName("frame_configuration.title", asked.title);
      await requireApp(apps, request.appId);
      const frame = {
        frameId: asked.frameId,
        title: asked.title,
        recommendedCount: asked.recommendedCount,
        alternativeCount: asked.alternativeCount,
        includeViewed: asked.includeViewed,
        includeBought: asked.includeBought,
        // A store may keep -0 as 0.
        diversity: asked.diversity + 0,
        updatedAt: deps.now()
      };
      await apps.putFrame(request.appId, frame);
      return { frameConfiguration: frameMessage(frame) };
    }),
    deleteFrameConfiguration: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const deleted = await apps.deleteFrame(request.appId, request.frameId);
      if (!deleted && request.frameId !== DEFAULT_FRAME_ID) throw new NotFound("frame_configuration");
      return {};
    })
  };
}
function readSettings(app) {
  if (app === void 0) throw new InvalidArgument("app", "missing");
  checkName("app.display_name", app.displayName);
  for (const origin of app.allowedOrigins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin))
      throw new InvalidArgument("app.allowed_origins", "invalid", "origins such as https://shop.example");
  }
  return { displayName: app.displayName, allowedOrigins: [...app.allowedOrigins] };
}
function checkName(field, text3) {
  if (text3 !== "" && (Buffer.byteLength(text3) > MAX_NAME || /\p{Cc}/u.test(text3)))
    throw new InvalidArgument(field, "invalid", `at most ${MAX_NAME} bytes without control characters`);
}
function checkCount(field, count) {
  if (count > MAX_FRAME_COUNT)
    throw new InvalidArgument(`frame_configuration.${field}`, "invalid", `0 to ${MAX_FRAME_COUNT}`);
}
function appMessage(app) {
  return {
    appId: app.appId,
    displayName: app.displayName,
    allowedOrigins: [...app.allowedOrigins],
    createdAt: timestampOf(app.createdAt),
    updatedAt: timestampOf(app.updatedAt)
  };
}
function frameMessage(frame) {
  return { ...frame, updatedAt: timestampOf(frame.updatedAt) };
}

// src/services/product-messages.ts
function productDraft(message) {
  return {
    productId: message.productId,
    sku: message.sku,
    variantGroupId: message.variantGroupId,
    title: message.title,
    description: message.description,
    categories: message.categories.map(({ categoryId, name }) => ({ categoryId, name })),
    brand: message.brand,
    price: moneyOf(message.price),
    url: message.url,
    imageUrl: message.imageUrl,
    available: message.availability !== 2 /* OUT_OF_STOCK */,
    hidden: message.hidden,
    tags: [...message.tags],
    attributes: { ...message.attributes }
  };
}
function productMessage(product) {
  return {
    productId: product.productId,
    sku: product.sku,
    variantGroupId: product.variantGroupId,
    title: product.title,
    description: product.description,
    categories: product.categories.map((category) => ({ ...category })),
    brand: product.brand,
    price: moneyMessage(product.price),
    url: product.url,
    imageUrl: product.imageUrl,
    availability: product.available ? 1 /* IN_STOCK */ : 2 /* OUT_OF_STOCK */,
    hidden: product.hidden,
    tags: [...product.tags],
    attributes: { ...product.attributes },
    origin: product.origin === "catalog" ? 1 /* CATALOG */ : 2 /* EVENT */,
    updatedAt: timestampOf(product.updatedAt)
  };
}

// src/services/refusals.ts
var MAX_BATCH = 1e3;
var MAX_LISTED2 = 1e3;
function bulkAppId(known2, named) {
  if (known2 === "" && named === "") throw new InvalidArgument("app_id", "missing");
  if (known2 !== "" && named !== "" && named !== known2)
    throw new InvalidArgument("app_id", "invalid", "the app of the first batch");
  return known2 || named;
}
function refusalOf(error) {
  if (error instanceof InvalidArgument) return { field: error.field, reason: reasonText(error.fault, error.accepted) };
  if (error instanceof AlreadyExists) return { field: "idempotency_key", reason: reasonText("reused", "") };
  throw error;
}
function reasonText(fault, accepted) {
  if (fault === "missing") return "is missing";
  if (fault === "reused") return "The idempotency key was used with another body";
  return `is not accepted: ${accepted}`;
}
function createRefusals() {
  const refused = [];
  let count = 0;
  const list2 = (index, field, reason) => {
    count++;
    if (refused.length < MAX_LISTED2) refused.push({ index: BigInt(index), field, reason });
  };
  return {
    list: list2,
    add(index, error) {
      const { field, reason } = refusalOf(error);
      list2(index, field, reason);
    },
    answer: () => ({ refused, refusedCount: BigInt(count) })
  };
}

// src/services/catalog-service.ts
function createCatalogService(deps) {
  const { report } = deps;
  return {
    upsertProducts: guarded(report, async (requests) => {
      const refusals = createRefusals();
      let appId = "";
      let index = 0;
      let accepted = 0;
      for await (const { appId: named, products } of requests) {
        appId = bulkAppId(appId, named);
        if (products.length > MAX_BATCH)
          throw new InvalidArgument("products", "invalid", `at most ${MAX_BATCH} a batch`);
        const refused = await deps.upsertProducts(appId, products.map(productDraft));
        for (const item of refused) refusals.list(index + item.index, item.field, item.reason);
        accepted += products.length - refused.length;
        index += products.length;
      }
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      return { accepted: BigInt(accepted), ...refusals.answer() };
    }),
    getProduct: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.productId === "" === (request.sku === ""))
        throw new InvalidArgument(
          "product_id",
          request.sku === "" ? "missing" : "invalid",
          "one of product_id and sku"
        );
      const product = request.productId === "" ? await deps.products.getBySku(request.appId, request.sku) : await deps.products.get(request.appId, request.productId);
      if (product === void 0) throw new NotFound("product");
      return { product: productMessage(product) };
    }),
    listProducts: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const size = pageSize(request.pageSize);
      const found = await deps.products.list(request.appId, readPageToken(request.pageToken), size + 1);
      const [products, nextPageToken] = page(found, size, (product) => product.productId);
      return { products: products.map(productMessage), nextPageToken };
    }),
    deleteProduct: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.productId === "") throw new InvalidArgument("product_id", "missing");
      await deps.deleteProduct(request.appId, request.productId);
      return {};
    })
  };
}

// src/services/direct-clients.ts
import {
  create
} from "@bufbuild/protobuf";
import {
  createServiceImplSpec
} from "@connectrpc/connect";

// src/services/direct-context.ts
import {
  Code as Code2,
  ConnectError as ConnectError2,
  createContextValues,
  createHandlerContext
} from "@connectrpc/connect";

// src/services/unless-aborted.ts
async function unlessAborted(signal, work) {
  signal.throwIfAborted();
  let onAbort = () => {
  };
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

// src/services/direct-context.ts
var DirectContext = class {
  constructor(service, method, options) {
    this.service = service;
    this.method = method;
    this.#options = options;
    const { timeoutMs, signal } = options ?? {};
    if (timeoutMs === void 0 && signal === void 0) return;
    this.#limits = createHandlerContext({
      service,
      method,
      protocolName: this.protocolName,
      requestMethod: this.requestMethod,
      url: "",
      ...timeoutMs !== void 0 && { timeoutMs },
      ...signal !== void 0 && { requestSignal: signal }
    });
  }
  service;
  method;
  protocolName = "direct";
  requestMethod = "POST";
  #options;
  #limits;
  #controller;
  #requestHeader;
  #responseHeader;
  #responseTrailer;
  #values;
  /** The caller set a deadline or a signal, so that waiting for the handler must go through `within`. */
  get limited() {
    return this.#limits !== void 0;
  }
  get url() {
    return `direct:/${this.service.typeName}/${this.method.name}`;
  }
  get signal() {
    if (this.#limits !== void 0) return this.#limits.signal;
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }
  get requestHeader() {
    this.#requestHeader ??= new Headers(this.#options?.headers);
    return this.#requestHeader;
  }
  get responseHeader() {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }
  get responseTrailer() {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }
  get values() {
    this.#values ??= this.#options?.contextValues ?? createContextValues();
    return this.#values;
  }
  /** A property, as the interface has it: handlers may take it off the context. */
  timeoutMs = () => this.#limits?.timeoutMs();
  /** `work`, unless the caller's deadline or signal comes first. The handler itself is told by its signal only. */
  async within(work) {
    return this.#limits === void 0 ? work() : unlessAborted(this.#limits.signal, work);
  }
  /** Shows the caller what the handler set, if the caller asked for it. */
  showHeader() {
    this.#options?.onHeader?.(this.responseHeader);
  }
  /** Ends a call that succeeded. */
  finish() {
    this.#options?.onTrailer?.(this.responseTrailer);
    this.#end(void 0);
  }
  /** Ends a call that failed and gives the error its caller gets. */
  fail(thrown) {
    const error = this.#callerError(thrown);
    this.#end(error);
    return error;
  }
  /** Ends a call whose caller stopped reading. */
  cancel() {
    this.#end(new ConnectError2("the caller stopped reading", Code2.Canceled));
  }
  #callerError(thrown) {
    const signal = this.#limits?.signal;
    if (signal?.aborted) return ConnectError2.from(signal.reason, Code2.Canceled);
    if (thrown instanceof ConnectError2) return thrown;
    return new ConnectError2("internal error", Code2.Internal, void 0, void 0, thrown);
  }
  /** Signals fire at the end of a call too, as over the wire; the deadline's timer goes with them. */
  #end(reason) {
    this.#limits?.abort(reason);
    this.#controller?.abort(reason);
  }
};

// src/services/direct-clients.ts
function directClient(service, implementation) {
  const spec = createServiceImplSpec(service, implementation);
  const methods = Object.entries(spec.methods).map(([name, method]) => [name, directMethod(service, method)]);
  return Object.fromEntries(methods);
}
function directMethod(service, spec) {
  const { input, output } = spec.method;
  switch (spec.kind) {
    case "unary":
      return async (request, options) => {
        const context = new DirectContext(service, spec.method, options);
        return single(context, output, () => spec.impl(create(input, request), context));
      };
    case "client_streaming":
      return async (requests, options) => {
        const context = new DirectContext(service, spec.method, options);
        return single(context, output, () => spec.impl(messages(input, requests), context));
      };
    case "server_streaming":
      return (request, options) => {
        const context = new DirectContext(service, spec.method, options);
        return many(context, output, () => spec.impl(create(input, request), context));
      };
    case "bidi_streaming":
      return (requests, options) => {
        const context = new DirectContext(service, spec.method, options);
        return many(context, output, () => spec.impl(messages(input, requests), context));
      };
  }
}
async function single(context, output, run) {
  try {
    const answer = create(output, await (context.limited ? context.within(run) : run()));
    context.showHeader();
    context.finish();
    return answer;
  } catch (error) {
    throw context.fail(error);
  }
}
async function* many(context, output, run) {
  let answers;
  let over = false;
  try {
    const opened = run()[Symbol.asyncIterator]();
    answers = opened;
    for (let first = true; ; first = false) {
      const next = await context.within(() => opened.next());
      if (first) context.showHeader();
      if (next.done === true) break;
      yield create(output, next.value);
    }
    over = true;
    context.finish();
  } catch (error) {
    over = true;
    answers?.return?.()?.then(void 0, () => {
    });
    throw context.fail(error);
  } finally {
    if (!over) {
      context.cancel();
      await answers?.return?.();
    }
  }
}
async function* messages(input, requests) {
  for await (const request of requests) yield create(input, request);
}

// src/services/event-service.ts
import { durationFromMs as durationFromMs2 } from "@bufbuild/protobuf/wkt";

// src/services/event-messages.ts
function eventDraft(message) {
  if (message === void 0) throw new InvalidArgument("event", "missing");
  const { contact, order } = message;
  return {
    actionType: message.actionType,
    sender: message.senderType === 2 /* SERVER */ ? "server" : "browser",
    bot: message.bot,
    occurredAt: msOf(message.occurredAt),
    visitor: visitorIdsOf(message.visitor),
    contact: contact ? {
      email: contact.email,
      phone: contact.phone,
      firstName: contact.firstName,
      lastName: contact.lastName,
      country: contact.country,
      city: contact.city,
      gender: contact.gender,
      birthDate: contact.birthDate,
      tags: contact.tags,
      emailSubscribed: contact.emailSubscribed ?? null,
      smsSubscribed: contact.smsSubscribed ?? null
    } : null,
    products: message.products.map(productDraft2),
    categories: message.categories,
    order: order ? {
      orderId: order.orderId,
      status: order.status,
      payment: moneyOf(order.payment),
      basePayment: moneyOf(order.basePayment),
      coupon: order.coupon
    } : null,
    searchQuery: message.searchQuery,
    platform: message.platform,
    platformVersion: message.platformVersion,
    senderVersion: message.senderVersion,
    extraFields: message.extraFields
  };
}
function productDraft2(product) {
  return {
    productId: product.productId,
    sku: product.sku,
    variantId: product.variantId,
    title: product.title,
    imageUrl: product.imageUrl,
    url: product.url,
    quantity: product.quantity,
    available: product.available ?? null,
    categories: product.categories,
    brandId: product.brandId,
    brandName: product.brandName,
    price: moneyOf(product.price)
  };
}
function eventMessage(event) {
  return {
    eventId: event.eventId,
    actionType: event.actionType,
    senderType: event.sender === "server" ? 2 /* SERVER */ : 1 /* BROWSER */,
    bot: event.bot,
    occurredAt: timestampOf(event.occurredAt),
    receivedAt: timestampOf(event.receivedAt),
    visitor: { ...event.visitor },
    contact: event.contact === null ? void 0 : {
      ...event.contact,
      tags: [...event.contact.tags],
      emailSubscribed: event.contact.emailSubscribed ?? void 0,
      smsSubscribed: event.contact.smsSubscribed ?? void 0
    },
    products: event.products.map((product) => ({
      ...product,
      available: product.available ?? void 0,
      categories: product.categories.map((category) => ({ ...category })),
      price: moneyMessage(product.price)
    })),
    categories: event.categories.map((category) => ({ ...category })),
    order: event.order === null ? void 0 : {
      orderId: event.order.orderId,
      status: event.order.status,
      payment: moneyMessage(event.order.payment),
      basePayment: moneyMessage(event.order.basePayment),
      coupon: event.order.coupon
    },
    searchQuery: event.searchQuery,
    platform: event.platform,
    platformVersion: event.platformVersion,
    senderVersion: event.senderVersion,
    extraFields: { ...event.extraFields },
    notes: [...event.notes]
  };
}

// src/services/rejected-events.ts
function rejectedEventHandlers(deps) {
  const { apps, rejectedEvents, rejecting, report } = deps;
  return {
    listRejectedEvents: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      await rejecting.settled();
      const size = pageSize(request.pageSize);
      const found = await rejectedEvents.list(request.appId, readPageToken(request.pageToken), size + 1);
      const [shown, nextPageToken] = page(found, size, ({ rejectedId }) => rejectedId);
      return { rejectedEvents: shown.map(rejectedEventMessage), nextPageToken };
    }),
    replayRejectedEvents: guarded(report, async (request) => {
      const { appId, rejectedEventIds, correctedEvent } = request;
      await requireApp(apps, appId);
      if (rejectedEventIds.length > REJECTED_LOG_LIMITS.events)
        throw new InvalidArgument("rejected_event_ids", "invalid", `at most ${REJECTED_LOG_LIMITS.events}`);
      if (correctedEvent !== void 0 && rejectedEventIds.length !== 1)
        throw new InvalidArgument("corrected_event", "invalid", "with exactly one of rejected_event_ids");
      const correction = correctedEvent && eventDraft(correctedEvent);
      await rejecting.settled();
      const ids = rejectedEventIds.length > 0 ? rejectedEventIds : await idsToReplay(rejectedEvents, appId);
      const replayed = [];
      const refused = [];
      for (const rejectedEventId of ids) {
        try {
          const { eventId, deduplicated, notes } = await deps.replayRejectedEvent(appId, rejectedEventId, correction);
          replayed.push({ rejectedEventId, eventId, deduplicated, notes: [...notes] });
        } catch (error) {
          refused.push({ rejectedEventId, ...refusalOfReplay(error) });
        }
      }
      return { replayed, refused };
    })
  };
}
async function idsToReplay(store2, appId) {
  const found = await store2.list(appId, "", REJECTED_LOG_LIMITS.events);
  return found.filter(({ event }) => event !== null).map(({ rejectedId }) => rejectedId).reverse();
}
function refusalOfReplay(error) {
  if (error instanceof NotFound && error.resource === "rejected_event")
    return { field: "rejected_event_ids", reason: "is not in the log" };
  return refusalOf(error);
}
function rejectedEventMessage(rejected) {
  const { rejectedId, rejectedAt, event, idempotencyKey, field, fault, accepted, replayedAs } = rejected;
  return {
    rejectedEventId: rejectedId,
    rejectedAt: timestampOf(rejectedAt),
    event: event === null ? void 0 : { ...eventMessage(event), receivedAt: void 0 },
    idempotencyKey,
    field,
    reason: reasonText(fault, accepted),
    replayedEventId: replayedAs
  };
}

// src/services/event-service.ts
var MAX_LOOKED_AT = 2e4;
function createEventService(deps) {
  const { report } = deps;
  return {
    recordEvent: guarded(report, async (request) => {
      if (request.appId === "") throw new InvalidArgument("app_id", "missing");
      const { eventId, deduplicated, visitorChanged, notes, allowance } = await deps.recordEvent(
        request.appId,
        eventDraft(request.event),
        request.idempotencyKey,
        true
      );
      return {
        eventId,
        deduplicated,
        visitorChanged,
        notes: [...notes],
        senderAllowance: allowance && {
          limit: allowance.limit,
          window: durationFromMs2(Math.ceil(allowance.windowMs)),
          remaining: allowance.remaining,
          resetAfter: durationFromMs2(Math.ceil(allowance.resetMs))
        }
      };
    }),
    ...rejectedEventHandlers(deps),
    recordEvents: guarded(report, async (requests) => recordAll(deps, requests)),
    getEvent: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.eventId === "") throw new InvalidArgument("event_id", "missing");
      const event = await deps.events.get(request.appId, request.eventId);
      if (event === void 0) throw new NotFound("event");
      return { event: eventMessage(event) };
    }),
    listEvents: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const size = pageSize(request.pageSize);
      const keys = new Set(visitorKeys(visitorIdsOf(request.visitor)));
      const matches = (event) => keys.size === 0 || hasKey(event.visitor, keys);
      const found = [];
      let from = readPageToken(request.pageToken);
      let atEnd = false;
      for (let lookedAt = 0; found.length < size && lookedAt < MAX_LOOKED_AT; ) {
        const wanted = keys.size === 0 ? size - found.length : 1e3;
        const events = await deps.events.list(request.appId, from, wanted, request.newestFirst);
        lookedAt += events.length;
        for (const event of events) {
          if (found.length === size) break;
          from = event.eventId;
          if (matches(event)) found.push(event);
        }
        atEnd = events.length < wanted;
        if (atEnd) break;
      }
      const more = !atEnd || found.length === size;
      return {
        events: found.map(eventMessage),
        nextPageToken: request.newestFirst && !more ? "" : pageToken(from)
      };
    })
  };
}
async function recordAll(deps, requests) {
  const refusals = createRefusals();
  let appId = "";
  let index = 0;
  let accepted = 0;
  let deduplicated = 0;
  const store2 = async (first, { events, idempotencyKeys }) => {
    const sent = (i) => ({ draft: eventDraft(events[i]), idempotencyKey: idempotencyKeys[i] ?? "" });
    for (const [i, result] of (await deps.recordEvents(appId, events.length, sent)).entries()) {
      if (result.status === "fulfilled") {
        if (result.value === "deduplicated") deduplicated++;
        else accepted++;
      } else if (concernsAll(result.reason)) {
        throw result.reason;
      } else {
        refusals.add(first + i, result.reason);
      }
    }
  };
  let underWay = Promise.resolve();
  for await (const request of unlessFailed(requests, () => underWay)) {
    const { appId: named, events, idempotencyKeys } = request;
    appId = bulkAppId(appId, named);
    if (events.length > MAX_BATCH) throw new InvalidArgument("events", "invalid", `at most ${MAX_BATCH} a batch`);
    if (idempotencyKeys.length !== 0 && idempotencyKeys.length !== events.length)
      throw new InvalidArgument("idempotency_keys", "invalid", "one for each event, or none at all");
    await underWay;
    underWay = store2(index, request);
    underWay.catch(() => void 0);
    index += events.length;
  }
  await underWay;
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  return { accepted: BigInt(accepted), deduplicated: BigInt(deduplicated), ...refusals.answer() };
}
async function* unlessFailed(requests, underWay) {
  const iterator = requests[Symbol.asyncIterator]();
  try {
    for (; ; ) {
      const next = iterator.next();
      const { done, value } = await Promise.race([next, underWay().then(() => next)]);
      if (done === true) return;
      yield value;
    }
  } finally {
    await Promise.allSettled([underWay()]);
    iterator.return?.().catch(() => void 0);
  }
}
function concernsAll(error) {
  return !(error instanceof DomainError) || error instanceof Unavailable || error instanceof NotFound;
}
function hasKey(visitor, keys) {
  return visitorKeys(visitor).some((key) => keys.has(key));
}

// src/training/dataset.ts
var SESSION_GAP_MS = 30 * 6e4;

// src/algorithms/reranker/learn-ranker.ts
var BOOSTING = {
  ...BOOSTING_DEFAULTS,
  trees: 300,
  leaves: 24,
  learningRate: 0.05,
  minHessian: 10,
  patience: 20,
  focus: 0.2,
  thinAfter: 10,
  thinTo: 32
};
var SOME = { ...BOOSTING, trees: 200, leaves: 15, learningRate: 0.1, minHessian: 5 };
var FEW = { ...SOME, trees: 150, leaves: 6, learningRate: 0.07, l2: 10, topShare: 1, otherShare: 0 };

// src/training/train-model.ts
var TRAINING_SEED = 20261121;
var POPULARITY_HALF_LIFE_MS = 30 * 864e5;

// src/services/evaluation-messages.ts
var KINDS = {
  answer: 1 /* ANSWER */,
  source: 2 /* SOURCE */,
  baseline: 3 /* BASELINE */
};
function evaluationMessage(evaluation) {
  return {
    cutOff: timestampOf(evaluation.cutOff),
    seed: evaluation.seed,
    dataCounts: Object.fromEntries(Object.entries(evaluation.dataCounts).map(([name, count]) => [name, BigInt(count)])),
    tasks: evaluation.tasks.map(taskMessage),
    algorithms: evaluation.algorithms.map(algorithmMessage)
  };
}
function algorithmMessage(algorithm) {
  return { ...algorithm, facts: { ...algorithm.facts } };
}
function taskMessage({ rankings, ...task }) {
  return {
    ...task,
    rankings: rankings.map(({ name, kind, figures, byHistory }) => ({
      name,
      kind: KINDS[kind],
      figures: { ...figures },
      byHistory: byHistory.map((part2) => ({ ...part2, figures: { ...part2.figures } }))
    }))
  };
}

// src/services/model-service.ts
var DEFAULT_QUERIES = 5e3;
var MAX_QUERIES = 1e6;
function createModelService(deps) {
  const { report } = deps;
  return {
    trainModel: guardedStream(report, (request) => trainModel(deps, request.appId)),
    getModel: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      return { model: await modelOf(deps, request.appId, request.modelId) };
    }),
    listModels: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const pointer = await deps.models.pointer(request.appId);
      const records = await deps.models.list(request.appId);
      const after2 = readPageToken(request.pageToken);
      const start = after2 === "" ? 0 : records.findIndex((record) => record.modelId === after2) + 1;
      const size = pageSize(request.pageSize);
      const [models, nextPageToken] = page(records.slice(start, start + size + 1), size, (record) => record.modelId);
      return { models: models.map((record) => modelMessage(record, pointer)), nextPageToken };
    }),
    activateModel: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.modelId === "") throw new InvalidArgument("model_id", "missing");
      await deps.activate(request.appId, request.modelId);
      return { model: await modelOf(deps, request.appId, request.modelId) };
    }),
    evaluateModel: guardedStream(
      report,
      (request, context) => evaluateModel(deps, request, context.signal)
    )
  };
}
async function modelOf(deps, appId, modelId) {
  const pointer = await deps.models.pointer(appId);
  const wanted = modelId || pointer?.modelId;
  const record = (await deps.models.list(appId)).find((one) => one.modelId === wanted);
  if (record === void 0) throw new NotFound("model");
  return modelMessage(record, pointer);
}
async function* trainModel(deps, appId) {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  const record = yield* withProgress((onProgress) => deps.trainer.train(appId, onProgress));
  const pointer = await deps.models.pointer(appId);
  yield { stage: "done", progress: 1, model: modelMessage(record, pointer) };
}
async function* evaluateModel(deps, { appId, maxQueries, seed }, signal) {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  if (maxQueries > MAX_QUERIES) throw new InvalidArgument("max_queries", "invalid", `0 to ${MAX_QUERIES}`);
  const query = { appId, maxQueries: maxQueries || DEFAULT_QUERIES, seed: seed || TRAINING_SEED };
  const left = new AbortController();
  try {
    const either = AbortSignal.any([signal, left.signal]);
    const evaluation = yield* withProgress((onProgress) => deps.evaluate(query, onProgress, either));
    yield { stage: "done", progress: 1, evaluation: evaluationMessage(evaluation) };
  } finally {
    left.abort();
  }
}
async function* withProgress(work) {
  const waiting = [];
  let wake = () => {
  };
  let ended = false;
  const result = work((progress) => {
    waiting.push(progress);
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  result.then(end, end);
  while (!ended || waiting.length > 0) {
    const progress = waiting.shift();
    if (progress !== void 0) yield progress;
    else
      await new Promise((resolve3) => {
        wake = resolve3;
      });
  }
  return result;
}
function modelMessage(record, pointer) {
  const active = record.modelId === pointer?.modelId;
  return {
    modelId: record.modelId,
    version: active ? pointer?.version ?? "" : "",
    active,
    createdAt: timestampOf(record.createdAt),
    cutOff: timestampOf(record.manifest.cutOff),
    sizeBytes: BigInt(record.sizeBytes),
    trainingMs: BigInt(record.trainingMs),
    dataCounts: Object.fromEntries(
      Object.entries(record.manifest.dataCounts).map(([name, count]) => [name, BigInt(count)])
    ),
    algorithms: record.manifest.algorithms.map(algorithmMessage)
  };
}

// src/services/recommendation-service.ts
var TYPES2 = {
  [1 /* PRODUCT_VIEW */]: "product_view",
  [2 /* ADD_TO_CART */]: "add_to_cart",
  [3 /* ORDER */]: "order"
};
var SOURCES3 = {
  association_rules: 1 /* ASSOCIATION_RULES */,
  semantic: 2 /* SEMANTIC */,
  collaborative: 3 /* COLLABORATIVE */,
  cart: 4 /* CART */,
  popularity: 5 /* POPULARITY */
};
var MAX_FRAME_INTERACTIONS = 1e3;
function createRecommendationService(deps) {
  const { report } = deps;
  return {
    recommend: guarded(
      report,
      async (request) => responseMessage(await deps.answer(queryOf2(request), false), deps.newRequestId())
    ),
    explainRecommendation: guarded(report, async ({ request }) => {
      if (request === void 0) throw new InvalidArgument("request", "missing");
      const answer = await deps.answer(queryOf2(request), true);
      return {
        response: responseMessage(answer, deps.newRequestId()),
        recommendedReasons: answer.recommendedReasons.map(reasonMessage),
        alternativeReasons: answer.alternativeReasons.map(reasonMessage)
      };
    })
  };
}
function queryOf2(request) {
  return {
    appId: request.appId,
    visitor: visitorIdsOf(request.visitor),
    interactions: request.interactions.map(interactionOf),
    frameInteractions: request.frameInteractions.slice(-MAX_FRAME_INTERACTIONS).map((use) => ({ frameId: use.frameId, at: msOf(use.occurredAt) ?? 0 })),
    currentProductIds: request.currentProductIds,
    currentSkus: request.currentSkus,
    currentCategoryIds: request.currentCategoryIds,
    frameId: request.frameId,
    anyGroup: request.filter?.anyGroup ?? [],
    excludeProductIds: request.filter?.excludeProductIds ?? [],
    clientVersion: request.clientVersion,
    recommendedCount: request.recommendedCount ?? null,
    alternativeCount: request.alternativeCount ?? null
  };
}
function interactionOf(interaction, index) {
  const type = TYPES2[interaction.type];
  if (type === void 0)
    throw new InvalidArgument(`interactions[${index}].type`, "invalid", "PRODUCT_VIEW, ADD_TO_CART or ORDER");
  const at = msOf(interaction.occurredAt);
  if (at === null) throw new InvalidArgument(`interactions[${index}].occurred_at`, "missing");
  return { type, productId: interaction.productId, sku: interaction.sku, at };
}
function responseMessage(answer, requestId) {
  return {
    version: answer.version,
    trackerProduct: answer.trackerProduct === null ? void 0 : trackerMessage(answer.trackerProduct),
    recommended: answer.recommended.map(cardMessage),
    alternative: answer.alternative.map(cardMessage),
    requestId,
    frameId: answer.frameId,
    variant: answer.variant,
    modelId: answer.modelId,
    missingIds: [...answer.missingIds]
  };
}
function cardMessage(product) {
  return {
    productId: product.productId,
    title: product.title,
    imageUrl: product.imageUrl,
    url: product.url,
    price: moneyMessage(product.price),
    categoryId: product.categories.at(-1)?.categoryId ?? ""
  };
}
function trackerMessage({
  productId,
  known: known2
}) {
  return known2 === void 0 ? { productId } : cardMessage(known2);
}
function reasonMessage(reason) {
  return {
    productId: reason.productId,
    score: reason.score,
    sources: reason.shares.map((share) => ({
      source: SOURCES3[share.source],
      score: share.score,
      rank: share.rank,
      becauseOf: [...share.becauseOf],
      counts: { ...share.counts }
    }))
  };
}

// src/services/subscription-service.ts
function createSubscriptionService(deps) {
  const { report } = deps;
  return {
    getStatus: guarded(report, async (request) => {
      const status = await deps.getStatus(request.appId, visitorIdsOf(request.visitor));
      return { identified: status.identified, emailState: stateOf(status.email), smsState: stateOf(status.sms) };
    }),
    setSubscription: guarded(report, async (request) => {
      const contact = await deps.setSubscription(request.appId, {
        email: request.email,
        phone: request.phone,
        emailSubscribed: statusOf(request.emailState, "email_state"),
        smsSubscribed: statusOf(request.smsState, "sms_state"),
        reason: request.reason,
        visitor: request.visitor === void 0 ? null : visitorIdsOf(request.visitor)
      });
      return { contact: contactMessage(contact) };
    }),
    getContact: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const named = [request.email, request.phone, request.contactId].filter((text3) => text3 !== "");
      if (named.length !== 1)
        throw new InvalidArgument(
          "email",
          named.length === 0 ? "missing" : "invalid",
          "one of email, phone, contact_id"
        );
      const contact = await find(deps.contacts, request);
      if (contact === void 0) throw new NotFound("contact");
      return { contact: contactMessage(contact) };
    }),
    listChanges: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const size = pageSize(request.pageSize);
      const after2 = readPageToken(request.pageToken);
      const found = await deps.contacts.changes(request.appId, request.contactId, after2, size + 1);
      const [changes, nextPageToken] = page(found, size, (change) => change.changeId);
      return { changes: changes.map(changeMessage), nextPageToken };
    })
  };
}
async function find(contacts, by) {
  if (by.contactId !== "") return contacts.get(by.appId, by.contactId);
  const key = by.email !== "" ? emailKey(by.email) && `e:${emailKey(by.email)}` : `p:${phoneKey(by.phone)}`;
  if (key === "") throw new InvalidArgument("email", "invalid", "an e-mail address");
  if (key === "p:") throw new InvalidArgument("phone", "invalid", "5 to 20 digits, with + when international");
  return contacts.find(by.appId, key);
}
function stateOf(status) {
  if (status === null) return 1 /* UNKNOWN */;
  return status ? 2 /* SUBSCRIBED */ : 3 /* UNSUBSCRIBED */;
}
function statusOf(state2, field) {
  switch (state2) {
    case 0 /* UNSPECIFIED */:
      return null;
    case 2 /* SUBSCRIBED */:
      return true;
    case 3 /* UNSUBSCRIBED */:
      return false;
    default:
      throw new InvalidArgument(field, "invalid", "SUBSCRIBED or UNSUBSCRIBED");
  }
}
function contactMessage(contact) {
  return {
    contactId: contact.contactId,
    email: contact.email,
    phone: contact.phone,
    emailState: stateOf(contact.emailSubscription.status),
    smsState: stateOf(contact.smsSubscription.status),
    firstName: contact.firstName,
    lastName: contact.lastName,
    country: contact.country,
    city: contact.city,
    gender: contact.gender,
    birthDate: contact.birthDate,
    tags: [...contact.tags],
    createdAt: timestampOf(contact.createdAt)
  };
}
function changeMessage(change) {
  return {
    changeId: change.changeId,
    contactId: change.contactId,
    channel: change.channel === "email" ? 1 /* EMAIL */ : 2 /* SMS */,
    oldState: stateOf(change.from),
    newState: stateOf(change.to),
    occurredAt: timestampOf(change.occurredAt),
    source: change.source,
    eventId: change.eventId,
    reason: change.reason
  };
}

// src/subscription/ledger.ts
function state(tx, contact, statement) {
  const before = contact[`${statement.channel}Subscription`];
  if (statement.onlyUnknown && before.status !== null) return { contact, effect: "known" };
  if (statement.at < before.changedAt || statement.at === before.changedAt && statement.by <= before.changedBy)
    return { contact, effect: "older" };
  const next = { status: statement.subscribed, changedAt: statement.at, changedBy: statement.by };
  const after2 = { ...contact, [`${statement.channel}Subscription`]: next };
  tx.contacts.put(after2.contactId, after2);
  if (before.status === statement.subscribed) return { contact: after2, effect: "confirmed" };
  const changeId = `${statement.by}:${statement.channel}`;
  tx.changes.put(changeId, {
    changeId,
    contactId: contact.contactId,
    channel: statement.channel,
    from: before.status,
    to: statement.subscribed,
    occurredAt: statement.at,
    recordedAt: statement.recordedAt,
    source: statement.source,
    eventId: statement.eventId,
    reason: statement.reason
  });
  return { contact: after2, effect: "changed" };
}

// src/subscription/apply-event.ts
var applySubscription = (tx, event, identity) => {
  const said = event.contact;
  if (said === null || identity.contact === void 0) return NO_OUTCOME;
  const subscribe = event.actionType === "subscribe";
  const byEmail = emailKey(said.email) !== "";
  const byPhone = phoneKey(said.phone) !== "";
  const statements = [];
  if (subscribe) {
    if (byEmail) statements.push(["email", said.emailSubscribed ?? true]);
    if (byPhone && said.smsSubscribed !== null) statements.push(["sms", said.smsSubscribed]);
    else if (byPhone && !byEmail) statements.push(["sms", said.emailSubscribed ?? true]);
  } else {
    if (said.emailSubscribed !== null && identity.contact.email !== "")
      statements.push(["email", said.emailSubscribed]);
    if (said.smsSubscribed !== null && identity.contact.phone !== "") statements.push(["sms", said.smsSubscribed]);
  }
  let contact = identity.contact;
  let visitorChanged = false;
  const notes = [];
  for (const [channel, subscribed] of statements) {
    const result = state(tx, contact, {
      channel,
      subscribed,
      at: event.occurredAt,
      by: event.eventId,
      recordedAt: event.receivedAt,
      source: "event",
      eventId: event.eventId,
      reason: event.actionType,
      onlyUnknown: !subscribe
    });
    contact = result.contact;
    visitorChanged ||= result.effect === "changed";
    if (result.effect === "older") notes.push(`the ${channel} subscription has newer knowledge and stays as it is`);
    if (result.effect === "known" && contact[`${channel}Subscription`].status !== subscribed)
      notes.push(`the ${channel} subscription is known; only a subscribe event changes it`);
  }
  return { visitorChanged, notes };
};

// src/subscription/contacts.ts
function takeContact(tx, names, newContactId, at) {
  const email = emailKey(names.email);
  const phone = phoneKey(names.phone);
  if (email === "" && phone === "") return { contact: void 0, notes: [] };
  const notes = [];
  const byEmail = email === "" ? void 0 : lookUp(tx, `e:${email}`);
  const byPhone = phone === "" ? void 0 : lookUp(tx, `p:${phone}`);
  const before = byEmail ?? (byPhone !== void 0 && (email === "" || byPhone.email === "") ? byPhone : void 0);
  const contact = before ?? {
    contactId: newContactId,
    email: "",
    phone: "",
    firstName: "",
    lastName: "",
    country: "",
    city: "",
    gender: "",
    birthDate: "",
    tags: [],
    emailSubscription: UNKNOWN,
    smsSubscription: UNKNOWN,
    createdAt: at
  };
  const phoneIsFree = byPhone === void 0 || byPhone.contactId === contact.contactId;
  if (phone !== "" && !phoneIsFree)
    notes.push("the phone belongs to another contact and stays there; the e-mail decides");
  const takesPhone = phone !== "" && phoneIsFree;
  const after2 = {
    ...contact,
    email: contact.email === "" && email !== "" ? names.email.trim() : contact.email,
    phone: takesPhone ? names.phone.trim() : contact.phone,
    firstName: names.firstName || contact.firstName,
    lastName: names.lastName || contact.lastName,
    country: names.country || contact.country,
    city: names.city || contact.city,
    gender: names.gender || contact.gender,
    birthDate: names.birthDate || contact.birthDate,
    tags: names.tags.length > 0 ? names.tags : contact.tags
  };
  if (before === void 0 || !sameTexts(before, after2)) tx.contacts.put(after2.contactId, after2);
  if (email !== "" && byEmail === void 0) tx.contactKeys.put(`e:${email}`, after2.contactId);
  if (takesPhone && byPhone === void 0) {
    const old = phoneKey(contact.phone);
    if (old !== "" && old !== phone) tx.contactKeys.delete(`p:${old}`);
    tx.contactKeys.put(`p:${phone}`, after2.contactId);
  }
  return { contact: after2, notes };
}
function lookUp(tx, key) {
  const contactId = tx.contactKeys.get(key);
  return contactId === void 0 ? void 0 : tx.contacts.get(contactId);
}
function sameTexts(a, b) {
  return a.email === b.email && a.phone === b.phone && a.firstName === b.firstName && a.lastName === b.lastName && a.country === b.country && a.city === b.city && a.gender === b.gender && a.birthDate === b.birthDate && a.tags.length === b.tags.length && a.tags.every((tag, index) => tag === b.tags[index]);
}

// src/subscription/visitors.ts
var MAX_KEYS = 64;
function joinVisitor(tx, ids, newVisitorId, at) {
  const notes = [];
  const deviceKeys = visitorKeys({ ...ids, userId: "" });
  const userKey = cleanId(ids.userId) === "" ? "" : `u:${cleanId(ids.userId)}`;
  const keys = deviceKeys.length > 0 ? deviceKeys : userKey === "" ? [] : [userKey];
  if (keys.length === 0) return { visitor: void 0, contactChanged: false, notes };
  const found = findAll(tx, keys);
  let visitor = found.length === 0 ? void 0 : found.reduce(absorb);
  if (userKey !== "" && deviceKeys.length > 0 && !visitor?.keys.some((key) => key.startsWith("u:"))) {
    keys.push(userKey);
    const user = findAll(tx, [userKey])[0];
    if (user !== void 0 && user.visitorId !== visitor?.visitorId) {
      found.push(user);
      visitor = visitor === void 0 ? user : absorb(visitor, user);
    }
  }
  visitor ??= { visitorId: newVisitorId, keys: [], members: [newVisitorId], contactId: "", linkedAt: 0, createdAt: at };
  const missing = keys.filter((key) => !visitor?.keys.includes(key));
  if (visitor.keys.length + missing.length > MAX_KEYS && found.length > 0) {
    notes.push(`the visitor has more than ${MAX_KEYS} ids; a further one was not joined`);
    return { visitor: found[0], contactChanged: false, notes };
  }
  if (missing.length > 0) visitor = { ...visitor, keys: [...visitor.keys, ...missing] };
  if (missing.length > 0 || found.length > 1) write(tx, visitor, found);
  const contactChanged = found.some((one) => one.contactId !== visitor?.contactId);
  return { visitor, contactChanged, notes };
}
function linkContact(tx, visitor, contactId, at) {
  if (visitor.contactId === contactId || at < visitor.linkedAt) return visitor;
  const linked = { ...visitor, contactId, linkedAt: at };
  tx.visitors.put(linked.visitorId, linked);
  return linked;
}
function findAll(tx, keys) {
  const found = [];
  for (const key of keys) {
    const visitorId = tx.visitorKeys.get(key);
    if (visitorId === void 0 || found.some((visitor2) => visitor2.visitorId === visitorId)) continue;
    const visitor = tx.visitors.get(visitorId);
    if (visitor !== void 0) found.push(visitor);
  }
  return found;
}
function absorb(a, b) {
  const aIsOlder = a.createdAt < b.createdAt || a.createdAt === b.createdAt && a.visitorId <= b.visitorId;
  const [older, younger] = aIsOlder ? [a, b] : [b, a];
  const link = younger.contactId !== "" && (older.contactId === "" || younger.linkedAt > older.linkedAt) ? younger : older;
  return {
    visitorId: older.visitorId,
    keys: [.../* @__PURE__ */ new Set([...older.keys, ...younger.keys])],
    members: [.../* @__PURE__ */ new Set([...older.members, ...younger.members])],
    contactId: link.contactId,
    linkedAt: link.linkedAt,
    createdAt: older.createdAt
  };
}
function write(tx, visitor, found) {
  for (const one of found) if (one.visitorId !== visitor.visitorId) tx.visitors.delete(one.visitorId);
  tx.visitors.put(visitor.visitorId, visitor);
  for (const key of visitor.keys) {
    if (tx.visitorKeys.get(key) !== visitor.visitorId) tx.visitorKeys.put(key, visitor.visitorId);
  }
}

// src/subscription/identify.ts
var identify = (tx, event) => {
  const joined2 = joinVisitor(tx, event.visitor, event.eventId, event.receivedAt);
  const taken = event.contact === null ? { contact: void 0, notes: [] } : takeContact(tx, event.contact, `contact:${event.eventId}`, event.receivedAt);
  let { visitor, contactChanged } = joined2;
  if (visitor !== void 0 && taken.contact !== void 0) {
    const linked = linkContact(tx, visitor, taken.contact.contactId, event.occurredAt);
    contactChanged ||= linked.contactId !== visitor.contactId;
    visitor = linked;
  }
  const contact = taken.contact ?? (visitor !== void 0 && visitor.contactId !== "" ? tx.contacts.get(visitor.contactId) : void 0);
  return { visitor, contact, visitorChanged: contactChanged, notes: [...joined2.notes, ...taken.notes] };
};

// src/subscription/join-visitors.ts
function createJoinVisitors(deps) {
  return async (appId, ids) => {
    const keys = visitorKeys({ ...ids, userId: "" });
    if (keys.length < 2) return;
    const found = await deps.visitors.find(appId, keys);
    if (found.length === 1 && keys.every((key) => found[0]?.keys.includes(key))) return;
    const id2 = deps.newId();
    const at = deps.now();
    await deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() !== void 0) joinVisitor(tx, { ...ids, userId: "" }, id2, at);
    });
  };
}

// src/subscription/set-subscription.ts
var NO_PROFILE = { firstName: "", lastName: "", country: "", city: "", gender: "", birthDate: "", tags: [] };
function createSetSubscription(deps) {
  return async (appId, order) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    if (order.email === "" && order.phone === "") throw new InvalidArgument("email", "missing");
    if (order.email !== "" && emailKey(order.email) === "")
      throw new InvalidArgument("email", "invalid", "an e-mail address");
    if (order.phone !== "" && phoneKey(order.phone) === "")
      throw new InvalidArgument("phone", "invalid", "5 to 20 digits, with + when international");
    if (order.emailSubscribed !== null && order.email === "") throw new InvalidArgument("email", "missing");
    if (order.smsSubscribed !== null && order.phone === "") throw new InvalidArgument("phone", "missing");
    if (order.reason !== "" && cleanId(order.reason) === "")
      throw new InvalidArgument("reason", "invalid", "at most 255 bytes without control characters");
    const id2 = deps.newId();
    const at = deps.now();
    return deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() === void 0) throw new NotFound("app");
      const taken = takeContact(tx, { ...NO_PROFILE, email: order.email, phone: order.phone }, `contact:${id2}`, at);
      let contact = taken.contact;
      const statements = [
        ["email", order.emailSubscribed],
        ["sms", order.smsSubscribed]
      ];
      for (const [channel, subscribed] of statements) {
        if (subscribed === null) continue;
        const statement = { subscribed, at, by: id2, recordedAt: at, eventId: "", reason: order.reason };
        contact = state(tx, contact, { ...statement, channel, source: "rpc", onlyUnknown: false }).contact;
      }
      if (order.visitor !== null) {
        const { visitor } = joinVisitor(tx, order.visitor, id2, at);
        if (visitor !== void 0) linkContact(tx, visitor, contact.contactId, at);
      }
      return contact;
    });
  };
}

// src/subscription/status.ts
var ANONYMOUS = { identified: false, email: null, sms: null };
function createGetStatus(deps) {
  return async (appId, ids) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    if (await deps.apps.get(appId) === void 0) throw new NotFound("app");
    if (ids.clientId === "" && ids.fingerprintId === "" && ids.userId === "")
      throw new InvalidArgument("visitor", "missing");
    const visitors = await deps.visitors.find(appId, visitorKeys(ids));
    for (const visitor of visitors) {
      if (visitor.contactId === "") continue;
      const contact = await deps.contacts.get(appId, visitor.contactId);
      if (contact === void 0) continue;
      const identified = contact.email !== "";
      return {
        identified,
        email: identified ? contact.emailSubscription.status : null,
        sms: contact.smsSubscription.status
      };
    }
    return ANONYMOUS;
  };
}

// src/training/trainer.ts
var LEASE_MS = 15e3;
var RENEW_MS = 5e3;
function createTrainer(deps) {
  const running = /* @__PURE__ */ new Set();
  const barren = /* @__PURE__ */ new Map();
  const train = async (appId, onProgress) => {
    if (await deps.apps.get(appId) === void 0) throw new NotFound("app");
    if (running.has(appId)) throw new Conflict("aborted", "A training of this app is under way");
    running.add(appId);
    try {
      const lease = await deps.leases.acquire(appId, deps.newLeaseHolder(), LEASE_MS);
      if (lease === void 0) throw new Conflict("aborted", "A training of this app is under way");
      const renew = () => void deps.leases.renew(appId, lease, LEASE_MS).catch(() => void 0);
      const renewals = setInterval(renew, RENEW_MS).unref();
      try {
        return await learn(appId, lease, onProgress);
      } finally {
        clearInterval(renewals);
        await deps.leases.release(appId, lease).catch(() => void 0);
      }
    } finally {
      running.delete(appId);
    }
  };
  const learn = async (appId, lease, onProgress) => {
    const activity = await deps.models.activity(appId);
    if (activity === "") throw new Conflict("precondition", "The app has neither products nor events to learn from");
    const startedAt = deps.now();
    const { manifest, bytes } = await deps.runTraining(appId, onProgress);
    const createdAt = deps.now();
    const record = {
      modelId: deps.newModelId(),
      createdAt,
      trainingMs: createdAt - startedAt,
      sizeBytes: bytes.byteLength,
      manifest,
      activity
    };
    onProgress({ stage: "publish", progress: 0.99 });
    await deps.publish(appId, record, bytes, lease);
    return record;
  };
  const trainIfPossible = async (appId) => {
    try {
      await train(appId, () => void 0);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      return error.kind === "aborted";
    }
    return true;
  };
  return {
    train,
    async trainChanged(onFailure) {
      for (let after2 = ""; ; ) {
        const apps = await deps.apps.list(after2, 100);
        for (const { appId } of apps) {
          after2 = appId;
          try {
            const [activity, models] = await Promise.all([deps.models.activity(appId), deps.models.list(appId)]);
            const seen = [models[0]?.activity ?? "", barren.get(appId)];
            if (seen.includes(activity) || running.has(appId)) continue;
            if (!await trainIfPossible(appId)) barren.set(appId, activity);
          } catch (error) {
            onFailure(appId, error);
          }
        }
        if (apps.length < 100) return;
      }
    }
  };
}

// src/app.ts
var REST_MS = 1e3;
function createAisle(deps) {
  const { store: store2, now, newId, metrics, report } = deps;
  const { events, visitors, interactions, contacts, products, models, unitOfWork } = store2;
  const { farStore, monotonicNow } = deps;
  const patience = (waitMs) => createPatience({ waitMs, restMs: REST_MS, monotonicNow });
  const apps = farStore === void 0 ? store2.apps : withCopies(store2.apps, { patience: patience(farStore.settingsMs), monotonicNow, metrics });
  const catalogViews = createCatalogViews(products);
  const registry = createModelRegistry({
    models,
    load: (modelId, bytes) => loadServingModel(modelId, bytes, deps.vectorIndexes, () => metrics.count("models_read_in_part")),
    now,
    firstVersionOf: async (appId) => {
      const app = await apps.get(appId);
      return app === void 0 ? "" : firstVersion(app);
    }
  });
  const trainer = createTrainer({
    apps,
    models,
    leases: store2.leases,
    runTraining: deps.runTraining,
    publish: registry.publish,
    now,
    newModelId: newId,
    newLeaseHolder: newId
  });
  const take = createTakeEvent({
    identify,
    effects: [applySubscription, learnProducts, keepHistory, keepOrderBook]
  });
  const rejecting = createRejectedEvents({ apps, unitOfWork, now, monotonicNow, metrics });
  const recordEvent = createRecordEvent({
    apps,
    unitOfWork,
    take,
    rejectedEvents: rejecting,
    senderLimit: deps.senderLimit ?? createSenderLimit(monotonicNow),
    answerMs: farStore?.answerMs,
    now,
    newEventId: newId,
    metrics
  });
  const recordEvents = createRecordEvents({
    apps,
    unitOfWork,
    take,
    rejectedEvents: rejecting,
    now,
    newEventId: newId,
    metrics
  });
  const answer = createAnswerVisitor({
    apps,
    visitors,
    interactions,
    joinVisitors: createJoinVisitors({ visitors, unitOfWork, now, newId }),
    ...farStore !== void 0 && { historyInTime: patience(farStore.historyMs).wait },
    catalogOf: catalogViews.of,
    modelOf: async (appId) => {
      const serving = await registry.current(appId);
      return serving && { model: serving.model, version: serving.pointer.version };
    },
    recommend: createRecommender({ metrics }),
    now,
    metrics
  });
  const getStatus = createGetStatus({ apps, visitors, contacts });
  const { wait: inTime2 } = patience(farStore?.answerMs ?? 0);
  const services = {
    events: createEventService({
      recordEvent,
      recordEvents,
      apps,
      events,
      rejectedEvents: store2.rejectedEvents,
      rejecting,
      replayRejectedEvent: createReplayRejectedEvent({ unitOfWork, take, now, newEventId: newId, metrics }),
      report
    }),
    subscriptions: createSubscriptionService({
      getStatus: farStore === void 0 ? getStatus : (...asked) => inTime2(() => getStatus(...asked)),
      setSubscription: createSetSubscription({ unitOfWork, now, newId }),
      apps,
      contacts,
      report
    }),
    recommendations: createRecommendationService({ answer, newRequestId: newId, report }),
    catalog: createCatalogService({
      upsertProducts: createUpsertProducts({ unitOfWork, now }),
      deleteProduct: createDeleteProduct({ unitOfWork, now }),
      apps,
      products,
      report
    }),
    apps: createAppService({
      apps,
      now,
      newAppId: deps.newAppId,
      onDeleted: (appId) => {
        catalogViews.forget(appId);
        registry.forget(appId);
      },
      report
    }),
    models: createModelService({
      trainer,
      evaluate: createEvaluator({ apps, runEvaluation: deps.runEvaluation }),
      apps,
      models,
      activate: registry.activate,
      report
    })
  };
  return {
    /** Typed clients that call the services in this process. */
    clients: {
      events: directClient(EventService, services.events),
      subscriptions: directClient(SubscriptionService, services.subscriptions),
      recommendations: directClient(RecommendationService, services.recommendations),
      catalog: directClient(CatalogService, services.catalog),
      apps: directClient(AppService, services.apps),
      models: directClient(ModelService, services.models)
    },
    /** Puts all services on an RPC router. */
    routes(router) {
      const add = (service, implementation) => router.service(service, implementation);
      add(EventService, services.events);
      add(SubscriptionService, services.subscriptions);
      add(RecommendationService, services.recommendations);
      add(CatalogService, services.catalog);
      add(AppService, services.apps);
      add(ModelService, services.models);
    },
    trainer,
    /** Takes note of models that other processes published. */
    lookForModels: registry.lookAgain,
    close() {
      catalogViews.close();
    }
  };
}

// bench/load.ts
import { cpus, totalmem } from "node:os";
function machine() {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model.trim() ?? "",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version
  };
}

// bench/server.ts
import { spawn } from "node:child_process";
import { join as join9 } from "node:path";

// bench/open-loop/pinning.ts
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
function pinnedTo(cpu, command) {
  if (cpu === void 0 || cpu >= availableParallelism()) return command;
  const pin = ["taskset", "-c", String(cpu)];
  return spawnSync(pin[0], [...pin.slice(1), "true"]).status === 0 ? [...pin, ...command] : command;
}

// bench/server.ts
var BIN = join9(import.meta.dirname, "../bin/aisle.js");
function startServer(directory2, ...flags) {
  return startServerOn(`embedded:${directory2}`, ...flags);
}
function startServerOn(store2, ...flags) {
  return startPinnedServer(void 0, store2, ...flags);
}
function startPinnedServer(cpu, store2, ...flags) {
  const args = ["serve", "--store", store2, "--facade-port", "0", "--rpc-port", "0", "--train-every", "off"];
  const [command = process.execPath, ...rest] = pinnedTo(cpu, [process.execPath, BIN, ...args, ...flags]);
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve3) => child.once("exit", () => resolve3()));
  return new Promise((resolve3, reject) => {
    let said = "";
    child.once("exit", (code) => reject(new Error(`aisle serve ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      said += chunk.toString();
      const ready = /^aisle is ready: (.+)$/m.exec(said)?.[1];
      if (ready === void 0) return;
      const urlAfter = (words) => new RegExp(`${words} at ([^\\s,]+)`).exec(ready)?.[1] ?? "";
      resolve3({
        facadeUrl: urlAfter("storefronts"),
        rpcUrl: urlAfter("RPC"),
        pid: child.pid ?? 0,
        async stop() {
          child.kill("SIGTERM");
          await ended;
        }
      });
    });
  });
}
function aisle(server, ...args) {
  const started = performance.now();
  const child = spawn(process.execPath, [BIN, ...args, "--server", server.rpcUrl], {
    stdio: ["ignore", "inherit", "inherit"]
  });
  return new Promise((resolve3, reject) => {
    child.once("error", reject);
    child.once(
      "exit",
      (code) => code === 0 ? resolve3(performance.now() - started) : reject(new Error(`aisle ${args.join(" ")} ended with ${code}`))
    );
  });
}

// bench/shop-events.ts
import { create as create2 } from "@bufbuild/protobuf";
import { timestampFromMs as timestampFromMs2 } from "@bufbuild/protobuf/wkt";
var HOUR_MS = 36e5;
var START = Date.UTC(2026, 0, 15, 18);
var WORDS = "oak lamp blue ceramic vase round linen copper kettle garden winter wool scarf glass silver stone cotton paper candle basket".split(
  " "
);
var ORDERS = 0.05;
var CARTS = 0.15;
function createShopEvents({ visitors, products, events }) {
  const titles = Array.from({ length: 1e3 }, (_, n) => {
    const word = (k) => WORDS[Math.floor(fraction(n, k) * WORDS.length)];
    return `${word(1)} ${word(2)} ${word(3)} ${word(4)}`;
  });
  const product = (n) => {
    const title = `${titles[n % titles.length]} ${n}`;
    const slug = title.replaceAll(" ", "-");
    return [
      {
        productId: String(1e4 + n),
        sku: `SKU-${1e4 + n}`,
        title,
        imageUrl: `https://cdn.shop.example.com/media/catalog/product/${slug}.jpg`,
        url: `https://shop.example.com/${slug}.html`,
        quantity: 1,
        available: true,
        categories: [
          { categoryId: String(n % 8), name: WORDS[n % 8] ?? "" },
          { categoryId: String(100 + n % 60), name: titles[n % 60] ?? "" }
        ],
        brandName: WORDS[n % 11] ?? "",
        price: { amount: `${5 + n % 200}.90`, currency: "EUR" }
      }
    ];
  };
  const anyProduct = (n, draw) => product(Math.floor(fraction(n, draw) ** 5 * products));
  return (n) => {
    const visitor = Math.floor(fraction(n, 11) ** 2 * visitors);
    const kind = fraction(n, 12);
    const isOrder = kind < ORDERS;
    const taken = anyProduct(n, 13) ?? [];
    if (isOrder) for (let more = Math.floor(fraction(n, 14) * 4); more > 0; more--) taken.push(...anyProduct(n, 14 + more) ?? []);
    return create2(EventSchema, {
      actionType: isOrder ? "order" : kind < CARTS ? "add_to_cart" : "product_view",
      senderType: isOrder ? 2 /* SERVER */ : 1 /* BROWSER */,
      occurredAt: timestampFromMs2(START + Math.floor(n * HOUR_MS / events)),
      visitor: { clientId: hexOf(visitor, 1), fingerprintId: hexOf(visitor, 2) },
      products: taken,
      platform: "magento2",
      platformVersion: "2.4.6",
      senderVersion: "1.12.0",
      ...isOrder && {
        contact: { email: `customer.${visitor % Math.ceil(visitors / 5)}@mail.example.com`, firstName: "Ada", lastName: "Tester" },
        order: {
          orderId: String(1e8 + n),
          status: "processing",
          payment: { amount: `${20 + n % 400}.80`, currency: "EUR" }
        }
      }
    });
  };
}
function fraction(n, draw) {
  return hash(Math.imul(n, 2654435761) ^ Math.imul(draw, 2246822507)) / 2 ** 32;
}
function hash(seed) {
  let x = seed;
  x = Math.imul(x ^ x >>> 16, 2146121005);
  x = Math.imul(x ^ x >>> 15, 2221713035);
  return (x ^ x >>> 16) >>> 0;
}
function hexOf(n, draw) {
  let text3 = "";
  for (let part2 = 0; part2 < 4; part2++) text3 += hash(Math.imul(n + 1, 2654435761) ^ draw * 4 + part2).toString(16).padStart(8, "0");
  return text3;
}

// bench/import.ts
var { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000000" },
    visitors: { type: "string" },
    products: { type: "string", default: "50000" },
    kind: { type: "string", default: "all" },
    services: { type: "boolean", default: false },
    json: { type: "string" }
  }
});
var EVENTS = Number(values.events);
var APP = "shop";
var BATCH = 500;
var PART = Math.min(EVENTS, 1e6);
var eventOf2 = createShopEvents({ visitors: Number(values.visitors ?? EVENTS / 10), products: Number(values.products), events: EVENTS });
async function* batchesOf(from, to) {
  for (let n = from; n < to; n += BATCH) {
    const events = [];
    for (let k = n; k < Math.min(n + BATCH, to); k++) events.push(eventOf2(k));
    yield { appId: n === from ? APP : "", events };
  }
}
var V8_THREADS = 6;
function threadTimes(pid) {
  const times = { javaScript: 0, garbage: 0, lmdb: 0 };
  const tasks = readdirSync(`/proc/${pid}/task`).sort((a, b) => Number(a) - Number(b));
  for (const [at, task] of tasks.entries()) {
    const ns = Number(readFileSync2(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    times[at === 0 ? "javaScript" : at < V8_THREADS ? "garbage" : "lmdb"] += ns / 1e6;
  }
  return times;
}
var total = ({ javaScript, garbage, lmdb }) => javaScript + garbage + lmdb;
function memoryMib(pid) {
  const status = readFileSync2(`/proc/${pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
var directory = await mkdtemp(join10(tmpdir2(), "aisle-import-"));
var storeDirectory = join10(directory, "store");
var fileBytes = () => statSync(join10(storeDirectory, "data.mdb")).size;
console.log(JSON.stringify({ ...machine(), ...values }));
function referenceMicros() {
  const bytes = Array.from({ length: 1e3 }, (_, n) => toBinary(EventSchema, eventOf2(n)));
  let from = 0;
  for (let round = 0; round < 30; round++) {
    if (round === 10) from = threadTimes(process.pid).javaScript;
    for (const one of bytes) fromBinary(EventSchema, one);
  }
  return Number(((threadTimes(process.pid).javaScript - from) / 20).toFixed(2));
}
async function overServices() {
  const store2 = await openEmbeddedStore({ directory: storeDirectory, now: Date.now });
  const never = () => Promise.reject(new Error("nothing is trained here"));
  const services = createAisle({
    store: store2,
    vectorIndexes: hnswIndexes(),
    runTraining: never,
    runEvaluation: never,
    now: Date.now,
    monotonicNow: () => performance.now(),
    newId: uuidv7,
    newAppId: uuidv7,
    metrics: createPrometheusMetrics(),
    report: (error) => console.error(error)
  });
  await services.clients.apps.createApp({ app: { appId: APP } });
  const kinds = { all: () => true, view: (e) => e.actionType === "product_view", order: (e) => e.actionType === "order" };
  const keep = kinds[values.kind] ?? (() => true);
  const used = { javaScript: 0, garbage: 0, lmdb: 0 };
  let counted = 0;
  let took = 0;
  const CHUNK = 1e4;
  for (let from = 0; from < EVENTS; from += CHUNK) {
    const before = threadTimes(process.pid);
    const start = performance.now();
    const making = { ms: 0, javaScript: 0, garbage: 0, lmdb: 0 };
    async function* stream() {
      const batches = batchesOf(from, Math.min(from + CHUNK, EVENTS));
      for (; ; ) {
        const at = performance.now();
        const cpu = threadTimes(process.pid);
        const { value, done } = await batches.next();
        const after3 = threadTimes(process.pid);
        making.ms += performance.now() - at;
        making.javaScript += after3.javaScript - cpu.javaScript;
        if (done === true || value === void 0) return;
        yield { appId: APP, events: value.events.filter(keep) };
      }
    }
    const answer = await services.clients.events.recordEvents(stream());
    if (from < EVENTS / 5) continue;
    took += performance.now() - start - making.ms;
    counted += Number(answer.accepted);
    const after2 = threadTimes(process.pid);
    used.javaScript += after2.javaScript - before.javaScript - making.javaScript;
    used.garbage += after2.garbage - before.garbage;
    used.lmdb += after2.lmdb - before.lmdb;
  }
  const reference = referenceMicros();
  const micros = (ms) => Number((ms * 1e3 / counted).toFixed(2));
  console.log(
    JSON.stringify({
      events: counted,
      perSecond: Math.round(counted / (took / 1e3)),
      micros: micros(total(used)),
      reference,
      javaScript: micros(used.javaScript),
      garbage: micros(used.garbage),
      lmdb: micros(used.lmdb),
      bytesAnEvent: Math.round(fileBytes() / EVENTS)
    })
  );
  services.close();
  await store2.close();
}
async function overRpc() {
  const server = await startServer(storeDirectory, "--log-level", "warn");
  const parts = [];
  const latencies = [];
  await aisle(server, "app", "create", APP);
  const form = new URLSearchParams({ app_id: APP, action_type: "product_view", product_ids: "1", c_id: "asked" });
  const ask = async () => {
    const start = performance.now();
    const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: form });
    await answer.arrayBuffer();
    if (answer.status !== 200) console.error(`POST /trace answered ${answer.status}`);
    latencies.push(performance.now() - start);
  };
  const asking = setInterval(() => void ask(), 100);
  const client = createClient(EventService, createGrpcTransport({ baseUrl: server.rpcUrl }));
  try {
    for (let from = 0; from < EVENTS; from += PART) {
      const to = Math.min(from + PART, EVENTS);
      const bytes = fileBytes();
      const cpu = total(threadTimes(server.pid));
      const start = performance.now();
      const answer = await client.recordEvents(batchesOf(from, to));
      const ms = performance.now() - start;
      if (Number(answer.accepted) !== to - from) throw new Error(`${answer.accepted} of ${to - from} were accepted`);
      latencies.sort((a, b) => a - b);
      const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
      const part2 = {
        events: to,
        perSecond: Math.round((to - from) / (ms / 1e3)),
        cpuMicros: (total(threadTimes(server.pid)) - cpu) * 1e3 / (to - from),
        bytesAnEvent: (fileBytes() - bytes) / (to - from),
        memoryMib: memoryMib(server.pid),
        p50Ms: at(0.5),
        p99Ms: at(0.99)
      };
      latencies.length = 0;
      parts.push(part2);
      console.log(JSON.stringify(part2));
    }
  } finally {
    clearInterval(asking);
    await server.stop();
  }
  return parts;
}
try {
  if (values.services) await overServices();
  else {
    const parts = await overRpc();
    const bytes = fileBytes();
    await backupStore(storeDirectory, join10(directory, "copy"));
    const copied = statSync(join10(directory, "copy", "data.mdb")).size;
    const summary = { bytesAnEvent: Math.round(bytes / EVENTS), compactBytesAnEvent: Math.round(copied / EVENTS), lastToFirst: (parts.at(-1)?.perSecond ?? 0) / (parts[0]?.perSecond ?? 1) };
    console.log(JSON.stringify(summary));
    if (values.json !== void 0) await writeFile(values.json, `${JSON.stringify({ machine: machine(), parts, summary }, null, 2)}
`);
  }
} finally {
  await rm5(directory, { recursive: true, force: true });
}
