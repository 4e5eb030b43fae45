import { useState } from "preact/hooks";
import type { App } from "../../../src/gen/aisle/v1/app_pb.js";
import { useSurroundings } from "../context.js";
import { fieldFaults } from "../errors.js";
import { CopyButton, Empty, ErrorNote, Field, Snippet, Status, Time } from "../parts.js";
import { hashOf } from "../route.js";
import { snippetsFor } from "../snippets.js";
import { type Load, useAction, useLoad } from "../use-load.js";

/** The apps with their ids and code to paste, and a form for a new app. */
export function AppsPage({ apps }: { readonly apps: Load<readonly App[]> }) {
  return (
    <>
      <Status>{apps.isLoading && apps.value === undefined ? "Loading …" : ""}</Status>
      {apps.value?.length === 0 && <Empty>There is no app yet. One app is one shop; make the first below.</Empty>}
      {apps.value?.map((app, index) => (
        <AppCard key={app.appId} app={app} isOpen={index === 0} />
      ))}
      <NewApp onMade={apps.again} />
    </>
  );
}

function AppCard({ app, isOpen }: { readonly app: App; readonly isOpen: boolean }) {
  const [showsSnippets, setShowsSnippets] = useState(isOpen);
  return (
    <section class="card" aria-label={app.displayName || app.appId}>
      <div class="row between">
        <h2>{app.displayName || app.appId}</h2>
        <a href={hashOf({ appId: app.appId, page: "try" })}>Try a visitor</a>
      </div>
      <dl class="facts">
        <div>
          <dt>App id</dt>
          <dd>
            <code>{app.appId}</code> <CopyButton text={app.appId} what={`the id of ${app.displayName || app.appId}`} />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={app.createTime} />
          </dd>
        </div>
        <div>
          <dt>Origins</dt>
          <dd>{app.allowedOrigins.join(", ") || "any"}</dd>
        </div>
        <div>
          <dt>Double opt-in</dt>
          <dd>{app.doubleOptIn ? "on" : "off"}</dd>
        </div>
      </dl>
      <details open={isOpen} onToggle={(event) => setShowsSnippets(event.currentTarget.open)}>
        <summary>Integrate</summary>
        {showsSnippets && <Snippets appId={app.appId} />}
      </details>
    </section>
  );
}

function Snippets({ appId }: { readonly appId: string }) {
  const { clients, storefrontUrl } = useSurroundings();
  const sample = useLoad(
    async (signal) => (await clients.catalog.listProducts({ appId, pageSize: 1 }, { signal })).products[0]?.productId,
    [appId],
  );
  if (sample.isLoading) return null;
  const snippets = snippetsFor({
    url: storefrontUrl ?? "https://aisle.shop.example",
    appId,
    productId: sample.value ?? "product-1",
    visitor: "fp-1",
  });
  return (
    <>
      {snippets.map(({ title, text }) => (
        <Snippet key={title} title={title} text={text} />
      ))}
    </>
  );
}

function NewApp({ onMade }: { readonly onMade: () => void }) {
  const { clients } = useSurroundings();
  const [appId, setAppId] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [made, setMade] = useState("");
  const create = useAction(async () => {
    const { app } = await clients.apps.createApp({ app: { appId, displayName } });
    setMade(app?.appId ?? "");
    setAppId("");
    setDisplayName("");
    onMade();
  });
  const faults = fieldFaults(create.error);
  return (
    <section class="card" aria-labelledby="new-app">
      <h2 id="new-app">New app</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          create.run();
        }}
      >
        <Field id="app-name" label="Name" hint="Display name." fault={faults.get("app.display_name")}>
          {(attributes) => (
            <input {...attributes} value={displayName} onInput={(event) => setDisplayName(event.currentTarget.value)} />
          )}
        </Field>
        <Field
          id="app-id"
          label="App id"
          hint="Letters, digits, - and _. Empty: Aisle chooses one."
          fault={faults.get("app.app_id")}
        >
          {(attributes) => (
            <input {...attributes} value={appId} onInput={(event) => setAppId(event.currentTarget.value)} />
          )}
        </Field>
        <button type="submit" class="primary" disabled={create.isRunning}>
          Create
        </button>
      </form>
      {faults.size === 0 && <ErrorNote error={create.error} />}
      <Status>{made === "" ? "" : `The app ${made} was created.`}</Status>
    </section>
  );
}
