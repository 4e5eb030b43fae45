import { useEffect, useRef, useState } from "preact/hooks";
import { useSurroundings } from "./context.js";
import { errorText } from "./errors.js";
import { type Finding, find, type Hit } from "./find.js";

/** Time after the last key until the server is asked. */
const PAUSE_MS = 200;
const LEAST = 2;

/** What is known of the typed text; undefined while it is being looked for. */
type Answer = { readonly finding: Finding } | { readonly error: unknown } | undefined;

/** An answer with the text that it answers: a newer text may have been typed since. */
interface Answered {
  readonly text: string;
  readonly answer: Answer;
}

/**
 * The search of all pages: finds visitors, contacts, products, orders and events. `/` goes to it, arrows choose, Enter
 * follows, Escape leaves.
 */
export function SearchBox({ appId }: { readonly appId: string }) {
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const answer = useAnswer(appId, text);
  const input = useRef<HTMLInputElement>(null);
  const wantsFirst = useRef(false);
  useSlash(input);
  const groups = answer !== undefined && "finding" in answer ? answer.finding.groups : [];
  const hits = groups.flatMap((group) => group.hits);
  const follow = (hit: Hit | undefined) => {
    wantsFirst.current = false;
    if (hit === undefined) return;
    location.hash = hit.href;
    leave();
  };
  const leave = () => {
    wantsFirst.current = false;
    setText("");
    setIsOpen(false);
  };
  useEffect(() => {
    setChosen(0);
    // Enter was pressed before the answer came.
    if (answer !== undefined && wantsFirst.current) follow(hits[0]);
  }, [answer]);
  const isAsking = isOpen && text.trim().length >= LEAST;
  const hasList = isAsking && hits.length > 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") leave();
    if (event.key === "Enter") {
      // What was typed last may not be drawn yet.
      const isOld = input.current?.value !== text || answer === undefined;
      if (!isOld) follow(hits[chosen]);
      else wantsFirst.current = true;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const step = event.key === "ArrowDown" ? 1 : -1;
    if (hits.length > 0) setChosen((chosen + step + hits.length) % hits.length);
  };
  return (
    <search
      class="find"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOpen(false);
      }}
    >
      <input
        ref={input}
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: an input has it by itself only with a list of the browser
        role="combobox"
        list={undefined}
        aria-label="Find"
        aria-keyshortcuts="/"
        aria-expanded={hasList}
        aria-autocomplete="list"
        {...(hasList && { "aria-controls": "find-list", "aria-activedescendant": `find-${chosen}` })}
        placeholder="Find …   /"
        autocomplete="off"
        spellcheck={false}
        maxLength={255}
        value={text}
        onFocus={() => setIsOpen(true)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIsOpen(true);
          wantsFirst.current = false;
        }}
        onKeyDown={onKey}
      />
      {isOpen && (
        <div class="found">
          {hasList && <Hits groups={groups} chosen={chosen} onFollow={follow} />}
          <Note text={text} answer={answer} count={hits.length} isAsking={isAsking} />
        </div>
      )}
    </search>
  );
}

function Hits(props: {
  readonly groups: Finding["groups"];
  readonly chosen: number;
  readonly onFollow: (hit: Hit) => void;
}) {
  const { groups, chosen, onFollow } = props;
  const hits = groups.flatMap((group) => group.hits);
  return (
    <div id="find-list" role="listbox" aria-label="Found" tabIndex={-1}>
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <div key={group.name} role="group" aria-labelledby={`find-${group.name}`}>
          <div class="group" id={`find-${group.name}`} role="presentation">
            {group.name}
          </div>
          {group.hits.map((hit) => {
            const at = hits.indexOf(hit);
            return (
              <a
                key={hit.href}
                id={`find-${at}`}
                role="option"
                aria-selected={at === chosen}
                href={hit.href}
                tabIndex={-1}
                ref={(element) => {
                  if (at === chosen) element?.scrollIntoView({ block: "nearest" });
                }}
                // The focus stays in the box until the link is followed.
                onMouseDown={(event) => event.preventDefault()}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  onFollow(hit);
                }}
              >
                <span class="hit">
                  <strong>{hit.title}</strong>
                  <span class="muted">{hit.detail}</span>
                </span>
                <span class="place">{hit.place}</span>
              </a>
            );
          })}
        </div>
      ))}
    </div>
  );
}

const HINT = "Find by visitor, customer or order id, e-mail address, words or id of a product, or id of an event.";

function Note(props: {
  readonly text: string;
  readonly answer: Answer;
  readonly count: number;
  readonly isAsking: boolean;
}) {
  const { text, answer, count, isAsking } = props;
  if (!isAsking) return <p class="muted">{HINT}</p>;
  if (answer !== undefined && "error" in answer)
    return (
      <p class="note error" role="alert">
        {errorText(answer.error)}
      </p>
    );
  const refused = answer?.finding.refused ?? [];
  const counted = count === 1 ? "1 found" : `${count} found`;
  return (
    <>
      <p class={count > 0 ? "hidden" : "muted"} role="status">
        {answer === undefined ? "Looking …" : count > 0 ? counted : `Nothing found for “${text.trim()}”. ${HINT}`}
      </p>
      {refused.length > 0 && <p class="muted">Your token does not allow to look for: {refused.join(", ")}.</p>}
    </>
  );
}

/** What the text finds, a moment after it was typed. */
function useAnswer(appId: string, text: string): Answer {
  const { clients } = useSurroundings();
  const [answered, setAnswered] = useState<Answered>();
  useEffect(() => {
    if (text.trim().length < LEAST) return;
    const giveUp = new AbortController();
    const take = (one: Answer) => {
      if (!giveUp.signal.aborted) setAnswered({ text, answer: one });
    };
    const timer = setTimeout(() => {
      find(clients, appId, text, giveUp.signal).then(
        (finding) => take({ finding }),
        (error: unknown) => take({ error }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      giveUp.abort();
    };
  }, [appId, text]);
  return answered?.text === text ? answered.answer : undefined;
}

/** `/` goes to the box, unless somebody is typing elsewhere. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
