import { Changes } from "./changes.js";
import { useSurroundings } from "./context.js";
import { idOf } from "./find.js";
import { Day, ErrorNote, Status } from "./parts.js";
import { hashOf } from "./route.js";
import { stateText } from "./subscription-words.js";
import { useLoad } from "./use-load.js";

/** Newest changes come last, so more are read than a contact usually has. */
const CHANGES = 1000;

/** One contact: its subscriptions and how they came about, and its visitors, with links to their events. */
export function ContactCard({ appId, contactId }: { readonly appId: string; readonly contactId: string }) {
  const { clients } = useSurroundings();
  const load = useLoad(
    async (signal) => {
      const [{ contact, visitors }, { changes }] = await Promise.all([
        clients.subscriptions.getContact({ appId, contact: { case: "contactId", value: contactId } }, { signal }),
        clients.subscriptions.listChanges({ appId, contactId, pageSize: CHANGES }, { signal }),
      ]);
      return { contact, visitors, changes: changes.reverse() };
    },
    [appId, contactId],
  );
  const { contact, visitors = [], changes = [] } = load.value ?? {};
  const name = `${contact?.firstName ?? ""} ${contact?.lastName ?? ""}`.trim();
  return (
    <section class="card" aria-labelledby="contact">
      <h2 id="contact">{contact?.email || contact?.phone || "Contact"}</h2>
      <ErrorNote error={load.error} />
      <Status>{load.value === undefined && load.error === undefined ? "Loading …" : ""}</Status>
      {contact && (
        <dl class="facts">
          {name !== "" && <Fact name="Name" text={name} />}
          {contact.phone !== "" && <Fact name="Phone" text={contact.phone} />}
          <Fact name="E-mail" text={stateText(contact.emailState)} />
          <Fact name="Text message" text={stateText(contact.smsState)} />
          <div>
            <dt>Known since</dt>
            <dd>
              <Day at={contact.createTime} />
            </dd>
          </div>
        </dl>
      )}
      {contact && (
        <p>
          {visitors.length === 0 ? "No visitor is linked to it." : "Events of its visitors: "}
          {visitors.map((visitor, at) => (
            <span key={visitor.visitorId}>
              {at > 0 && ", "}
              <a href={hashOf({ appId, page: "events", details: { visitor: idOf(visitor) } })}>{idOf(visitor)}</a>
            </span>
          ))}
        </p>
      )}
      {changes.length > 0 && <Changes label="Changes of this contact" changes={changes} />}
    </section>
  );
}

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}
