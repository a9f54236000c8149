// Portraits: an animal has the same face everywhere, and 400 animals of a breed have 400 faces.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./service.mjs";
import { play, playing } from "./stage.mjs";

const breeds = ["Angus", "Holstein", "Hereford", "Jersey", "Brahman"];

/** Ids in the service's form, always the same ones. */
const ids = (count) =>
  Array.from({ length: count }, (_, i) => createHash("sha256").update(String(i)).digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5"));

/** Makes a page that can draw with art/animal.js of the sources. In the game, it is in the bundle. */
async function studio(stage) {
  const page = await stage.page();
  await page.route(`${play}/sources/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.replace("/sources/", "localstack/play/web/");
    await route.fulfill({ contentType: "text/javascript", body: await readFile(join(root, path)) });
  });
  await page.evaluate(async () => Object.assign(globalThis, await import("/sources/art/animal.js")));
  return page;
}

/** Draws animals, and returns the drawings without the ids of their parts, which are new each time. */
const draw = (page, sitters) =>
  page.evaluate((sitters) => sitters.map((sitter) => globalThis.portrait(sitter).outerHTML.replace(/(portrait|head)-\d+/g, "$1")), sitters);

playing("hundreds of animals of a breed have as many faces, by what an entry tells", async (stage) => {
  const page = await studio(stage);
  for (const breed of breeds) {
    const drawn = await draw(page, ids(400).map((id) => ({ id, breed })));
    assert.equal(new Set(drawn).size, drawn.length, breed);
  }
});

playing("animals of a breed can be told apart in a list", async (stage) => {
  const page = await studio(stage);
  for (const breed of breeds) {
    // The share of clearly different colours in the two most similar portraits, at the size of a list.
    const least = await page.evaluate(async (sitters) => {
      const size = 48;
      const style = getComputedStyle(document.documentElement);
      const painted = sitters.map(async (sitter) => {
        const text = globalThis.portrait(sitter).outerHTML.replace(/var\((.+?)\)/g, (_, name) => style.getPropertyValue(name));
        const image = new Image(size, size);
        image.src = `data:image/svg+xml,${encodeURIComponent(text.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"'))}`;
        await image.decode();
        const canvas = new OffscreenCanvas(size, size).getContext("2d");
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(0, 0, size, size).data;
      });
      const pictures = await Promise.all(painted);
      let least = 1;
      for (const [i, one] of pictures.entries()) {
        for (const other of pictures.slice(i + 1)) {
          let differ = 0;
          for (let p = 0; p < one.length; p += 4) {
            const far = Math.abs(one[p] - other[p]) + Math.abs(one[p + 1] - other[p + 1]) + Math.abs(one[p + 2] - other[p + 2]);
            if (far > 60) differ++;
          }
          least = Math.min(least, differ / (size * size));
        }
      }
      return least;
    }, ids(60).map((id) => ({ id, breed })));
    assert.ok(least > 0.03, `${breed}: two portraits differ in ${(100 * least).toFixed(1)} % of their area`);
  }
});

playing("sex and traits add to a portrait, and leave what tells who it is", async (stage) => {
  const page = await studio(stage);
  const traits = (value) => Object.fromEntries(["weight", "coatQuality", "temperament", "hardiness"].map((name) => [`${name}Score`, value]));
  for (const id of ids(20)) {
    for (const breed of breeds) {
      const sitters = [{}, { sex: "male" }, { sex: "female" }, { sex: "male", phenotype: traits(10) }, { sex: "male", phenotype: traits(90) }];
      const drawn = await draw(page, sitters.map((known) => ({ id, breed, ...known })));
      assert.equal(new Set(drawn).size, drawn.length, `${breed} ${id}: what is known does not show`);
      const face = (svg) => svg.match(/<g clip-path="url\(#head\)">.*?<\/g>/)[0] + svg.match(/fill="[^"]+"/g).slice(0, 4);
      for (const svg of drawn) assert.equal(face(svg), face(drawn[0]), `${breed} ${id}`);
    }
  }
});
