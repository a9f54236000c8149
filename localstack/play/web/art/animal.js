// Animals, drawn by breed. The id decides what an entry of a show does not contain: tone, markings, horns, ears,
// clothes and place. So an animal has the same face on the ranch and on a podium. If sex or traits are known, they
// change the drawing.
import { drawing, freshId, s } from "../dom.js";

/**
 * @typedef {object} Sitter
 * @property {string} id
 * @property {string} breed
 * @property {string} [sex]
 * @property {import("../client/index.js").Animal["phenotype"]} [phenotype]
 */

/**
 * @typedef {object} Breed
 * @property {Tone[]} tones
 * @property {string} muzzle
 * @property {string} eyes the colour around them
 * @property {number} horned how likely it has horns, 0 to 1
 * @property {Marking[]} markings of the head
 * @property {boolean} [patched] its body is white, with patches
 */

/**
 * The two colours of an animal: coat for most of the body, dark for the ears and the tuft.
 * @typedef {[coat: string, dark: string]} Tone
 */

/** @typedef {(draw: Draw, tone: Tone) => (SVGElement | null)[]} Marking */
/** @typedef {() => number} Draw a number from 0 to 1 */

const white = "#f7f1e6";
const outline = "#2a1a1a";

/** @type {Breed} */
const angus = {
  tones: [
    ["#2b2527", "#171315"],
    ["#4a3630", "#2f211d"],
    ["#7a3526", "#571f15"],
    ["#484850", "#2f2f36"],
  ],
  muzzle: "#6b5c5a",
  eyes: "#8a7a70",
  horned: 0.3,
  markings: [plain, plain, star, snip, brockle],
};
/** @type {Breed} */
const holstein = {
  tones: [
    ["#2a2528", "#1a1618"],
    ["#2a2528", "#1a1618"],
    ["#8f4a2b", "#6d331c"],
    ["#5c6270", "#454a57"],
  ],
  muzzle: "#eab3a4",
  eyes: "#8a7a70",
  horned: 0.4,
  markings: [blaze, blaze, eyePatch, mask, star],
  patched: true,
};
/** @type {Breed} */
const hereford = {
  tones: [
    ["#a24f2d", "#7f3a1f"],
    ["#8a3b22", "#682813"],
    ["#bf6f40", "#9a5229"],
    ["#6f2a1c", "#4d190e"],
  ],
  muzzle: "#e9b9a3",
  eyes: "#e3cdb4",
  horned: 0.6,
  markings: [whiteFace, goggles, blaze],
};
/** @type {Breed} also for breeds without a drawing of their own */
const jersey = {
  tones: [
    ["#c08a55", "#8b5e34"],
    ["#a1693c", "#74461f"],
    ["#d8ae78", "#ab8049"],
    ["#84583a", "#5c3a22"],
  ],
  muzzle: "#4d3a30",
  eyes: "#f6ead8",
  horned: 0.6,
  markings: [plain, star, shade, snip],
};

const breeds = new Map(Object.entries({ angus, holstein, hereford, jersey }));

const skies = ["--portrait-sky", "--portrait-rose", "--portrait-mint", "--portrait-haze"];
const wares = ["#b3342a", "#1f5fa8", "#3f7d45", "#e0a52c", "#7a4594", "#d9772b", "#1f7d83"];
const tags = ["#f4c531", "#ee7f3a", "#58a85f", "#4b8fd0", "#f4f0e6", "#d65f8a"];
const tufts = [
  "M46 32 C46 20 54 24 57 16 C61 24 68 17 70 24 C74 24 76 28 74 33 C66 41 54 41 46 32Z",
  "M44 31 C46 22 52 18 60 18 C68 18 74 22 76 31 C72 30 71 36 67 33 C65 40 62 35 60 41 C57 35 55 40 53 33 C49 36 48 30 44 31Z",
  "M45 33 C44 21 60 13 77 24 C72 25 72 29 74 31 C66 31 58 33 54 42 C51 38 47 37 45 33Z",
  "M50 28 C49 23 54 20 57 24 C58 18 64 19 64 24 C69 20 73 26 69 30 C64 35 55 35 50 28Z",
];
const horns = [
  "M73 30 C80 27 84 21 83 14 C90 20 90 32 80 37Z",
  "M74 29 C85 27 90 18 87 6 C96 16 97 33 80 38Z",
  "M75 29 C88 32 96 26 98 15 C105 28 97 41 80 39Z",
];
const headShape =
  "M37 42 C38 22 82 22 83 42 C86 56 81 68 78 78 C76 92 70 99 60 99 C50 99 44 92 42 78 C39 68 34 56 37 42Z";

