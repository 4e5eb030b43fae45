// For mongosh, run by compose.mongo.yaml: joins three members to the replica set `aisle` and makes the user `aisle`.
// Each step looks first whether it is done, so that it may run again.
// biome-ignore lint/style/useNodejsImportProtocol: the name that the manual of mongosh promises
const fs = require("fs");
const secret = (name) => fs.readFileSync(`/run/secrets/${name}`, "utf8").trim();
const MEMBERS = ["mongo1:27017", "mongo2:27017", "mongo3:27017"];

const admin = () => {
  const db = connect("mongodb://mongo1:27017/admin?directConnection=true");
  db.auth("admin", secret("mongo_admin_password"));
  return db;
};

const first = admin();
if (!first.hello().setName) {
  const members = MEMBERS.map((host, _id) => ({ _id, host }));
  const { ok, errmsg } = first.adminCommand({ replSetInitiate: { _id: "aisle", members } });
  if (ok !== 1) throw new Error(`the replica set was not made: ${errmsg}`);
}

const set = connect(`mongodb://${MEMBERS.join(",")}/admin?replicaSet=aisle&serverSelectionTimeoutMS=60000`);
set.auth("admin", secret("mongo_admin_password"));
const aisle = set.getSiblingDB("aisle");
const user = { pwd: secret("mongo_aisle_password"), roles: [{ role: "readWrite", db: "aisle" }] };
if (aisle.getUser("aisle") === null) aisle.createUser({ user: "aisle", ...user });
else aisle.updateUser("aisle", user);
print("the replica set aisle and its user aisle are there");
