import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Suppression } from "../domain/suppression.js";
import type { SubscriptionService as Service } from "../gen/aisle/v1/subscription_service_pb.js";
import { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { SuppressionSchema, SuppressionSource } from "../gen/aisle/v1/suppression_pb.js";
import type { SuppressAddresses, SuppressionCounts } from "../identity/suppress-addresses.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Copies } from "../store/ports/copies.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import type { Mutation } from "./mutations.js";
import { readPage } from "./paging.js";
import { requireApp } from "./require-app.js";

export interface SuppressionHandlersDependencies {
  readonly suppressAddresses: SuppressAddresses;
  readonly apps: Pick<AppStore, "get">;
  readonly copies: Pick<Copies, "scan">;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

type Handlers = Pick<ServiceImpl<typeof Service>, "addSuppressions" | "removeSuppressions" | "listSuppressions">;

export function suppressionHandlers(deps: SuppressionHandlersDependencies): Handlers {
  const { suppressAddresses, apps, copies, mutation, report } = deps;
  return {
    addSuppressions: mutation(SubscriptionService.method.addSuppressions, async (request, once) => {
      const { appId } = await requireApp(apps, request.appId);
      const answer = ({ changed, unchanged }: SuppressionCounts) => ({ added: changed, known: unchanged });
      return once.change(answer, (change) => suppressAddresses.add(appId, request.addresses, change));
    }),

    removeSuppressions: mutation(SubscriptionService.method.removeSuppressions, async (request, once) => {
      const { appId } = await requireApp(apps, request.appId);
      const answer = ({ changed, unchanged }: SuppressionCounts) => ({ removed: changed, unknown: unchanged });
      return once.change(answer, (change) => suppressAddresses.remove(appId, request.addresses, change));
    }),

    listSuppressions: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      const { items, nextPageToken } = await readPage(SubscriptionService.method.listSuppressions, request, {
        schema: SuppressionSchema,
        read: (after, limit) => copies.scan(appId, "suppressions", after, limit),
        keyOf: ({ key }) => key,
        message: ({ key, value }) => suppressionMessage(key, value),
      });
      return { suppressions: items, nextPageToken };
    }),
  };
}

const SOURCES = {
  erasure: SuppressionSource.ERASURE,
  rpc: SuppressionSource.RPC,
} as const satisfies Record<Suppression["source"], SuppressionSource>;

function suppressionMessage(
  suppressionId: string,
  { suppressedAt, source }: Suppression,
): MessageInitShape<typeof SuppressionSchema> {
  return { suppressionId, createTime: timestampOf(suppressedAt), source: SOURCES[source] };
}