/**
 * A portrait in a round frame.
 * @param {Sitter} sitter
 */
export function portrait({ id, breed, sex, phenotype }) {
  const kind = breeds.get(breed.toLowerCase()) ?? jersey;
  const draw = chance(id + breed);
  const tone = pick(draw, kind.tones);
  const [coat] = tone;
  const [frame, head] = [freshId("portrait"), freshId("head")];
  const build = 30 + draw() * 40; // drawn in any case, so that the later numbers are the same with and without traits
  const weight = (phenotype?.weightScore ?? build) / 100 + (sex === "male" ? 0.2 : 0);
  return drawing(
    "0 0 120 120",
    { class: "portrait" },
    s(
      "defs",
      {},
      s("clipPath", { id: frame }, s("circle", { cx: 60, cy: 60, r: 60 })),
      s("clipPath", { id: head }, s("path", { d: headShape })),
    ),
    s(
      "g",
      { "clip-path": `url(#${frame})` },
      ...meadow(draw),
      s("path", { d: shoulders(35 + weight * 15), fill: kind.patched ? white : coat }),
      kind.patched && patches(draw, coat),
      ware(draw),
      s(
        "g",
        { transform: `rotate(${Math.round(draw() * 12 - 6)} 60 90)` },
        draw() < kind.horned && pair(horn(draw, sex)),
        ...ears(draw, tone),
        s(
          "g",
          { transform: `translate(60 0) scale(${width(sex)} 1) translate(-60 0)` },
          s("path", { d: headShape, fill: coat }),
          s("g", { "clip-path": `url(#${head})` }, ...pick(draw, kind.markings)(draw, tone)),
          phenotype && sheen(phenotype.coatQualityScore),
          pair(eye(kind.eyes, sex)),
          s("path", { d: pick(draw, tufts), fill: tuftOf(kind, draw, tone), transform: tuftSize(phenotype) }),
        ),
        ...muzzle(kind.muzzle, phenotype?.temperamentScore ?? 50),
        sex === "male" && ring(),
        sex === "female" && daisy(draw),
      ),
    ),
  );
}

/**
 * @template T
 * @param {Draw} draw
 * @param {T[]} list
 */
const pick = (draw, list) => list[Math.floor(draw() * list.length)];

/** The width of a head. @param {string | undefined} sex */
const width = (sex) => (sex === "male" ? 1.05 : sex === "female" ? 0.95 : 1);

/**
 * Returns a part of the head twice: as given on the right, and mirrored on the left.
 * @param {SVGElement} right
 */
function pair(right) {
  const left = s("g", { transform: "matrix(-1 0 0 1 120 0)" });
  left.append(right.cloneNode(true));
  return s("g", {}, left, right);
}

/** @param {Draw} draw */
function meadow(draw) {
  const sun = s("circle", { cx: 92, cy: Math.round(26 + draw() * 16), r: 13, fill: "var(--portrait-sun)" });
  const hills = [
    s("path", { d: "M-2 82 Q32 66 62 76 T122 74 V122 H-2Z", fill: "var(--portrait-far)" }),
    s("path", { d: "M-2 90 Q40 82 66 88 T122 86 V122 H-2Z", fill: "var(--portrait-near)" }),
  ];
  return [
    s("rect", { width: 120, height: 120, fill: `var(${pick(draw, skies)})` }),
    s("g", draw() < 0.5 ? { transform: "matrix(-1 0 0 1 120 0)" } : {}, sun, ...hills),
  ];
}

