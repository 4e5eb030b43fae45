import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { ProductGroupSchema } from "../gen/aisle/v1/product_group_pb.js";
import { type AppOptions, appCommand, CALL, withClients, withDryRun } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { printList } from "./list.js";
import { idList, repeated } from "./option-values.js";
import { printable, writeLine } from "./output.js";

interface SetOptions extends AppOptions {
  readonly id: string;
  readonly title?: string;
  readonly category?: readonly string[];
  readonly brand?: readonly string[];
  readonly tag?: readonly string[];
  readonly product?: readonly string[];
}

export function define(group: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) => appCommand(group, name, description);
  withDryRun(command("set", "create or replace a group of products by category, brand, tag or id"))
    .requiredOption("--id <group>", "its id; a group takes precedence over a category or tag of the same name")
    .option("--title <title>", "display name")
    .option("--category <ids>", "category ids of any level, comma-separated", idList)
    .option("--brand <name>", "a brand; repeatable", repeated)
    .option("--tag <tags>", "tags, comma-separated", idList)
    .option("--product <ids>", "product ids, comma-separated", idList)
    .addHelpText(
      "after",
      "\nExample:\n  $ aisle group set --app shop1 --id gifts --tag gift --brand Acme --product 4711",
    )
    .action((options: SetOptions) => setGroup(options, deps));
  command("list", "list the groups of an app")
    .option("--json", "print the groups as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle group list --app shop1")
    .action((options: AppOptions) => listGroups(options, deps));
  withDryRun(command("remove", "remove a group; its products stay"))
    .requiredOption("--id <group>", "the group")
    .addHelpText("after", "\nExample:\n  $ aisle group remove --app shop1 --id gifts")
    .action((options: AppOptions & { readonly id: string }) => removeGroup(options, deps));
}

async function setGroup(options: SetOptions, deps: CommandDeps): Promise<void> {
  const group = {
    groupId: options.id,
    title: options.title ?? "",
    categoryIds: [...(options.category ?? [])],
    brands: [...(options.brand ?? [])],
    tags: [...(options.tag ?? [])],
    productIds: [...(options.product ?? [])],
  };
  await withClients(options, deps, ({ catalog }) => catalog.setProductGroup({ appId: options.app, group }, CALL));
  writeLine(deps.stdout, `Group ${printable(options.id)} is set`);
}

function listGroups(options: AppOptions, deps: CommandDeps): Promise<void> {
  const listed = (texts: readonly string[]) => texts.map(printable).join(", ");
  return printList(options, deps, {
    read: ({ catalog }, pageToken) =>
      catalog.listProductGroups({ appId: options.app, pageSize: 1000, pageToken }, CALL),
    items: ({ groups }) => groups,
    json: (group) => toJson(ProductGroupSchema, group),
    columns: [
      ["id", ({ groupId }) => groupId],
      ["categories", ({ categoryIds }) => listed(categoryIds)],
      ["brands", ({ brands }) => listed(brands)],
      ["tags", ({ tags }) => listed(tags)],
      ["products", ({ productIds }) => listed(productIds)],
      ["title", ({ title }) => title],
    ],
  });
}

async function removeGroup(options: AppOptions & { readonly id: string }, deps: CommandDeps): Promise<void> {
  const request = { appId: options.app, groupId: options.id };
  await withClients(options, deps, ({ catalog }) => catalog.deleteProductGroup(request, CALL));
  writeLine(deps.stdout, `Group ${printable(options.id)} is removed`);
}
