import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileStore } from "../dist/node.js";

const session = {
  api: "https://api.example.com",
  userId: "player",
  username: "rider",
  token: "t",
  refreshToken: "r",
  receivedAt: "2026-11-20T09:30:00.000Z",
  lifetimeMs: 900_000,
  aheadMs: -1500,
};
let folder;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ranch-client-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("a session is in a file of its owner's alone, and nothing else is left in the folder", async () => {
  const path = join(folder, "made", "on demand", "session.json");
  const store = fileStore(path);
  assert.equal(await store.load(), null);
  await store.save(null);
  await store.save({ ...session, token: "before" });
  await store.save(session);
  assert.deepEqual(await fileStore(path).load(), session);
  assert.equal((await stat(path)).mode & 0o777, process.platform === "win32" ? 0o666 : 0o600);
  assert.deepEqual(JSON.parse(await readFile(path, "utf8")), session);
  assert.deepEqual(await readdir(join(folder, "made", "on demand")), ["session.json"]);
  await store.save(null);
  assert.deepEqual(await readdir(join(folder, "made", "on demand")), []);
});

test("what cannot be stored is an error, and leaves nothing", async () => {
  const store = fileStore(folder); // which is a folder
  await assert.rejects(store.save(session));
  await assert.rejects(store.load());
  assert.deepEqual(await readdir(join(folder, "..")).then((all) => all.filter((name) => name.startsWith(`${folder.split("/").at(-1)}.`))), []);
});

test("one at a time has the lock, whichever store of the file it asks, also after one that failed", async () => {
  const stores = [1, 2, 3].map(() => fileStore(join(folder, "session.json")));
  let inside = 0;
  const work = (fails) => async () => {
    assert.equal(++inside, 1);
    for (let i = 0; i < 50; i++) await readdir(folder); // so that the others have tried
    inside--;
    if (fails) throw new Error("of the work");
    return "done";
  };
  const all = [...stores, ...stores].map((store, i) => store.lock(work(i % 3 === 0)));
  const outcomes = await Promise.allSettled(all);
  const want = [0, 1, 2, 3, 4, 5].map((i) => (i % 3 === 0 ? "rejected" : "fulfilled"));
  assert.deepEqual(outcomes.map(({ status }) => status), want);
  assert.deepEqual(await readdir(folder), []);
});

test("what a process that was killed leaves of the lock keeps nobody out for long", async () => {
  const path = join(folder, "session.json");
  const longAgo = new Date(Date.now() - 60_000);
  await writeFile(`${path}.lock`, "");
  await utimes(`${path}.lock`, longAgo, longAgo);
  assert.equal(await fileStore(path).lock(async () => "done"), "done");
});
