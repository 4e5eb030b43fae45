import { describe, expect, it } from "vitest";
import { OperationKind, OperationStage, OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { openAisle, wireAisle } from "../fixtures/aisle.js";
import { endOf, trained } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const appId = "shop";

describe.each(stores)("long work: $name", ({ openStore }) => {
  const open = async () => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId } });
    const products = Array.from({ length: 20 }, (_, n) => ({ productId: `p${n}`, title: `Product ${n}` }));
    await aisle.rpc.catalog.upsertProducts(
      (async function* () {
        yield { appId, products };
      })(),
    );
    /** Another server over the same store. */
    const other = wireAisle(aisle.store, { now: aisle.now, monotonicNow: aisle.now }).clients;
    return { ...aisle, other };
  };

  it("TrainModel answers an operation at once, and any server tells of its end", async () => {
    const { rpc, other } = await open();
    const { operation } = await rpc.models.trainModel({ appId });
    expect(operation).toMatchObject({ appId, kind: OperationKind.TRAIN_MODEL });
    const ended = await endOf(other, operation);
    expect(ended).toMatchObject({ state: OperationState.SUCCEEDED, progress: { doneShare: 1 } });
    expect(ended.result).toMatchObject({ case: "model", value: { active: true } });
    const { models } = await rpc.models.listModels({ appId });
    expect(models.map(({ modelId }) => modelId)).toEqual([
      ended.result.case === "model" ? ended.result.value.modelId : "",
    ]);
  });

  it("EraseVisitor answers an operation at once, any server tells of its end, and nothing cancels it", async () => {
    const { rpc, other, trace } = await open();
    await trace({ app_id: appId, action_type: "product_view", product_ids: "p1", c_id: "c1" });
    const { outcome } = await rpc.privacy.eraseVisitor({ appId, person: { visitor: { clientId: "c1" } } });
    const operation = outcome.case === "operation" ? outcome.value : undefined;
    expect(operation).toMatchObject({ appId, kind: OperationKind.ERASE_VISITOR, state: OperationState.RUNNING });
    await other.operations.cancelOperation({ appId, operationId: operation?.operationId ?? "" });
    const ended = await endOf(other, operation);
    expect(ended).toMatchObject({ state: OperationState.SUCCEEDED, progress: { doneShare: 1 } });
    const { erasures } = await rpc.privacy.listErasures({ appId });
    expect(ended.result).toEqual({ case: "erasure", value: erasures[0] });
    expect(erasures[0]?.removed).toMatchObject({ events: 1 });
    const kind = OperationKind.ERASE_VISITOR;
    expect((await rpc.operations.listOperations({ appId, kind })).operations).toEqual([ended]);
  });

  it("a repeated TrainModel with one request id trains once, also at the same time", async () => {
    const { rpc, other } = await open();
    const request = { appId, requestId: "r1" };
    const begun = await Promise.all([rpc.models.trainModel(request), rpc.models.trainModel(request)]);
    expect(begun[0]?.operation?.operationId).toBe(begun[1]?.operation?.operationId);
    await endOf(rpc, begun[0]?.operation);
    const again = await other.models.trainModel(request);
    expect(again.operation?.operationId).toBe(begun[0]?.operation?.operationId);
    expect((await rpc.operations.listOperations({ appId })).operations).toHaveLength(1);
    expect((await rpc.models.listModels({ appId })).models).toHaveLength(1);
  });

  it("WatchOperation tells the stages of a training up to its model", async () => {
    const { rpc } = await open();
    const { operation } = await rpc.models.trainModel({ appId });
    const seen: (OperationStage | undefined)[] = [];
    let last = operation;
    for await (const said of rpc.operations.watchOperation({ appId, operationId: operation?.operationId ?? "" })) {
      last = said.operation;
      seen.push(last?.progress?.stage);
    }
    expect(last).toMatchObject({ state: OperationState.SUCCEEDED });
    expect(seen.every((stage) => stage !== OperationStage.UNSPECIFIED)).toBe(true);
  });

  it("an app without data gets no operation; an evaluation of too few visits fails as one", async () => {
    const { rpc } = await open();
    await rpc.apps.createApp({ app: { appId: "empty" } });
    await expect(rpc.models.trainModel({ appId: "empty" })).rejects.toThrow(/failed_precondition/);
    expect((await rpc.operations.listOperations({ appId: "empty" })).operations).toEqual([]);
    const { operation } = await rpc.models.evaluateModel({ appId });
    await expect(endOf(rpc, operation)).rejects.toThrow(/failed_precondition/);
    const { operations } = await rpc.operations.listOperations({ appId, kind: OperationKind.EVALUATE_MODEL });
    expect(operations).toMatchObject([{ state: OperationState.FAILED, result: { value: { code: 9 } } }]);
    expect((await rpc.operations.listOperations({ appId, kind: OperationKind.TRAIN_MODEL })).operations).toEqual([]);
  });

  it("operations are listed newest first, page by page", async () => {
    const { rpc } = await open();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await trained(rpc, appId)).operationId);
    const first = await rpc.operations.listOperations({ appId, pageSize: 2 });
    const rest = await rpc.operations.listOperations({ appId, pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.operations, ...rest.operations].map(({ operationId }) => operationId)).toEqual(ids);
    expect(rest.nextPageToken).toBe("");
  });

  it("unknown operations, apps and timeouts are refused", async () => {
    const { rpc } = await open();
    const named = { appId, operationId: "nothing" };
    await expect(rpc.operations.getOperation(named)).rejects.toThrow(/not_found.*operation/);
    await expect(rpc.operations.cancelOperation(named)).rejects.toThrow(/not_found.*operation/);
    await expect(rpc.operations.getOperation({ appId })).rejects.toThrow(/invalid_argument.*operation_id/);
    await expect(rpc.operations.listOperations({ appId: "none" })).rejects.toThrow(/not_found.*app/);
    const timeout = { seconds: 301n };
    await expect(rpc.operations.waitOperation({ ...named, timeout })).rejects.toThrow(/invalid_argument.*timeout/);
  });
});
