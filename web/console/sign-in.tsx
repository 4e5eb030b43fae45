import { useState } from "preact/hooks";

/** Asks for a token of the RPC port. */
export function SignIn(props: {
  readonly wasRefused: boolean;
  readonly isAway: boolean;
  readonly onToken: (token: string) => Promise<void>;
}) {
  const [token, setToken] = useState("");
  const fault = props.isAway
    ? "The server does not answer."
    : props.wasRefused
      ? "The server does not know this token."
      : "";
  return (
    <main class="gate">
      <h1>Aisle console</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onToken(token.trim());
        }}
      >
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          required
          value={token}
          aria-describedby="token-about"
          aria-invalid={fault !== ""}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-about" class="muted">
          This server requires a token. <code>aisle token --name console --scope admin</code> creates one; it stays in
          this tab only.
        </p>
        <p class="fault" role="alert">
          {fault}
        </p>
        <button type="submit" class="primary">
          Open the console
        </button>
      </form>
    </main>
  );
}
