/**
 * Keys are the `_id` of documents: text, compared byte by byte as UTF-8. Text rather than a document of two fields: every
 * server keeps `_id` unique over all shards of a collection that is sharded by it, reads a range of it from the primary
 * index, and looks one up without another index. So the app id, with which each key begins, is also the beginning of
 * the shard key.
 */
export * from "../store/keys.js";
