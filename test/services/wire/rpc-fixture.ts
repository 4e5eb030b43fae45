import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { InvalidArgument } from "../../../src/domain/errors.js";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { SubscriptionService } from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import { toConnectError } from "../../../src/services/errors/errors.js";
import { createRpcListener, type RpcListenerDeps } from "../../../src/services/wire/rpc-listener.js";

/** A gate that test code opens. */
export interface Gate {
  opened: Promise<void>;
  open(): void;
}

/** Makes a closed gate. */
export function createGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A tiny real service: apps in a map, events counted, training told in three steps. */
export function createFixtureRoutes(gates: { getApp?: Gate; getAppCalled?: Gate } = {}) {
  const apps = new Map<string, string>();
  return (router: ConnectRouter) => {
    router.service(AppService, {
      createApp({ app }) {
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(app?.appId ?? "")) {
          throw toConnectError(new InvalidArgument("app.app_id", "invalid"));
        }
        apps.set(app?.appId ?? "", app?.displayName ?? "");
        return { ...(app && { app }) };
      },
      async getApp({ appId }) {
        gates.getAppCalled?.open();
        await gates.getApp?.opened;
        const displayName = apps.get(appId);
        if (displayName === undefined) throw new ConnectError("There is no such app", Code.NotFound);
        return { app: { appId, displayName } };
      },
    });
    router.service(EventService, {
      async recordEvents(batches) {
        let accepted = 0;
        for await (const batch of batches) accepted += batch.events.length;
        return { accepted };
      },
    });
    router.service(SubscriptionService, {
      async *verifyLedger() {
        for (const stage of ["read", "fit", "publish"]) yield { headHash: stage };
      },
    });
  };
}

/** Opens a listener on a free port of 127.0.0.1; the test's end closes it. */
export async function openListener(deps: Partial<RpcListenerDeps> = {}) {
  const listener = createRpcListener({ routes: createFixtureRoutes(), host: "127.0.0.1", port: 0, ...deps });
  const { port } = await listener.listen();
  onTestFinished(() => listener.close(0));
  return { ...listener, port, address: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}
