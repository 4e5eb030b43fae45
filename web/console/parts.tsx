/** Small shared parts of pages. */
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorText } from "./errors.js";

/** Shows an error, and announces it to screen readers at once. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <p class="note error" role="alert">
      {errorText(error)}
    </p>
  );
}

/** Shows the current activity, also to screen readers. It stays in the page, so that changes are announced. */
export function Status({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="status" role="status">
      {children}
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

const COPIED_MS = 2000;

/** Copies `text` to the clipboard. `what` completes "Copy …" for screen readers. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), COPIED_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      // the button shows it
      () => setSaid("Not allowed"),
    );
  return (
    <button type="button" class="small quiet" onClick={copy}>
      <span aria-live="polite">{said || "Copy"}</span>
      <span class="hidden"> {what}</span>
    </button>
  );
}

/** Text to copy. */
export function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure class="snippet">
      <figcaption>
        {title} <CopyButton text={text} what={title} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wider than its place, it is scrolled by keys, too */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

const TIMES = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A time in the viewer's zone. */
export function Time({ at }: { readonly at: Timestamp | undefined }) {
  if (at === undefined) return <span>–</span>;
  const date = timestampDate(at);
  return <time dateTime={date.toISOString()}>{TIMES.format(date)}</time>;
}

const DAYS = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** A day in the viewer's zone. */
export function Day({ at }: { readonly at: Timestamp | undefined }) {
  if (at === undefined) return null;
  const date = timestampDate(at);
  return <time dateTime={date.toISOString()}>{DAYS.format(date)}</time>;
}

/** A button that asks for confirmation. */
export function ConfirmButton(props: {
  readonly label: string;
  readonly question: string;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
}) {
  const [asks, setAsks] = useState(false);
  if (!asks)
    return (
      <button type="button" class="small" disabled={props.disabled === true} onClick={() => setAsks(true)}>
        {props.label}
      </button>
    );
  const answer = (yes: boolean) => {
    setAsks(false);
    if (yes) props.onConfirm();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; this is a question with two answers
    <span class="confirm" role="group" aria-label={props.question}>
      <span>{props.question}</span>
      <button type="button" class="small primary" ref={focus} onClick={() => answer(true)}>
        Yes
      </button>
      <button type="button" class="small" onClick={() => answer(false)}>
        No
      </button>
    </span>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

/**
 * A table wider than a phone scrolls in its own area, also by keyboard. A stacked one has a cell in each line there, named
 * by its `data-label`.
 */
export function Table(props: {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly isStacked?: boolean;
}) {
  const { label, children, isStacked = false } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div class={isStacked ? "scroll stacked" : "scroll"} role="group" aria-label={label} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** One field of a form with label, hint and fault. */
export function Field(props: {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly children: (attributes: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ComponentChildren;
}) {
  const about = `${props.id}-about`;
  return (
    <div class="field">
      <label for={props.id}>{props.label}</label>
      {props.children({ id: props.id, "aria-describedby": about, "aria-invalid": props.fault !== undefined })}
      <small id={about} class={props.fault === undefined ? "" : "fault"}>
        {props.fault ?? props.hint}
      </small>
    </div>
  );
}
