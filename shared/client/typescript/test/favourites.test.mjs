// The worked example of docs/scoring.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { favourites } from "../dist/index.js";

test("the favourites of a show, by its id in any case", async () => {
  const show = "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f";
  for (const id of [show, show.toUpperCase()]) {
    assert.deepEqual(await favourites(id), ["growthRateScore", "fertilityScore"]);
  }
});
