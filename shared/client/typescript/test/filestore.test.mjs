import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { fileStore } from "../dist/node.js";

const session = {
  api: "https://api.example.com",
  userId: "player",
  username: "rider",
  token: "access.t.signature",
  refreshToken: "refresh.r.signature",
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
  await store.update(() => null);
  await store.update(() => ({ ...session, token: "access.before.signature" }));
  await store.update((current) => ({ ...current, token: session.token }));
  assert.deepEqual(await fileStore(path).load(), session);
  assert.equal((await stat(path)).mode & 0o777, process.platform === "win32" ? 0o666 : 0o600);
  assert.deepEqual(JSON.parse(await readFile(path, "utf8")), session);
  assert.deepEqual(await readdir(join(folder, "made", "on demand")), ["session.json"]);
  await store.update(() => null);
  assert.deepEqual(await readdir(join(folder, "made", "on demand")), []);
});

test("what cannot be stored is an error, and leaves nothing", async () => {
  const store = fileStore(folder); // the path is a folder
  await assert.rejects(store.update(() => session));
  await assert.rejects(store.load());
  assert.deepEqual(await readdir(join(folder, "..")).then((all) => all.filter((name) => name.startsWith(`${folder.split("/").at(-1)}.`))), []);
});

test("one at a time has the lock, whichever store of the file it asks, also after one that failed", async () => {
  const stores = [1, 2, 3].map(() => fileStore(join(folder, "session.json")));
  let inside = 0;
  const work = (fails) => async () => {
    assert.equal(++inside, 1);
    for (let i = 0; i < 50; i++) await readdir(folder); // gives the others time to try to get the lock
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

test("each update sees the one before, whichever store of the file, and whichever process, makes it", async () => {
  const path = join(folder, "session.json");
  await fileStore(path).update(() => ({ ...session, aheadMs: 0 }));
  const module = new URL("../dist/node.js", import.meta.url);
  const program = `import { fileStore } from "${module}";
    const store = fileStore(${JSON.stringify(path)});
    for (let i = 0; i < 50; i++) await store.update((current) => ({ ...current, aheadMs: current.aheadMs + 1 }));`;
  await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program])));
  assert.equal((await fileStore(path).load()).aheadMs, 150);
  assert.deepEqual(await readdir(folder), ["session.json"]);
});

test("an update that leaves the session writes nothing", async () => {
  const path = join(folder, "session.json");
  await fileStore(path).update(() => session);
  const before = await stat(path, { bigint: true });
  await fileStore(path).update((current) => current);
  assert.equal((await stat(path, { bigint: true })).ino, before.ino);
});

test("a lock that its process has left behind is taken over at once", { timeout: 120_000 }, async () => {
  const path = join(folder, "session.json");
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const never = new Date(Date.now() + 86_400_000); // later than now, so that the lock does not seem old
  for (const name of ["node-turn", "node-update"]) {
    await writeFile(`${path}.${name}`, `${pid} ${hostname()} before`);
    await utimes(`${path}.${name}`, never, never);
  }
  await fileStore(path).update(() => session);
  assert.equal(await fileStore(path).lock(async () => "done", AbortSignal.timeout(60_000)), "done");
  assert.deepEqual(await readdir(folder), ["session.json"]);
});

test("a lock whose process is unknown, or on another machine, is free after 5 s without a touch", async () => {
  const day = 86_400_000;
  const left = ["", `1 another-${hostname()} before`].map(async (holder, i) => {
    const path = join(folder, `left-${i}.json`);
    for (const [lock, time] of [["turn", Date.now() + day], ["update", Date.now() - day]]) {
      await writeFile(`${path}.node-${lock}`, holder);
      await utimes(`${path}.node-${lock}`, new Date(time), new Date(time)); // the file's own time says nothing
    }
    const updated = fileStore(path).update(() => session);
    await assert.rejects(fileStore(path).lock(async () => "done", AbortSignal.timeout(2_000)), { name: "TimeoutError" });
    assert.equal(await fileStore(path).lock(async () => "done", AbortSignal.timeout(7_000)), "done");
    await updated;
  });
  const path = join(folder, "held.json");
  const lock = `${path}.node-update`;
  await writeFile(lock, `1 another-${hostname()} before`);
  const alive = setInterval(() => void utimes(lock, new Date(), new Date()), 1_000);
  await assert.rejects(fileStore(path).update(() => session), { name: "TimeoutError" });
  clearInterval(alive);
  await Promise.all(left);
});
