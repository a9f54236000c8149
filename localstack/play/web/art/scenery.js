// The ranch at the top of every page: in the evening sun, or by night. Its colours are the theme's.
import { drawing, s } from "../dom.js";
import { chance } from "./animal.js";

export function landscape() {
  return drawing(
    "0 0 1200 240",
    { preserveAspectRatio: "xMidYMax slice", class: "scene" },
    s(
      "defs",
      {},
      s(
        "linearGradient",
        { id: "sky", x1: 0, y1: 0, x2: 0, y2: 1 },
        s("stop", { offset: 0, class: "sky-high" }),
        s("stop", { offset: 0.55, class: "sky-middle" }),
        s("stop", { offset: 1, class: "sky-low" }),
      ),
      s(
        "radialGradient",
        { id: "glow" },
        s("stop", { offset: 0, class: "glow-in" }),
        s("stop", { offset: 1, class: "glow-out" }),
      ),
    ),
    s("rect", { width: 1200, height: 240, fill: "url(#sky)" }),
    stars(),
    s("circle", { cx: 820, cy: 132, r: 150, fill: "url(#glow)" }),
    s("circle", { cx: 820, cy: 132, r: 38, class: "orb" }),
    cloud(560, 92, 0.9),
    cloud(1060, 80, 0.6),
    cloud(90, 96, 0.7),
    s("path", {
      d: "M0 150 C110 108 190 122 280 142 S470 98 600 136 S860 106 960 138 S1130 112 1200 130 V240 H0Z",
      class: "hill-far",
    }),
    s("path", {
      d: "M0 176 C140 142 250 158 380 172 S640 142 780 168 S1060 150 1200 164 V240 H0Z",
      class: "hill-middle",
    }),
    windmill(1010, 160),
    barn(210, 178),
    trees(),
    s("path", { d: "M0 204 C190 176 360 186 560 200 S960 184 1200 198 V240 H0Z", class: "hill-near" }),
    cow(560, 188, 1),
    cow(648, 194, -0.8),
    cow(905, 190, 0.9),
    fence(),
  );
}

function stars() {
  const draw = chance("stars");
  const sky = s("g", { class: "stars" });
  for (let i = 0; i < 70; i++) {
    sky.append(
      s("circle", { cx: Math.round(draw() * 1200), cy: Math.round(draw() * 125), r: (0.5 + draw() * 1.1).toFixed(1) }),
    );
  }
  return sky;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function cloud(x, y, size) {
  const puffs = [
    [-62, 2, 34, 6],
    [-24, -4, 30, 11],
    [12, -8, 26, 13],
    [46, -1, 32, 8],
    [2, 3, 88, 6],
  ];
  return s(
    "g",
    { class: "cloud", transform: `translate(${x} ${y}) scale(${size})` },
    ...puffs.map(([cx, cy, rx, ry]) => s("ellipse", { cx, cy, rx, ry })),
  );
}

/**
 * @param {number} x
 * @param {number} y
 */
function barn(x, y) {
  return s(
    "g",
    { transform: `translate(${x} ${y})` },
    s("path", { d: "M84 22 v-58 a13 13 0 0 1 26 0 v58z", class: "silo" }),
    s("path", { d: "M84 -34 a13 14 0 0 1 26 0z", class: "roof" }),
    s("path", { d: "M0 22 v-40 l18 -24 h44 l18 24 v40z", class: "barn" }),
    s("path", { d: "M-6 -16 l20 -28 h52 l20 28 h-7 l-17 -22 h-44 l-17 22z", class: "roof" }),
    s("rect", { x: 24, y: -12, width: 32, height: 34, class: "barn-door" }),
    s("path", { d: "M24 -12 l32 34 M56 -12 l-32 34 M24 -12 h32 v34 h-32z", class: "barn-trim" }),
    s("rect", { x: 33, y: -35, width: 14, height: 12, class: "window" }),
  );
}

/**
 * @param {number} x
 * @param {number} y
 */
function windmill(x, y) {
  const sails = s("g", { class: "sails" });
  for (let i = 0; i < 8; i++)
    sails.append(s("path", { d: "M-3 -6 L-5 -26 H5 L3 -6Z", transform: `rotate(${i * 45})` }));
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: "windmill" },
    s("path", {
      d: "M-14 34 L-3 -44 H3 L14 34 H9 L6 12 H-6 L-9 34Z M-5 4 H5 L4 -8 H-4Z M-3.6 -16 H3.6 L2.6 -26 H-2.6Z",
      "fill-rule": "evenodd",
    }),
    s("path", { d: "M0 -46 H22 L28 -54 V-38 L22 -44 H0Z" }),
    s("g", { transform: "translate(0 -46)" }, sails),
  );
}

function trees() {
  const grove = s("g", { class: "trees" });
  for (const [x, y, size] of [
    [40, 184, 17],
    [66, 188, 13],
    [1120, 176, 16],
    [1148, 180, 20],
    [430, 182, 11],
    [340, 192, 14],
  ]) {
    grove.append(
      s("path", { d: `M${x - 2} ${y + size} v-${size} h4 v${size}z` }),
      s("ellipse", { cx: x, cy: y - size * 0.4, rx: size * 0.8, ry: size }),
    );
  }
  return grove;
}

/**
 * A cow that grazes.
 * @param {number} x
 * @param {number} y
 * @param {number} size negative looks the other way
 */
function cow(x, y, size) {
  return s(
    "g",
    { class: "cow", transform: `translate(${x} ${y}) scale(${size} ${Math.abs(size)})` },
    s("path", {
      d: "M-26 -9 C-25 -15 -18 -15 -10 -13 C-2 -12 8 -15 15 -13 C19 -12 20 -6 18 2 C10 8 -14 8 -23 5 C-27 0 -28 -5 -26 -9Z",
    }),
    s("path", { d: "M-24 0 h6 l-1 18 h-4z M-17 2 h5 l-1 16 h-3z M7 2 h5 l0 16 h-3.5z M13 0 h5 l0 18 h-3.5z" }),
    s("path", { d: "M12 -13 C20 -14 25 -9 27 -4 L34 8 C35 12 33 14 30 14 C27 14 26 12 25 9 L17 4Z" }),
    s("path", { d: "M25 -6 C20 -9 18 -7 17 -4 C20 -2 23 -2 26 -4Z M27 -5 C30 -6 31 -9 30 -12 C27 -11 25 -9 25 -6Z" }),
    s("path", { d: "M-25 -10 C-32 -8 -30 2 -32 10 h2 C-28 2 -29 -5 -24 -7Z" }),
    s("ellipse", { cx: -9, cy: 8, rx: 5, ry: 3.5 }),
  );
}

function fence() {
  const posts = s("g", { class: "fence" });
  posts.append(
    s("path", {
      d: "M0 219 C300 211 900 211 1200 219 v3.5 C900 214.5 300 214.5 0 222.5Z M0 229 C300 221 900 221 1200 229 v3.5 C900 224.5 300 224.5 0 232.5Z",
    }),
  );
  for (let x = 18; x < 1200; x += 62)
    posts.append(s("rect", { x, y: 206 + Math.abs(600 - x) / 90, width: 6, height: 40, rx: 2 }));
  return posts;
}
