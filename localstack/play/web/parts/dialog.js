// Dialogs. The browser keeps the focus inside, and Escape closes a dialog. The page outside is dimmed and silent, so
// the live region for messages moves into the dialog.
import { byId, freshId, h } from "../dom.js";

/**
 * Shows a dialog. When the player closes it or the signal is aborted, the focus moves back and the promise resolves.
 * @param {string} title
 * @param {(close: () => void) => (Node | string | null | false)[]} content
 * @param {{ signal?: AbortSignal, className?: string }} [options] the signal closes it
 * @returns {Promise<void>}
 */
export function dialog(title, content, { signal, className = "" } = {}) {
  const id = freshId("dialog");
  const close = () => box.close();
  const box = h(
    "dialog",
    { class: `dialog ${className}`, "aria-labelledby": id },
    h("h2", { id, class: "dialog-title" }, title),
    ...content(close),
  );
  const opener = document.activeElement;
  const messages = byId("messages");
  messages.replaceChildren(); // they belong to the action before
  box.append(messages);
  document.body.append(box);
  return new Promise((resolve) => {
    signal?.addEventListener("abort", close);
    box.addEventListener("close", () => {
      signal?.removeEventListener("abort", close);
      (document.querySelector("dialog[open]") ?? byId("head")).append(messages);
      box.remove();
      const next =
        opener instanceof HTMLElement && opener !== document.body && opener.isConnected
          ? opener
          : document.querySelector(".view-title");
      if (next instanceof HTMLElement) next.focus();
      resolve();
    });
    box.showModal();
  });
}

/**
 * Returns a button for an action. While work runs, the button looks busy, and pressing it has no effect.
 * @param {string} label
 * @param {string} className
 * @param {() => Promise<void>} work
 */
export function worker(label, className, work) {
  const button = h("button", { type: "button", class: `button ${className}`, "data-act": label }, label);
  button.addEventListener("click", () => void busy(button, work));
  return button;
}

/**
 * @param {HTMLElement} button
 * @param {() => Promise<void>} work
 */
export async function busy(button, work) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  button.classList.add("busy");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-disabled");
    button.classList.remove("busy");
  }
}
