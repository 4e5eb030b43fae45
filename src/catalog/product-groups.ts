import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import { cleanId } from "../domain/ids.js";
import { MAX_GROUP_TERMS, MAX_PRODUCT_GROUPS, type ProductGroup } from "../domain/product-filter.js";
import type { AppStore } from "../ports/app-store.js";

/** Groups of products that an app names. */
export interface ProductGroups {
  /** Makes a group or replaces the one of its id. Rejects with InvalidArgument that names the field, or NotFound("app"). */
  set(appId: string, group: ProductGroup): Promise<void>;
  /** In order of ids. */
  list(appId: string): Promise<readonly ProductGroup[]>;
  /** Rejects with NotFound("product_group") when there is none. */
  remove(appId: string, groupId: string): Promise<void>;
}

export function createProductGroups(deps: {
  readonly apps: Pick<AppStore, "get" | "update">;
  readonly now: Now;
}): ProductGroups {
  const groupsOf = async (appId: string) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    const app = await deps.apps.get(appId);
    if (app === undefined) throw new NotFound("app");
    return { app, groups: app.groups };
  };
  return {
    async set(appId, group) {
      check(group);
      const { app, groups } = await groupsOf(appId);
      const others = groups.filter(({ groupId }) => groupId !== group.groupId);
      if (others.length >= MAX_PRODUCT_GROUPS)
        throw new InvalidArgument("group", "invalid", `at most ${MAX_PRODUCT_GROUPS} groups of an app`);
      const all = [...others, group].sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
      if (all.reduce((sum, one) => sum + termsOf(one).length, 0) > MAX_GROUP_TERMS)
        throw new InvalidArgument(
          "group",
          "invalid",
          `at most ${MAX_GROUP_TERMS} categories, brands, tags and products in all groups of an app`,
        );
      if (!(await deps.apps.update({ ...app, groups: all, updatedAt: deps.now() }))) throw new NotFound("app");
    },

    async list(appId) {
      return (await groupsOf(appId)).groups;
    },

    async remove(appId, groupId) {
      if (groupId === "") throw new InvalidArgument("group_id", "missing");
      const { app, groups } = await groupsOf(appId);
      const left = groups.filter((group) => group.groupId !== groupId);
      if (left.length === groups.length) throw new NotFound("product_group");
      if (!(await deps.apps.update({ ...app, groups: left, updatedAt: deps.now() }))) throw new NotFound("app");
    },
  };
}

function termsOf({ categoryIds, brands, tags, productIds }: ProductGroup): readonly string[] {
  return [...categoryIds, ...brands, ...tags, ...productIds];
}

function check(group: ProductGroup): void {
  if (group.groupId === "") throw new InvalidArgument("group.group_id", "missing");
  // Lists of groups in requests are parted by these.
  if (cleanId(group.groupId) === "" || /[|,]/.test(group.groupId))
    throw new InvalidArgument("group.group_id", "invalid", "at most 255 bytes without control characters, | and ,");
  if (group.title !== "" && cleanId(group.title) === "")
    throw new InvalidArgument("group.title", "invalid", "at most 255 bytes without control characters");
  const lists = [
    ["category_ids", group.categoryIds],
    ["brands", group.brands],
    ["tags", group.tags],
    ["product_ids", group.productIds],
  ] as const;
  for (const [field, list] of lists)
    for (const [index, term] of list.entries())
      if (cleanId(term) === "")
        throw new InvalidArgument(`group.${field}[${index}]`, "invalid", "1 to 255 bytes without control characters");
  if (termsOf(group).length === 0)
    throw new InvalidArgument("group", "invalid", "a category, brand, tag or product at least");
}
