import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../../src/gen/aisle/v1/app_pb.js";
import { useSurroundings } from "./context.js";
import { AppsPage } from "./pages/apps.js";
import { pageOf } from "./pages/pages.js";
import { pagesOf } from "./pages-of.js";
import { ErrorNote } from "./parts.js";
import { hashOf, PAGES, type Page, type Route, readRoute } from "./route.js";
import { SearchBox } from "./search-box.js";
import { useLoad } from "./use-load.js";

/** The frame of all pages: app and navigation. After navigation the focus moves to the page's heading. */
export function Shell({ onLeave }: { readonly onLeave: (() => void) | undefined }) {
  const { clients } = useSurroundings();
  const route = useRoute();
  const apps = useLoad(
    (signal) =>
      pagesOf(async (pageToken) => {
        const page = await clients.apps.listApps({ pageSize: 1000, pageToken }, { signal });
        return { items: page.apps, nextPageToken: page.nextPageToken };
      }),
    [],
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const tabs = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const title = route.page === undefined ? "Apps" : PAGES[route.page];
  const place = hashOf(route);
  useEffect(() => {
    document.title = `${title} – Aisle console`;
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [place]);
  const appId = route.appId ?? apps.value?.[0]?.appId;
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the page
      </button>
      <header>
        <a class="brand" href="#/">
          Aisle
        </a>
        {appId !== undefined && <SearchBox key={appId} appId={appId} />}
        <AppChoice apps={apps.value ?? []} appId={appId} page={route.page ?? "try"} />
        {onLeave && (
          <button type="button" class="small quiet" onClick={onLeave}>
            Forget the token
          </button>
        )}
      </header>
      <nav aria-label="Pages" ref={tabs}>
        <ul>
          <li>
            <Tab href="#/" isCurrent={route.page === undefined} label="Apps" />
          </li>
          {appId !== undefined &&
            pageNames().map((page) => (
              <li key={page}>
                <Tab href={hashOf({ appId, page })} isCurrent={route.page === page} label={PAGES[page]} />
              </li>
            ))}
        </ul>
      </nav>
      <main id="main" key={place}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <ErrorNote error={apps.error} />
        {route.page === undefined || route.appId === undefined ? (
          <AppsPage apps={apps} />
        ) : (
          pageOf(route.page, route.appId, route.details ?? {})
        )}
      </main>
    </>
  );
}

function Tab(props: { readonly href: string; readonly isCurrent: boolean; readonly label: string }) {
  return (
    <a href={props.href} aria-current={props.isCurrent ? "page" : undefined}>
      {props.label}
    </a>
  );
}

function AppChoice(props: { readonly apps: readonly App[]; readonly appId: string | undefined; readonly page: Page }) {
  const { apps, appId, page } = props;
  if (appId === undefined) return null;
  const isListed = apps.some((app) => app.appId === appId);
  return (
    <label class="choice">
      <span>App</span>
      <select
        value={appId}
        onChange={(event) => {
          location.hash = hashOf({ appId: event.currentTarget.value, page });
        }}
      >
        {!isListed && <option value={appId}>{appId}</option>}
        {apps.map((app) => (
          <option key={app.appId} value={app.appId}>
            {app.displayName || app.appId}
          </option>
        ))}
      </select>
    </label>
  );
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return readRoute(hash);
}

function pageNames(): readonly Page[] {
  return Object.keys(PAGES).filter((name): name is Page => name in PAGES);
}
