// What a guest needs to come back, shown once.
import { h, put } from "../dom.js";
import { dialog } from "./dialog.js";

/**
 * @param {{ email: string, password: string }} keys
 * @param {AbortSignal} signal
 */
export function showKeys({ email, password }, signal) {
  void dialog(
    "Your guest ranch",
    (close) => [
      h(
        "p",
        {},
        "You are in! These are the keys to your ranch. Keep them: they are the only way back from another device, ",
        "or after logging out.",
      ),
      given("E-mail", email),
      given("Password", password),
      h(
        "div",
        { class: "dialog-acts" },
        h("button", { type: "button", class: "button", onclick: close, autofocus: true }, "Start playing"),
      ),
    ],
    { signal },
  );
}

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
      input.focus(); // it is selected, to be copied by hand
    }
  });
  return h("div", { class: "field" }, h("label", { for: input.id }, label), h("div", { class: "given" }, input, copy), said);
}
