import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { ProductGroupSchema } from "../gen/aisle/v1/product_pb.js";
import { CALL_TIMEOUT_MS, type ServerOptions, withClients, withServer } from "./client.js";
import { printable, writeJson, writeLine, writeTable } from "./output.js";
import type { ProgramDeps } from "./program.js";
import { idList, plainId, repeated } from "./values.js";

interface AppOptions extends ServerOptions {
  readonly app: string;
}

interface SetOptions extends AppOptions {
  readonly id: string;
  readonly title?: string;
  readonly category?: readonly string[];
  readonly brand?: readonly string[];
  readonly tag?: readonly string[];
  readonly product?: readonly string[];
}

const CALL = { timeoutMs: CALL_TIMEOUT_MS };

export function addGroupCommands(program: Command, deps: ProgramDeps): void {
  const group = program
    .command("group")
    .description("name groups of products that filters and filterByGroups can ask for");
  const command = (name: string, description: string) =>
    withServer(group.command(name)).description(description).requiredOption("--app <id>", "the app", plainId);
  command("set", "name a group, or replace the one of this id: products of any category, brand or tag, and single ones")
    .requiredOption("--id <group>", "its id; it comes before a category or tag of the same name")
    .option("--title <title>", "a title for people")
    .option("--category <ids>", "category ids of any level, with commas between", idList)
    .option("--brand <name>", "a brand; may be given again", repeated)
    .option("--tag <tags>", "tags, with commas between", idList)
    .option("--product <ids>", "products, with commas between", idList)
    .addHelpText(
      "after",
      "\nExample:\n  $ aisle group set --app shop1 --id gifts --tag gift --brand Acme --product 4711",
    )
    .action((options: SetOptions) => setGroup(options, deps));
  command("list", "list the groups that an app has named")
    .option("--json", "print the groups as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle group list --app shop1")
    .action((options: AppOptions & { readonly json?: boolean }) => listGroups(options, deps));
  command("remove", "forget a group; its products stay")
    .requiredOption("--id <group>", "the group")
    .addHelpText("after", "\nExample:\n  $ aisle group remove --app shop1 --id gifts")
    .action((options: AppOptions & { readonly id: string }) => removeGroup(options, deps));
}

async function setGroup(options: SetOptions, deps: ProgramDeps): Promise<void> {
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

async function listGroups(options: AppOptions & { readonly json?: boolean }, deps: ProgramDeps): Promise<void> {
  const { groups } = await withClients(options, deps, ({ catalog }) =>
    catalog.listProductGroups({ appId: options.app }, CALL),
  );
  if (options.json) {
    writeJson(
      deps.stdout,
      groups.map((group) => toJson(ProductGroupSchema, group)),
    );
    return;
  }
  const listed = (texts: readonly string[]) => texts.map(printable).join(", ");
  writeTable(
    deps.stdout,
    [
      { title: "id" },
      { title: "categories" },
      { title: "brands" },
      { title: "tags" },
      { title: "products" },
      { title: "title" },
    ],
    groups.map((group) => [
      printable(group.groupId),
      listed(group.categoryIds),
      listed(group.brands),
      listed(group.tags),
      listed(group.productIds),
      printable(group.title),
    ]),
  );
}

async function removeGroup(options: AppOptions & { readonly id: string }, deps: ProgramDeps): Promise<void> {
  const request = { appId: options.app, groupId: options.id };
  await withClients(options, deps, ({ catalog }) => catalog.deleteProductGroup(request, CALL));
  writeLine(deps.stdout, `Group ${printable(options.id)} is removed`);
}
