// A field of a form with its label, its hint, and its problems.
import { freshId, h, put } from "../dom.js";

/**
 * @typedef {object} Field
 * @property {HTMLElement} node
 * @property {HTMLInputElement} input
 * @property {(problems: readonly string[]) => void} complain
 */

/**
 * @param {string} label
 * @param {{ name: string, type?: string, autocomplete: string, hint?: string, value?: string }} options
 * @returns {Field}
 */
export function field(label, { name, type = "text", autocomplete, hint = "", value = "" }) {
  const id = freshId(name);
  const input = h("input", {
    id,
    name,
    type,
    autocomplete,
    value,
    required: true,
    dir: "auto",
    autocapitalize: name === "ranchName" ? "words" : "none",
    spellcheck: "false",
    "aria-describedby": `${id}-hint ${id}-problem`,
  });
  const problem = h("div", { id: `${id}-problem`, class: "field-problem" });
  /** @param {readonly string[]} problems */
  const complain = (problems) => {
    put(problem, ...problems.map((text) => h("p", {}, text)));
    if (problems.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("input", () => complain([]));
  const node = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("p", { id: `${id}-hint`, class: "field-hint" }, hint),
    input,
    problem,
  );
  return { node, input, complain };
}
