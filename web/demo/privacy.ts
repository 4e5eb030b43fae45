import type { PageHelper } from "../helper/aisle.js";
import { byId, element } from "./dom.js";

const CALLS: ReadonlyMap<string, string> = new Map([
  ["trace", "POST /trace"],
  ["recommend", "POST /recommend"],
  ["subscription_status", "GET /subscription_status"],
]);

/** Shows the switch of consent and the calls to Aisle. @param onChange called with each new choice */
export function showPrivacy(aisle: PageHelper, onChange: (isGiven: boolean) => void): void {
  const consent = byId("consent", HTMLButtonElement);
  const state = byId("consent-state", HTMLElement);
  const show = () => {
    const { cId, fpccid } = aisle.visitorIds();
    const isGiven = cId !== "";
    consent.setAttribute("aria-checked", String(isGiven));
    state.textContent = isGiven
      ? "Aisle stores an id and the products you viewed, in this browser and on this installation. Switch it off to remove both from the browser."
      : refusal();
    byId("ids", HTMLElement).textContent = isGiven ? `You are known as ${fpccid}.` : "You are not known by any id.";
  };
  consent.disabled = false;
  consent.addEventListener("click", () => {
    const isGiven = consent.getAttribute("aria-checked") !== "true";
    aisle.consent(isGiven);
    show();
    onChange(isGiven);
  });
  show();
  listCalls();
}

function refusal(): string {
  const why = navigator.globalPrivacyControl === true ? "Your browser asks not to be followed. " : "";
  return `${why}No id is made and no view is sent; recommendations follow from the page alone.`;
}

function listCalls(): void {
  const calls = byId("calls", HTMLElement);
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      const call = CALLS.get(new URL(name).pathname.split("/").at(-1) ?? "");
      if (call !== undefined) calls.append(element("li", { text: `${call}, ${Math.round(duration)} ms` }));
    }
  });
  observer.observe({ type: "resource", buffered: true });
}
