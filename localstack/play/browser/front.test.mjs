// Through the front, a page of another origin has the whole limit of each address, and can read the refusal above it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { startService } from "./service.mjs";
import { playing } from "./stage.mjs";

playing("preflights do not count for the front's limits", async (stage) => {
  const service = await startService({ FRONT: "1" });
  try {
    const page = await stage.page({ to: service.api });
    // The page needs a preflight for each show's address.
    const shows = Array.from({ length: 11 }, () => `${service.api}/events/shows/${randomUUID()}/judge`);
    const answers = await page.evaluate(async (urls) => {
      const seen = [];
      for (const url of urls) {
        const answer = await fetch(url, { method: "POST", headers: { Authorization: "Bearer none" } });
        seen.push(`${answer.status} ${answer.headers.get("Retry-After")}`);
      }
      return seen;
    }, shows);
    assert.deepEqual(answers, [...Array(10).fill("401 null"), "429 60"], "infra/front.yaml allows ten judgings in a minute");
  } finally {
    await service.stop();
  }
});
