import type { PageHelper } from "../helper/aisle.js";
import { byId } from "./dom.js";

/** The newsletter form. The helper decides whether it shows; it hides once the visitor has subscribed. */
export interface Letter {
  show(): Promise<void>;
}

export function createLetter(aisle: PageHelper): Letter {
  const form = byId("letter", HTMLFormElement);
  const state = byId("letter-state", HTMLElement);
  const input = byId("letter-email", HTMLInputElement);
  const invitation = state.textContent;

  const show = async (force: boolean) => {
    const { status, showForm } = await aisle.subscription({ force });
    form.hidden = !showForm;
    if (status === true) state.textContent = "You are subscribed. See you next month.";
    else state.textContent = status === false ? "You have left our letters. We will not ask again." : invitation;
    return showForm;
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.hidden = true;
    state.textContent = "One moment …";
    if (!(await aisle.subscribe({ email: input.value }))) {
      state.textContent = "Thank you! We sign you up as soon as the network is back.";
      return;
    }
    state.textContent = "Thank you! You are subscribed.";
    // The service knows the outcome only for a visitor with an id.
    const isKnown = aisle.visitorIds().fpccid !== "";
    if (isKnown && (await show(true))) state.textContent = "That did not work. Is the address right?";
  });
  return { show: async () => void (await show(false)) };
}
