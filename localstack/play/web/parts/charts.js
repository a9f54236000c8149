// The eight traits of an animal: as a web for the eye, as a sentence, and as a table.
import { freshId, h, s } from "../dom.js";
import { traits } from "../words.js";

/** @typedef {NonNullable<import("../client/index.js").Animal["phenotype"]>} Phenotype */

const short = ["Weight", "Milk", "Growth", "Temper", "Coat", "Fertility", "Hardy", "Show"];
const middle = { x: 110, y: 92 };
const radius = 62;

/**
 * @param {number} index
 * @param {number} value 0 to 100
 */
function at(index, value) {
  const angle = (index / traits.length) * 2 * Math.PI - Math.PI / 2;
  const far = (value / 100) * radius;
  return { x: middle.x + Math.cos(angle) * far, y: middle.y + Math.sin(angle) * far };
}

/** @param {number[]} values */
const outline = (values) =>
  values.map((value, i) => `${at(i, value).x.toFixed(1)},${at(i, value).y.toFixed(1)}`).join(" ");

/** The traits from the strongest to the weakest. @param {Phenotype} phenotype */
export const strongest = (phenotype) =>
  traits.map(([key, label]) => ({ label, value: phenotype[key] })).sort((a, b) => b.value - a.value);

/**
 * @param {string} animal
 * @param {Phenotype} phenotype
 */
export function web(animal, phenotype) {
  const values = traits.map(([key]) => phenotype[key]);
  const best = new Set(
    strongest(phenotype)
      .slice(0, 3)
      .map(({ label }) => label),
  );
  const said = traits.map(([key, label]) => `${label} ${Math.round(phenotype[key])}`).join(", ");
  const chart = s("svg", {
    viewBox: "-18 0 256 184",
    class: "web",
    role: "img",
    "aria-label": `Traits of ${animal}: ${said}`,
  });
  for (const ring of [25, 50, 75, 100])
    chart.append(s("polygon", { class: "web-ring", points: outline(values.map(() => ring)) }));
  traits.forEach((_, i) => {
    const end = at(i, 100);
    chart.append(s("line", { class: "web-spoke", x1: middle.x, y1: middle.y, x2: end.x, y2: end.y }));
  });
  chart.append(s("polygon", { class: "web-area", points: outline(values) }));
  traits.forEach(([, label], i) => {
    const dot = at(i, values[i]);
    const text = at(i, 118);
    const strong = best.has(label);
    const anchor = Math.abs(text.x - middle.x) < 6 ? "middle" : text.x > middle.x ? "start" : "end";
    chart.append(
      s("circle", { class: strong ? "web-dot strong" : "web-dot", cx: dot.x, cy: dot.y, r: strong ? 4 : 2.6 }),
      s(
        "text",
        { class: strong ? "web-label strong" : "web-label", x: text.x, y: text.y + 4, "text-anchor": anchor },
        short[i],
      ),
    );
  });
  return chart;
}

/**
 * A button that opens the table of the traits.
 * @param {string} animal
 * @param {Phenotype} phenotype
 */
export function table(animal, phenotype) {
  const id = freshId("traits");
  const rows = strongest(phenotype).map(({ label, value }, i) =>
    h(
      "tr",
      { class: i < 3 ? "strong" : null },
      h("th", { scope: "row" }, label),
      h("td", {}, value.toFixed(2)),
      h("td", { class: "bar-cell", "aria-hidden": "true" }, bar(value)),
    ),
  );
  const box = h(
    "div",
    { id, class: "traits-table", hidden: true },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, `Traits of ${animal}`),
      h(
        "thead",
        { class: "unseen" },
        h("tr", {}, h("th", { scope: "col" }, "Trait"), h("th", { scope: "col" }, "Of 100")),
      ),
      h("tbody", {}, ...rows),
    ),
  );
  const button = h(
    "button",
    {
      type: "button",
      class: "link-button",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-label": `All traits of ${animal}`,
    },
    "All traits",
  );
  button.addEventListener("click", () => {
    box.hidden = !box.hidden;
    button.setAttribute("aria-expanded", String(!box.hidden));
  });
  return [button, box];
}

/** @param {number} value 0 to 100 */
const bar = (value) =>
  s(
    "svg",
    { viewBox: "0 0 100 8", preserveAspectRatio: "none", class: "bar-chart" },
    s("rect", { width: 100, height: 8, rx: 4, class: "bar-back" }),
    s("rect", { width: value, height: 8, rx: 4, class: "bar-front" }),
  );

/**
 * A value with its bar.
 * @param {string} label
 * @param {number} value 0 to 100
 * @param {string} [unit]
 */
export const gauge = (label, value, unit = " %") =>
  h("div", { class: "gauge" }, h("dt", {}, label), h("dd", {}, h("span", {}, `${Math.round(value)}${unit}`), bar(value)));