/** @param {number} w half their width */
const shoulders = (w) =>
  `M${60 - w} 122 C${60 - w} 96 ${60 - w * 0.5} 79 60 79 C${60 + w * 0.5} 79 ${60 + w} 96 ${60 + w} 122Z`;

/**
 * @param {Draw} draw
 * @param {string} fill
 */
function patches(draw, fill) {
  const [left, right] = [draw() * 8, draw() * 8];
  return s(
    "g",
    { fill },
    s("path", { d: blob(draw, 30 + left, 104 - left / 2, 9 + left) }),
    s("path", { d: blob(draw, 90 - right, 102 + right / 2, 8 + right) }),
    draw() < 0.4 && s("path", { d: blob(draw, 56 + left, 112, 8) }),
  );
}

/**
 * Returns the path of a slightly irregular circle. cx and cy are its centre, r is its radius.
 * @param {Draw} draw
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 */
function blob(draw, cx, cy, r) {
  const points = [0, 1, 2, 3, 4, 5].map((i) => {
    const far = r * (0.75 + draw() * 0.5);
    return [cx + Math.cos((i * Math.PI) / 3) * far, cy + Math.sin((i * Math.PI) / 3) * far];
  });
  const middle = points.map(([x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length];
    return `${((x + nextX) / 2).toFixed(1)} ${((y + nextY) / 2).toFixed(1)}`;
  });
  const curves = points.map(([x, y], i) => `Q${x.toFixed(1)} ${y.toFixed(1)} ${middle[i]}`);
  return `M${middle[middle.length - 1]} ${curves.join(" ")}Z`;
}

/** Draws a neckerchief, a bell on a strap, or nothing. @param {Draw} draw */
function ware(draw) {
  const colour = pick(draw, wares);
  const kind = draw();
  if (kind < 0.3) return null;
  const strap = s("path", { d: "M30 92 C44 108 76 108 90 92 L92 98 C76 115 44 115 28 98Z", fill: colour });
  if (kind < 0.62)
    return s(
      "g",
      {},
      strap,
      s("circle", { cx: 60, cy: 118, r: 2.6, fill: "#8a5a08" }),
      s("path", { d: "M55 105 H65 C66 111 67 114 70 117 H50 C53 114 54 111 55 105Z", fill: "#e8b23c" }),
      s("path", { d: "M57 107 C57 111 56 114 55 116", fill: "none", stroke: "#fbe3a0", "stroke-width": 1.6 }),
    );
  const dots = [
    [42, 103],
    [52, 109],
    [68, 109],
    [78, 103],
    [60, 114],
  ].map(([cx, cy]) => s("circle", { cx, cy, r: 1.7, fill: "#fff6e2", opacity: 0.85 }));
  const cloth = "M29 91 C44 105 76 105 91 91 L94 99 C82 110 70 112 60 121 C50 112 38 110 26 99Z";
  return s("g", {}, s("path", { d: cloth, fill: colour }), ...(kind < 0.85 ? dots : []));
}

/**
 * Draws the right horn.
 * @param {Draw} draw
 * @param {string | undefined} sex
 */
function horn(draw, sex) {
  const size = sex === "male" ? 1.1 : sex === "female" ? 0.85 : 1;
  return s("path", {
    d: pick(draw, horns),
    fill: "#eadfc6",
    stroke: "#a08b6c",
    "stroke-width": 1.4,
    "stroke-linejoin": "round",
    transform: `translate(77 34) scale(${size}) translate(-77 -34)`,
  });
}

/**
 * Draws both ears, one with a tag.
 * @param {Draw} draw
 * @param {Tone} tone
 */
