import { Code, ConnectError } from "@connectrpc/connect";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Surroundings, SurroundingsContext } from "./context.js";
import { createClients } from "./rpc.js";
import { Shell } from "./shell.js";
import { SignIn } from "./sign-in.js";

/** Storage key of the token: it lives in this tab until the tab is closed. */
const TOKEN_KEY = "aisle-console-token";

type Access = "checking" | "asked" | "refused" | "open";

/** Asks for a token where the server requires one, then shows the pages. */
export function App({ now }: { readonly now: () => number }) {
  const [access, setAccess] = useState<Access>("checking");
  const [storefrontUrl, setStorefrontUrl] = useState<string | null>(null);
  const [isAway, setIsAway] = useState(false);
  const token = useRef(sessionStorage.getItem(TOKEN_KEY) ?? "");
  const keep = (text: string) => {
    token.current = text;
    if (text === "") sessionStorage.removeItem(TOKEN_KEY);
    else sessionStorage.setItem(TOKEN_KEY, text);
  };
  const clients = useMemo(() => {
    const refused = () => {
      setAccess(token.current === "" ? "asked" : "refused");
      keep("");
    };
    return createClients(location.origin, () => token.current, refused);
  }, []);
  const check = async () => {
    setIsAway(false);
    try {
      await clients.apps.listApps({ pageSize: 1 });
      setAccess("open");
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unauthenticated) setIsAway(true);
    }
  };
  useEffect(() => {
    check();
    fetch("about.json")
      .then((answer) => answer.json())
      .then((about: { readonly storefrontUrl: string | null }) => setStorefrontUrl(about.storefrontUrl))
      .catch(() => undefined); // snippets then show a placeholder
  }, []);
  if (access === "checking")
    return (
      <main class="gate">
        <h1>Aisle console</h1>
        <p role="status">{isAway ? "The server does not answer." : "Asking the server …"}</p>
        {isAway && (
          <button type="button" onClick={check}>
            Try again
          </button>
        )}
      </main>
    );
  if (access !== "open")
    return (
      <SignIn
        wasRefused={access === "refused"}
        isAway={isAway}
        onToken={(text) => {
          keep(text);
          return check();
        }}
      />
    );
  const surroundings: Surroundings = { clients, now, storefrontUrl };
  const leave = () => {
    keep("");
    setAccess("checking");
    check();
  };
  return (
    <SurroundingsContext.Provider value={surroundings}>
      <Shell onLeave={token.current === "" ? undefined : leave} />
    </SurroundingsContext.Provider>
  );
}
