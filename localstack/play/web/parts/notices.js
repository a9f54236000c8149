// Messages that disappear after 8 seconds, one at a time. Screen readers read each message when it appears.
import { byId, h, put } from "../dom.js";

const stay = 8000;

/**
 * @param {string} text
 * @param {"plain" | "good" | "warn"} [kind]
 */
export function notice(text, kind = "plain") {
  const place = byId("messages");
  const line = h("p", { class: `notice notice-${kind}`, dir: "auto" }, text);
  put(place, line);
  let waiting = setTimeout(() => line.remove(), stay);
  line.addEventListener("pointerenter", () => clearTimeout(waiting));
  line.addEventListener("pointerleave", () => (waiting = setTimeout(() => line.remove(), stay / 3)));
}

/** Shows a minor message, unless another one is shown. @param {string} text */
export function aside(text) {
  if (!byId("messages").firstElementChild) notice(text, "good");
}

/**
 * Shows an error beside the control that caused the error, in place of the last error there.
 * @param {Element} place
 * @param {string} text "" removes it
 * @param {"bad" | "unknown"} [kind]
 */
export function trouble(place, text, kind = "bad") {
  place.querySelector(":scope > .trouble")?.remove();
  if (text) place.append(h("p", { class: `trouble trouble-${kind}`, role: "alert", dir: "auto" }, text));
}
