/**
 * Keys are the `_id` of documents: text, compared byte by byte as UTF-8. With text rather than a document of two fields,
 * every server keeps `_id` unique over all shards and serves lookups and ranges from the primary index. Each key begins
 * with the app id, so the shard key does too.
 */
export * from "../keys.js";
