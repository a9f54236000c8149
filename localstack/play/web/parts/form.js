// A form: it sends the values of its fields, and shows what is wrong beside them.
import { h } from "../dom.js";
import { fieldProblems, isUnknownOutcome, sentence } from "../errors.js";
import { busy } from "./dialog.js";
import { trouble } from "./notices.js";

/**
 * @template {string} K
 * @param {string} label
 * @param {string} action the text of the button
 * @param {Record<K, import("./field.js").Field>} fields by the names that the service uses in its details
 * @param {import("../errors.js").Operation} operation
 * @param {(values: Record<K, string>) => Promise<void>} send its errors appear in the form
 * @param {...HTMLElement} more beside the button
 */
export function form(label, action, fields, operation, send, ...more) {
  const list = /** @type {[K, import("./field.js").Field][]} */ (Object.entries(fields));
  const button = h("button", { type: "submit", class: "button" }, action);
  const box = h(
    "form",
    { class: "form", novalidate: true, "aria-label": label },
    ...list.map(([, { node }]) => node),
    h("div", { class: "acts" }, button, ...more),
  );
  /** @param {Readonly<Record<string, readonly string[]>>} problems */
  const complain = (problems) => {
    for (const [key, one] of list) one.complain(problems[key] ?? []);
    list.find(([key]) => problems[key])?.[1].input.focus();
  };
  const submit = async () => {
    const values = /** @type {Record<K, string>} */ (Object.fromEntries(list.map(([key, { input }]) => [key, input.value])));
    try {
      await send(values);
    } catch (error) {
      complain(fieldProblems(error));
      trouble(box, sentence(operation, error), isUnknownOutcome(error) ? "unknown" : "bad");
    }
  };
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    trouble(box, "");
    complain({});
    void busy(button, submit);
  });
  return box;
}
