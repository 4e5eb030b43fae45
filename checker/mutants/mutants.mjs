// Faults to plant, each as a text of a source and what replaces it. `faults` and `only` are options of the checker: the faults
// and the load under which the planted one shows. `test` is the existing test that finds it; with `simulator` the simulator must.
const lmdb = "src/store/lmdb";

/** An expression that is true for ever once the process has stood still for 400 ms. It watches from its first evaluation on. */
const hasStalled = `(globalThis.watch ??= {
  at: Date.now(),
  stalled: false,
  timer: setInterval(() => {
    const { watch } = globalThis;
    Object.assign(watch, { at: Date.now(), stalled: watch.stalled || Date.now() - watch.at > 400 });
  }, 50).unref(),
}).stalled`;

export const MUTANTS = [
  {
    name: "acknowledges before the sync",
    simulator: true,
    file: `${lmdb}/writer.ts`,
    search: "    this.journal.apply();\n  }",
    replace: "    this.journal.apply();\n    for (const job of batch) job.settle();\n  }",
    faults: "kill,disk",
    only: "batch",
    test: ["test/faults/failing-syscalls.test.ts", "on disk before a work resolves"],
  },
  {
    name: "skips the sync",
    file: `${lmdb}/open-root.ts`,
    search: "    overlappingSync: false,",
    replace: "    overlappingSync: false,\n    noSync: true,",
    test: ["test/faults/failing-syscalls.test.ts", "on disk before a work resolves"],
  },
  {
    name: "does not sync the directory",
    simulator: true,
    file: `${lmdb}/files.ts`,
    search: '  const handle = await open(path, "r");\n  try {\n    await handle.sync();',
    replace: '  const handle = await open(path, "r");\n  try {',
    test: ["test/faults/power-cut-copies.test.ts", ""],
  },
  {
    name: "swallows a failed commit (EIO)",
    file: `${lmdb}/transactions.ts`,
    search: "      throw await commitCause(error);",
    replace: "      await commitCause(error);",
    faults: "disk,full",
    only: "batch,view",
    test: ["test/faults/failing-syscalls.test.ts", ""],
  },
  {
    name: "forgets the latch after a failed write",
    simulator: true,
    file: `${lmdb}/writer-limits.ts`,
    search: "    this.shut = true;",
    replace: "    this.shut = false;",
    test: ["test/faults/failing-syscalls.test.ts", ""],
  },
  {
    name: "never claims a key",
    simulator: true,
    file: "src/intake/record-event.ts",
    search:
      "    tx.idempotency.put(idempotencyKey, { eventId: taken.eventId, bodyHash, claimedAt: event.receivedAt });\n",
    replace: "    if (bodyHash === idempotencyKey) throw new NotFound(bodyHash);\n",
    faults: "cut",
    only: "batch,view,repeat",
    test: ["test/faults/lost-answers.test.ts", "embedded"],
  },
  {
    name: "accepts a key again after a restart",
    simulator: true,
    file: "src/store/idempotency-records.ts",
    search: "    return found === undefined || isExpired(found, this.clock) ? undefined : found;",
    replace:
      "    return found === undefined || found.claimedAt < Date.now() - process.uptime() * 1000 ? undefined : found;",
    faults: "kill",
    only: "batch,view,repeat",
    test: ["test/faults/lost-answers.test.ts", "embedded"],
  },
  {
    name: "takes a lost lease for a held one (no fencing)",
    simulator: true,
    file: "src/store/stored-lease.ts",
    search:
      "  return last !== undefined && last.token === lease.token && last.holder === lease.holder && last.until > 0;",
    replace: "  return last !== undefined && lease.token > 0;",
    test: ["test/store/lmdb/contract.test.ts", "lease"],
  },
  {
    name: "erases a person but not the events",
    simulator: true,
    file: "src/identity/privacy/remove-person.ts",
    search: "  tx.events.delete(event.eventId);\n",
    replace: "",
    faults: "term",
    only: "erase",
  },
  {
    name: "copies the live file as a backup",
    file: `${lmdb}/backup.ts`,
    search: "    await syncFile(await inspection.copyTo(to));",
    replace:
      '    await (await import("node:fs/promises")).copyFile(join(environment.directory, "data.mdb"), join(to, "data.mdb"));',
    test: ["test/store/lmdb/backup.test.ts", ""],
  },
  {
    name: "accepts torn and flipped values",
    file: `${lmdb}/codec.ts`,
    search: "  if (end < 1 || uint32(buffer, end) !== checksum(buffer, end, keyChecksum(key))) {",
    replace: "  if (end < 1 || keyChecksum(key) === 0.5) {",
    test: ["test/store/lmdb/codec.test.ts", ""],
  },
  {
    name: "tells nobody of new products (stale cache)",
    file: `${lmdb}/product-watch.ts`,
    search: "    if (this.byApp.size === 0) return;",
    replace: "    if (this.byApp.size < 9) return;",
    test: ["test/store/lmdb/product-watch.test.ts", ""],
  },
  {
    name: "counts an acknowledged event twice",
    simulator: true,
    file: "src/intake/record-event.ts",
    search: '      metrics.count("events_acknowledged");',
    replace: '      metrics.count("events_acknowledged", undefined, 2);',
    faults: "term",
    only: "view",
  },
  {
    name: "stores blank events",
    file: "src/intake/normalise.ts",
    search: '  if (action === "") throw new InvalidArgument("event.action_type", "missing");\n',
    replace: "",
    faults: "term",
    only: "blank",
  },
  {
    name: "forgets that an order was cancelled",
    simulator: true,
    file: "src/intake/order-book.ts",
    search: "    cancelled: base.cancelled || !isOrder,",
    replace: "    cancelled: base.cancelled && !isOrder,",
    faults: "term",
    only: "order",
  },
  {
    name: "changes a contact without an entry of the ledger",
    simulator: true,
    file: "src/identity/ledger/ledger.ts",
    search: "  tx.changes.put(entry.changeId, entry);\n",
    replace: "",
    faults: "term",
    only: "subscribe",
  },
  {
    name: "forgets a table when it erases (history)",
    simulator: true,
    file: "src/identity/privacy/erasure-steps.ts",
    search: "          if (rows.length === 0) break;\n          checkStopped();",
    replace: "          if (rows.length < 1000) break;\n          checkStopped();",
    test: ["test/identity/privacy/erase-visitor.test.ts", ""],
  },
  {
    name: "claims a key after the write",
    simulator: true,
    file: "src/intake/record-event.ts",
    search: "      return deps.take(tx, event, sent, idempotencyKey);\n    });\n",
    replace:
      '      const known = tx.idempotency.get(idempotencyKey || "-");\n' +
      "      return deps.take(tx, event, sent, known === undefined ? '' : idempotencyKey);\n    });\n" +
      '    const claim = { eventId: recorded.eventId, bodyHash: hashesOf(sent)[0] ?? "", claimedAt: event.receivedAt };\n' +
      '    if (idempotencyKey !== "") await deps.unitOfWork.run(appId, (tx) => tx.idempotency.put(idempotencyKey, claim));\n',
    faults: "kill",
    only: "view",
  },
  {
    name: "erases nothing that came in while the clock was ahead",
    simulator: true,
    file: "src/identity/privacy/erasure.ts",
    search: "        startedAt: Math.max(at, timeOfId(erasureId)),\n",
    replace: "        startedAt: timeOfId(erasureId) > 0 ? at : 0,\n",
  },
  {
    name: "refuses all events after one stall (latch)",
    file: "src/intake/record-event.ts",
    search: '      if (appId === "") throw new InvalidArgument("app_id", "missing");\n',
    replace: `      if (${hasStalled}) throw new Unavailable("The store has stalled");\n`,
    faults: "stop",
    only: "view",
  },
  {
    name: "answers 200 to another body under a used key",
    file: "src/intake/record-event.ts",
    search: "record !== undefined && hashes.includes(record.bodyHash);",
    replace: "record !== undefined && hashes.length > 0;",
    faults: "term",
    only: "view,reuse",
  },
  {
    name: "stores another body under a used key",
    file: "src/intake/record-event.ts",
    search:
      '      throw new AlreadyExists("idempotency_key", "The idempotency key was used with another body");\n' +
      "    // Before keys",
    replace: "      return store(tx, resolveSkus(tx, event), sent.sentBy, deps);\n    // Before keys",
    faults: "term",
    only: "view,reuse",
  },
  {
    name: "rejects the events of all apps but the first",
    file: "src/intake/record-event.ts",
    search: '      if (tx.app() === undefined) throw new NotFound("app");\n',
    replace: '      if ((globalThis.only ??= appId) !== appId) throw new Unavailable("busy");\n',
    faults: "term",
    only: "view",
  },
  {
    name: "stores the events of all apps in the first",
    file: "src/intake/record-event.ts",
    search: "await deps.unitOfWork.run(appId, (tx) => {",
    replace: "await deps.unitOfWork.run((globalThis.only ??= appId), (tx) => {",
    faults: "term",
    only: "view",
  },
  {
    name: "forgets after a restart who is subscribed",
    file: "src/identity/subscription-status.ts",
    search: "email: identified ? shown",
    replace: "email: identified && contact.emailSubscription.recordedAt > Date.now() - process.uptime() * 1000 ? shown",
    faults: "kill",
    only: "subscribe",
  },
  {
    name: "recommends nothing after one stall",
    file: "src/facade/recommend.ts",
    search: "  return { recommended: recommended.map(toProduct), alternative: alternative.map(toProduct) };",
    replace:
      `  if (${hasStalled}) return { recommended: [], alternative: [] };\n` +
      "  return { recommended: recommended.map(toProduct), alternative: alternative.map(toProduct) };",
    faults: "stop",
    only: "read",
  },
  {
    name: "leaves events out of a backup",
    file: `${lmdb}/inspection.ts`,
    search: "          if (!isLeftOut(name, key)) to.putSync(key, value);",
    replace:
      '          if (!isLeftOut(name, key) && (name !== "events" || key.at(-1) % 8 > 0)) to.putSync(key, value);',
    faults: "restore",
    only: "batch",
  },
  {
    name: "leaves the keys of events out of a backup",
    file: `${lmdb}/inspection.ts`,
    search: "          const to = openDatabase(copy, name);\n",
    replace: '          const to = openDatabase(copy, name);\n          if (name === "idempotency") continue;\n',
    faults: "restore",
    only: "batch,view,repeat",
  },
  {
    name: "takes the keys of all apps for one app's",
    file: "src/intake/record-event.ts",
    search: '      const idempotencyKey = key === "" ? "" : ownedKey(appId, sent, key);\n',
    replace:
      '      const idempotencyKey = key === "" ? "" : ownedKey(appId, sent, key);\n' +
      "      const owners = (globalThis.owners ??= new Map());\n" +
      "      if (!owners.has(key)) owners.set(key, appId);\n" +
      '      if (key !== "" && owners.get(key) !== appId) throw new AlreadyExists("idempotency_key", "used");\n',
    faults: "term",
    only: "view",
  },
  {
    name: "refuses one event of 200",
    file: "src/intake/record-event.ts",
    search: '      if (appId === "") throw new InvalidArgument("app_id", "missing");\n',
    replace: '      if (Math.random() < 0.005) throw new InvalidArgument("event", "bad");\n',
    faults: "term",
    only: "view",
  },
  {
    name: "reads statuses from a stale cache",
    file: "src/identity/subscription-status.ts",
    search: "        email: identified ? shown(app, visitor, contact.emailSubscription) : null,",
    replace:
      "        email: ((known, id) => known.set(id, known.get(id) ?? shown(app, visitor, contact.emailSubscription)).get(id))(\n" +
      "          (globalThis.statuses ??= new Map()), contact.contactId),",
    faults: "term",
    only: "subscribe,read",
  },
  {
    name: "recommends the products of another app",
    file: "src/facade/recommend.ts",
    search: "      const response = await recommendations.recommend(asked, callOptions);",
    replace:
      "      asked.appId = globalThis.only ??= asked.appId;\n" +
      "      const response = await recommendations.recommend(asked, callOptions);",
    faults: "term",
    only: "read",
  },
];
