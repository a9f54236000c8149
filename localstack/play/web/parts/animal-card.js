// An animal on its card.
import { portrait } from "../art/animal.js";
import { freshId, h, name } from "../dom.js";
import { capital, day, unfit } from "../words.js";
import { gauge, strongest, table, web } from "./charts.js";

/** @typedef {import("../client/index.js").Animal} Animal */

const rarities = ["common", "uncommon", "rare", "epic", "legendary"];

/** The class of a rarity's colours. @param {string} rarity */
export const rarityClass = (rarity) => `rarity-${rarities.includes(rarity) ? rarity : "common"}`;

/**
 * @param {{ id: string, breed: string, sex?: string }} animal
 * @param {string} rarity
 */
export const framed = (animal, rarity) => h("span", { class: `framed ${rarityClass(rarity)}` }, portrait(animal));

/** @param {Animal} animal */
export function animalCard(animal) {
  const id = freshId("animal");
  const why = unfit(animal);
  return h(
    "article",
    { class: `sheet animal ${rarityClass(animal.rarity_tier)} ${animal.died_at ? "gone" : ""}`, "aria-labelledby": id },
    h(
      "header",
      { class: "animal-head" },
      framed(animal, animal.rarity_tier),
      h(
        "div",
        {},
        h("h3", { id, class: "animal-name" }, name(animal.name)),
        h("p", { class: "muted" }, `${capital(animal.breed)}, ${animal.sex}, ${animal.stage}`),
        h("p", {}, h("span", { class: "rarity-tag" }, capital(animal.rarity_tier))),
      ),
    ),
    why && h("p", { class: "animal-why" }, why),
    animal.phenotype
      ? h("div", { class: "animal-traits" }, ...traitsOf(animal.name, animal.phenotype))
      : h("p", { class: "muted" }, "Its traits have not been looked at yet; judges do not rank it."),
    h("dl", { class: "gauges" }, gauge("Condition", animal.condition), gauge("Health", animal.health)),
    h("p", { class: "muted small-text" }, `Born ${day(animal.born_at)}`),
  );
}

/**
 * @param {string} animal
 * @param {import("./charts.js").Phenotype} phenotype
 */
function traitsOf(animal, phenotype) {
  const best = strongest(phenotype)
    .slice(0, 3)
    .map(({ label, value }) => h("span", {}, `${label} ${Math.round(value)}`));
  return [
    web(animal, phenotype),
    h("p", { class: "animal-best" }, h("strong", {}, "Strongest:"), ...best.flatMap((one) => [" ", one])),
    ...table(animal, phenotype),
  ];
}
