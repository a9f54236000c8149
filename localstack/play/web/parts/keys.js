// Shows a guest the keys for coming back: at the start, on request, and before logging out.
import { h, put } from "../dom.js";
import { dialog, worker } from "./dialog.js";

/** @typedef {import("../keyring.js").Keys} Keys */

/**
 * @param {Keys} keys
 * @param {AbortSignal} signal
 * @param {boolean} start the guest has just begun to play
 */
export function showKeys(keys, signal, start) {
  void dialog(
    "Your guest ranch",
    (close) => [
      h(
        "p",
        {},
        start && "You are in! ",
        "These are the keys to your ranch. Keep them: they are the only way back from another device, ",
        "or after logging out. Until you log out, this browser keeps them in its storage for this page.",
      ),
      ...bunch(keys),
      h(
        "div",
        { class: "dialog-acts" },
        h(
          "button",
          { type: "button", class: "button", onclick: close, autofocus: true },
          start ? "Start playing" : "Close",
        ),
      ),
    ],
    { signal },
  );
}

/**
 * Asks a guest before a log-out whether to leave, since a guest needs the keys to come back.
 * @param {Keys} keys
 * @param {() => Promise<void>} leave
 * @param {AbortSignal} signal
 */
export function askGuest(keys, leave, signal) {
  void dialog(
    "Leave your guest ranch?",
    (close) => [
      h("p", {}, "This device forgets the keys to your ranch when you log out. Without them there is no way back."),
      ...bunch(keys),
      h(
        "div",
        { class: "dialog-acts" },
        h("button", { type: "button", class: "button", onclick: close, autofocus: true }, "Stay"),
        worker("I have them: log out", "second", leave),
      ),
    ],
    { signal },
  );
}

/** @param {Keys} keys */
const bunch = ({ email, password }) => [given("E-mail", email), given("Password", password)];

/**
 * @param {string} label
 * @param {string} value
 */
function given(label, value) {
  const input = h("input", { id: `given-${label}`, readonly: true, value, onfocus: () => input.select() });
  const copy = h("button", { type: "button", class: "button small quiet" });
  const said = h("span", { class: "unseen", role: "status" });
  /** @param {string} word */
  const call = (word) => put(copy, word, h("span", { class: "unseen" }, ` ${label}`));
  call("Copy");
  copy.addEventListener("click", async () => {
    input.select();
    try {
      await navigator.clipboard.writeText(value);
      call("Copied");
      said.textContent = `${label} copied`;
      setTimeout(() => {
        call("Copy");
        said.textContent = "";
      }, 4000);
    } catch {
      input.focus(); // the browser does not allow to copy: the text is selected, to be copied by hand
    }
  });
  return h("div", { class: "field" }, h("label", { for: input.id }, label), h("div", { class: "given" }, input, copy), said);
}