function ears(draw, [, dark]) {
  const droop = Math.round(draw() * 28 - 9);
  const tag = pick(draw, tags);
  const side = draw(); // where the tag is: the left ear, the right one or neither
  const ear = (/** @type {boolean} */ tagged) =>
    s(
      "g",
      { transform: `rotate(${droop} 80 49)` },
      s("path", { d: "M80 44 C93 33 107 36 112 45 C105 57 90 59 79 53Z", fill: dark }),
      s("path", { d: "M84 46 C92 40 101 41 105 46 C100 52 91 53 83 51Z", fill: "#d99a8d" }),
      tagged &&
        s("rect", { x: 92, y: 46, width: 10, height: 11, rx: 2.4, fill: tag, stroke: outline, "stroke-opacity": 0.35 }),
      tagged && s("circle", { cx: 97, cy: 49, r: 1.2, fill: outline, opacity: 0.6 }),
    );
  return [s("g", { transform: "matrix(-1 0 0 1 120 0)" }, ear(side < 0.4)), ear(side > 0.6)];
}

/**
 * Draws the right eye.
 * @param {string} around
 * @param {string | undefined} sex
 */
function eye(around, sex) {
  return s(
    "g",
    {},
    s("ellipse", { cx: 73, cy: 58, rx: 6, ry: 6.6, fill: around, opacity: 0.85 }),
    s("circle", { cx: 73, cy: 58.5, r: 4.4, fill: "#1c1112" }),
    s("circle", { cx: 74.6, cy: 56.6, r: 1.5, fill: "#fff" }),
    sex === "female" &&
      s("path", {
        d: "M76 53.5 L79 50.5 M78.4 56 L82 54.4",
        stroke: "#1c1112",
        "stroke-width": 1.5,
        "stroke-linecap": "round",
      }),
  );
}

/**
 * @param {string} fill
 * @param {number} temperament 0 to 100: from an even mouth to a smile
 */
const muzzle = (fill, temperament) => [
  s("ellipse", { cx: 60, cy: 86, rx: 22, ry: 15, fill }),
  s("ellipse", { cx: 51, cy: 83, rx: 3.2, ry: 4, fill: outline, opacity: 0.75 }),
  s("ellipse", { cx: 69, cy: 83, rx: 3.2, ry: 4, fill: outline, opacity: 0.75 }),
  s("path", {
    d: `M51 94 Q60 ${(94 + temperament / 12).toFixed(1)} 69 94`,
    fill: "none",
    stroke: outline,
    "stroke-opacity": 0.7,
    "stroke-width": 2,
    "stroke-linecap": "round",
  }),
];

/** The shine of a good coat. @param {number} quality 0 to 100 */
const sheen = (quality) =>
  s("path", {
    d: "M43 44 C43 33 50 28 57 27 C50 34 47 44 47 56 C44 53 43 49 43 44Z",
    fill: "#fff",
    opacity: (quality / 400).toFixed(2),
  });

/** Returns the size of the tuft: hardy animals have a larger tuft. @param {Sitter["phenotype"]} phenotype */
const tuftSize = (phenotype) =>
  phenotype ? `translate(60 30) scale(${(0.8 + phenotype.hardinessScore / 250).toFixed(2)}) translate(-60 -30)` : null;

/**
 * @param {Breed} kind
 * @param {Draw} draw
 * @param {Tone} tone
 */
function tuftOf(kind, draw, [coat, dark]) {
  if (kind === hereford) return white;
  return draw() < 0.5 ? mix(coat) : dark;
}

/** A lighter shade of a colour. @param {string} colour */
const mix = (colour) => `color-mix(in srgb, ${colour} 82%, #fff)`;

/** @type {Marking} */
function plain() {
  return [];
}

/** @type {Marking} */
function star(draw) {
  return [s("path", { d: blob(draw, 60 + draw() * 6 - 3, 47 + draw() * 4, 5 + draw() * 3), fill: white })];
}

/** White above the nose. @type {Marking} */
function snip(draw) {
  return [s("path", { d: blob(draw, 60 + draw() * 8 - 4, 71, 7 + draw() * 3), fill: white })];
}

