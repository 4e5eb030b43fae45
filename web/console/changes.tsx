import { ChangeSource, type SubscriptionChange } from "../../src/gen/aisle/v1/ledger_pb.js";
import { SubscriptionChannel } from "../../src/gen/aisle/v1/subscription_pb.js";
import { Table, Time } from "./parts.js";
import { stateText } from "./subscription-words.js";

/** Entries of the consent ledger. */
export function Changes(props: { readonly label: string; readonly changes: readonly SubscriptionChange[] }) {
  const { label, changes } = props;
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th scope="col">Said</th>
          <th scope="col">By</th>
          <th scope="col">Channel</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">Contact</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.changeId}>
            <td class="time">
              <Time at={change.changeTime} />
            </td>
            <td>{ChangeSource[change.source]?.toLowerCase()}</td>
            <td>{change.channel === SubscriptionChannel.SMS ? "text message" : "e-mail"}</td>
            <td>{stateText(change.oldState)}</td>
            <td>{stateText(change.newState)}</td>
            <td>
              <code>{change.erased ? "erased" : change.contactId}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
