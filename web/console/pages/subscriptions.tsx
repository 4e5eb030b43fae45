import { useState } from "preact/hooks";
import type { SubscriptionChange } from "../../../src/gen/aisle/v1/ledger_pb.js";
import { Changes } from "../changes.js";
import { ContactCard } from "../contact-card.js";
import { useSurroundings } from "../context.js";
import { countChanges, type LedgerCounts, NO_COUNTS } from "../ledger-counts.js";
import { Empty, ErrorNote, Field, Status } from "../parts.js";
import { stateText } from "../subscription-words.js";
import { useAction, useLoad } from "../use-load.js";

const AT_ONCE = 1000;
/** Calls of one read. A ledger of a million entries takes a thousand calls, so the user continues it on request. */
const CALLS = 20;
const NEWEST = 50;

interface Reading {
  readonly counts: LedgerCounts;
  readonly newest: readonly SubscriptionChange[];
  /** "" when the ledger was read to its end. */
  readonly nextPageToken: string;
}

/** Subscribers counted from the consent ledger, the status of one visitor, and the contact with an id, if there is one. */
export function SubscriptionsPage(props: { readonly appId: string; readonly contactId: string | undefined }) {
  const { appId, contactId } = props;
  const { clients } = useSurroundings();
  const [further, setFurther] = useState<Reading>();
  const read = async (from: Reading, signal?: AbortSignal): Promise<Reading> => {
    let { counts, newest, nextPageToken } = from;
    for (let call = 0; call < CALLS; call++) {
      const request = { appId, pageSize: AT_ONCE, pageToken: nextPageToken };
      const page = await clients.subscriptions.listChanges(request, signal === undefined ? {} : { signal });
      counts = countChanges(counts, page.changes);
      newest = [...newest, ...page.changes].slice(-NEWEST);
      nextPageToken = page.nextPageToken;
      if (nextPageToken === "") break;
    }
    return { counts, newest, nextPageToken };
  };
  const start: Reading = { counts: NO_COUNTS, newest: [], nextPageToken: "" };
  const ledger = useLoad((signal) => read(start, signal), [appId]);
  const goOn = useAction(async (from: Reading) => setFurther(await read(from)));
  const reading = further ?? ledger.value;
  return (
    <>
      {contactId !== undefined && <ContactCard appId={appId} contactId={contactId} />}
      <section class="card" aria-labelledby="counts">
        <h2 id="counts">Contacts</h2>
        <ErrorNote error={ledger.error ?? goOn.error} />
        <Status>
          {ledger.isLoading || goOn.isRunning
            ? "Reading the ledger …"
            : reading &&
              `Counted from ${reading.counts.entries.toLocaleString()} entries of the consent ledger` +
                `${reading.nextPageToken === "" ? "" : ", of which there are more"}.`}
        </Status>
        {reading && (
          <dl class="figures">
            <Figure name="E-mail, subscribed" value={reading.counts.email.subscribed} />
            <Figure name="E-mail, unsubscribed" value={reading.counts.email.unsubscribed} />
            <Figure name="Text message, subscribed" value={reading.counts.sms.subscribed} />
            <Figure name="Text message, unsubscribed" value={reading.counts.sms.unsubscribed} />
          </dl>
        )}
        {reading && reading.nextPageToken !== "" && (
          <button type="button" disabled={goOn.isRunning} onClick={() => goOn.run(reading)}>
            Read more
          </button>
        )}
      </section>
      <VisitorStatus appId={appId} />
      <section class="card" aria-labelledby="changes">
        <h2 id="changes">Newest changes</h2>
        {reading?.newest.length === 0 && <Empty>No changes yet.</Empty>}
        {reading && reading.newest.length > 0 && (
          <Changes label="Newest changes" changes={[...reading.newest].reverse()} />
        )}
      </section>
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value.toLocaleString()}</dd>
    </div>
  );
}

function VisitorStatus({ appId }: { readonly appId: string }) {
  const { clients } = useSurroundings();
  const [fingerprintId, setFingerprintId] = useState("");
  const [said, setSaid] = useState("");
  const ask = useAction(async () => {
    const { identified, emailState, smsState } = await clients.subscriptions.getStatus({
      appId,
      visitor: { fingerprintId: fingerprintId.trim() },
    });
    setSaid(
      identified
        ? `A known contact; e-mail ${stateText(emailState)}, text message ${stateText(smsState)}.`
        : "Unknown: no e-mail address is linked to this visitor.",
    );
  });
  return (
    <section class="card" aria-labelledby="one">
      <h2 id="one">One visitor</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          setSaid("");
          ask.run();
        }}
      >
        <Field id="status-of" label="fp_ccid" hint="The fingerprint cookie id.">
          {(attributes) => (
            <input
              {...attributes}
              required
              value={fingerprintId}
              onInput={(event) => setFingerprintId(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit">Ask</button>
      </form>
      <ErrorNote error={ask.error} />
      <Status>{said}</Status>
    </section>
  );
}