/** A face of white and spots. @type {Marking} */
function brockle(draw, [coat]) {
  const spots = [0, 1, 2, 3].map(() =>
    s("path", { d: blob(draw, 46 + draw() * 28, 38 + draw() * 34, 3 + draw() * 3), fill: coat }),
  );
  return [s("path", { d: "M47 24 H73 C78 44 72 62 76 80 H44 C48 62 42 44 47 24Z", fill: white }), ...spots];
}

/** @type {Marking} */
function blaze(draw) {
  const wide = 3 + draw() * 8;
  const lean = draw() * 8 - 4;
  const [left, right] = [60 - wide + lean, 60 + wide + lean];
  return [
    s("path", {
      d: `M${left} 20 H${right} C${right + 2} 46 ${64 + wide} 60 80 76 V90 H40 V76 C${56 - wide} 60 ${left - 2} 46 ${left} 20Z`,
      fill: white,
    }),
  ];
}

/** A white head with a patch around one eye. @type {Marking} */
function eyePatch(draw, [coat]) {
  const right = draw() < 0.5;
  return [
    s("path", { d: headShape, fill: white }),
    s("path", { d: blob(draw, right ? 77 : 43, 54, 14 + draw() * 4), fill: coat }),
    draw() < 0.5 && s("path", { d: blob(draw, right ? 42 : 78, 34, 8), fill: coat }),
  ].filter((part) => part !== false);
}

/** White below the eyes. @type {Marking} */
function mask(draw) {
  const high = 56 + draw() * 12;
  return [
    s("path", {
      d: `M30 ${high + 6} Q44 ${high - 6} 60 ${high - 14 * draw()} Q76 ${high - 6} 90 ${high + 6} V102 H30Z`,
      fill: white,
    }),
  ];
}

/** @type {Marking} */
function whiteFace() {
  return [s("path", { d: "M47 20 H73 C77 46 73 60 78 82 H42 C47 60 43 46 47 20Z", fill: white })];
}

/** A white face, and colour around one eye or both. @type {Marking} */
function goggles(draw, [coat]) {
  const which = draw();
  return [
    s("path", { d: "M40 20 H80 C84 46 78 60 80 82 H40 C42 60 36 46 40 20Z", fill: white }),
    which > 0.3 && s("path", { d: blob(draw, 74, 57, 10), fill: coat }),
    which < 0.7 && s("path", { d: blob(draw, 46, 57, 10), fill: coat }),
  ].filter((part) => part !== false);
}

/** Darker down the middle. @type {Marking} */
function shade(draw, [, dark]) {
  return [
    s("path", {
      d: `M50 20 H70 C${72 + draw() * 6} 50 68 66 74 84 H46 C52 66 ${48 - draw() * 6} 50 50 20Z`,
      fill: dark,
      opacity: 0.75,
    }),
  ];
}

const ring = () =>
  s("path", {
    d: "M54 90 C52 102 68 102 66 90",
    fill: "none",
    stroke: "#e2ac3b",
    "stroke-width": 3.4,
    "stroke-linecap": "round",
  });

/** @param {Draw} draw */
function daisy(draw) {
  const petals = pick(draw, ["#fff6e2", "#f5c6cf", "#f7d774", "#cfd8f5"]);
  const flower = s("g", { transform: draw() < 0.5 ? "translate(82 33)" : "translate(38 33)" });
  for (let i = 0; i < 6; i++) {
    flower.append(s("ellipse", { cx: 0, cy: -6, rx: 3.2, ry: 5, fill: petals, transform: `rotate(${i * 60})` }));
  }
  flower.append(s("circle", { r: 3.6, fill: "#d98b1f" }));
  return flower;
}

/**
 * Returns a function that draws numbers from 0 to 1. Equal texts give equal numbers.
 * @param {string} text
 */
export function chance(text) {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16777619);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822507);
    state = Math.imul(state ^ (state >>> 13), 3266489909);
    return ((state ^= state >>> 16) >>> 0) / 4294967296;
  };
}
