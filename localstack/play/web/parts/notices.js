// Messages below the bar, one at a time, and errors beside the control that caused them. A message takes up room of its
// own, so it never covers a control. It stays until the player closes it, opens another view or gets another message.
import { cross } from "../art/icons.js";
import { byId, h, put } from "../dom.js";

/** For how many milliseconds a minor message does not take the place of another. */
const fresh = 8000;
let shown = -Infinity;

/**
 * @param {string} text
 * @param {"plain" | "good" | "warn"} [kind]
 */
export function notice(text, kind = "plain") {
  const close = h(
    "button",
    { type: "button", class: "quiet icon-button", "aria-label": "Close the message", title: "Close", onclick: dismiss },
    cross(),
  );
  shown = performance.now();
  put(byId("messages"), h("div", { class: `notice notice-${kind}` }, h("p", { dir: "auto" }, text), close));
}

/** Removes the message. If the focus was on it, the focus moves to the view. */
export function dismiss() {
  const place = byId("messages");
  const held = place.contains(document.activeElement);
  put(place);
  if (held) byId("main").focus({ preventScroll: true });
}

/** Shows a minor message, unless another one has just appeared. @param {string} text */
export function aside(text) {
  if (!byId("messages").firstElementChild || performance.now() - shown > fresh) notice(text, "good");
}

/**
 * Shows an error beside the control that caused the error, in place of the last error there, and brings it into sight.
 * An error of kind "old" is about an answer that is no longer current: the player did not press anything, so the page
 * does not scroll.
 * @param {Element} place
 * @param {string} text "" removes it
 * @param {"bad" | "unknown" | "old"} [kind]
 */
export function trouble(place, text, kind = "bad") {
  place.querySelector(":scope > .trouble")?.remove();
  if (!text) return;
  const line = h("p", { class: `trouble trouble-${kind}`, role: "alert", dir: "auto" }, text);
  place.append(line);
  if (kind !== "old") line.scrollIntoView({ block: "nearest" });
}
