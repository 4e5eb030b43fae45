import { InvalidArgument } from "../domain/errors.js";
import type { CreateLinkRequest, GetContactRequest } from "../gen/aisle/v1/subscription_service_pb.js";

/** The one id by which a request names a contact; the other texts are empty. Throws InvalidArgument when none is set. */
export function namedContact({ contact }: Pick<GetContactRequest | CreateLinkRequest, "contact">) {
  const { case: name, value = "" } = contact;
  if (value === "") throw new InvalidArgument("email", "missing", "one of email, phone, contact_id");
  return {
    email: name === "email" ? value : "",
    phone: name === "phone" ? value : "",
    contactId: name === "contactId" ? value : "",
  };
}
