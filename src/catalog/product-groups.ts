import type { Now } from "../domain/clock.js";
import { check, checkAll, InvalidArgument, NotFound } from "../domain/errors.js";
import { checkEtag, etagOf } from "../domain/etag.js";
import { cleanId } from "../domain/ids.js";
import { MAX_GROUP_TERMS, MAX_PRODUCT_GROUPS, type ProductGroup } from "../domain/product-filter.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Change, UnitOfWork } from "../store/ports/unit-of-work.js";

/** Groups of products that an app names. */
export interface ProductGroups {
  /**
   * Makes a group or replaces the one of its id. Rejects with InvalidArgument that names the field, NotFound("app"), or
   * Conflict("etag_mismatch") when `etag` is given and is not the current one.
   */
  set(appId: string, group: ProductGroup, etag?: string, change?: Change<void>): Promise<void>;
  /** In order of ids. */
  list(appId: string): Promise<readonly ProductGroup[]>;
  /** Rejects with NotFound("product_group") for an unknown group, and with Conflict as `set` does. */
  remove(appId: string, groupId: string, etag?: string, change?: Change<void>): Promise<void>;
}

export function createProductGroups(deps: {
  readonly apps: Pick<AppStore, "get">;
  /** For writing apps. */
  readonly changes: Pick<UnitOfWork, "run">;
  readonly now: Now;
}): ProductGroups {
  const inOneWork: Change<void> = (appId, work) => deps.changes.run(appId, work);
  /** Replaces the groups of an app by those that `edit` makes of them. */
  const replace = async (
    appId: string,
    change: Change<void>,
    edit: (groups: readonly ProductGroup[]) => readonly ProductGroup[],
  ) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    await change(appId, (tx) => {
      const app = tx.app();
      if (app === undefined) throw new NotFound("app");
      tx.putApp({ ...app, groups: edit(app.groups), updatedAt: deps.now() });
    });
  };
  return {
    async set(appId, group, etag, change = inOneWork) {
      checkGroup(group);
      await replace(appId, change, (groups) => {
        const others = groups.filter(({ groupId }) => groupId !== group.groupId);
        checkEtag(etag, etagIn(groups, group.groupId));
        if (others.length >= MAX_PRODUCT_GROUPS)
          throw new InvalidArgument("group", "invalid", `at most ${MAX_PRODUCT_GROUPS} groups of an app`);
        const all = [...others, group].sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
        if (all.reduce((sum, one) => sum + termsOf(one).length, 0) > MAX_GROUP_TERMS)
          throw new InvalidArgument(
            "group",
            "invalid",
            `at most ${MAX_GROUP_TERMS} categories, brands, tags and products in all groups of an app`,
          );
        return all;
      });
    },

    async list(appId) {
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      const app = await deps.apps.get(appId);
      if (app === undefined) throw new NotFound("app");
      return app.groups;
    },

    async remove(appId, groupId, etag, change = inOneWork) {
      if (groupId === "") throw new InvalidArgument("group_id", "missing");
      await replace(appId, change, (groups) => {
        const left = groups.filter((group) => group.groupId !== groupId);
        if (left.length === groups.length) throw new NotFound("product_group");
        checkEtag(etag, etagIn(groups, groupId));
        return left;
      });
    },
  };
}

/** The etag of a group; "" for none. */
export function groupEtag(group: ProductGroup | undefined): string {
  if (group === undefined) return "";
  const { groupId, title, categoryIds, brands, tags, productIds } = group;
  return etagOf([groupId, title, categoryIds, brands, tags, productIds]);
}

function etagIn(groups: readonly ProductGroup[], groupId: string): string {
  return groupEtag(groups.find((group) => group.groupId === groupId));
}

function termsOf({ categoryIds, brands, tags, productIds }: ProductGroup): readonly string[] {
  return [...categoryIds, ...brands, ...tags, ...productIds];
}

function checkGroup(group: ProductGroup): void {
  const { groupId, title } = group;
  const lists = [
    ["category_ids", group.categoryIds],
    ["brands", group.brands],
    ["tags", group.tags],
    ["product_ids", group.productIds],
  ] as const;
  const terms = lists.flatMap(([field, list]) =>
    list.map((term, i) =>
      check(cleanId(term) !== "", `group.${field}[${i}]`, "invalid", "1 to 255 bytes without control characters"),
    ),
  );
  // These characters separate groups in requests.
  const isId = groupId === "" || (cleanId(groupId) !== "" && !/[|,]/.test(groupId));
  checkAll(
    check(groupId !== "", "group.group_id", "missing"),
    check(isId, "group.group_id", "invalid", "at most 255 bytes without control characters, | and ,"),
    check(
      title === "" || cleanId(title) !== "",
      "group.title",
      "invalid",
      "at most 255 bytes without control characters",
    ),
    ...terms,
    check(termsOf(group).length > 0, "group", "invalid", "a category, brand, tag or product at least"),
  );
}
