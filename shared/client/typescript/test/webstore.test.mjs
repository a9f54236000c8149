import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Client, webStore } from "../dist/index.js";
import { api, jwt, Service } from "./service.mjs";

const key = "ranch.session";

/** A browser: tabs that share a storage and locks. A tab reads another tab's write after lagMs. */
class Browser {
  items = new Map();
  lagMs = 0;
  marks = []; // the second locks of tabs that have stored a change
  tabs = [];
  listening = null; // the tab that is being opened

  constructor(withLocks) {
    globalThis.addEventListener = (kind, listener) => {
      assert.equal(kind, "storage");
      this.listening.listeners.push(listener);
    };
    let last = Promise.resolve();
    const request = (name, { signal, mode }, work) => {
      if (mode === "shared") {
        assert.ok(name.startsWith(`${key} `));
        this.marks.push({ name });
        void work(); // the request does not wait for the work
        return new Promise(() => {});
      }
      assert.equal(name, key);
      const mine = last.then(() => {
        signal.throwIfAborted();
        return work();
      });
      last = mine.catch(() => {});
      return mine;
    };
    const navigator = withLocks ? { locks: { request, query: async () => ({ held: this.marks }) } } : {};
    Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  }

  open(service, options = {}) {
    const tab = { listeners: [], events: [] };
    this.tabs.push(tab);
    this.listening = tab;
    const tell = (newValue, touched = key) => {
      for (const other of this.tabs.filter((t) => t !== tab)) {
        for (const listener of other.listeners) listener({ key: touched, newValue, storageArea: other.storage });
      }
    };
    tab.storage = {
      getItem: (name) => (tab.before && Date.now() < tab.before.until ? tab.before.value : this.items.get(name) ?? null),
      setItem: (name, value) => {
        const before = { value: this.items.get(name) ?? null, until: Date.now() + this.lagMs };
        for (const other of this.tabs.filter((t) => t !== tab)) other.before = before;
        this.items.set(name, value);
        tell(value, name);
      },
      removeItem: (name) => {
        if (this.items.delete(name)) tell(null, name);
      },
      clear: () => {
        this.items.clear();
        tell(null, null);
      },
    };
    tab.client = new Client(api, {
      fetch: service.fetch,
      now: service.clock,
      store: webStore(tab.storage),
      onEvent: ({ kind, reason }) => tab.events.push(reason ? `${kind} ${reason}` : kind),
      ...options,
    });
    return tab;
  }
}

const before = { navigator: Object.getOwnPropertyDescriptor(globalThis, "navigator") };
let service;

beforeEach(() => {
  service = new Service();
});

afterEach(() => {
  delete globalThis.addEventListener;
  delete globalThis.navigator;
  if (before.navigator) Object.defineProperty(globalThis, "navigator", before.navigator);
});

test("two tabs refresh once between them", async () => {
  const browser = new Browser(true);
  const [one, two] = [browser.open(service), browser.open(service)];
  await one.client.login("a@example.com", "password");
  service.now += 850_000; // the token is valid for 900 s
  await Promise.all([one, two, one, two].map((tab) => tab.client.animals()));
  assert.equal(service.count("/auth/refresh"), 1);
  assert.equal(service.count("/animals"), 4);
});

test("two tabs refresh once between them where one sees late what the other has stored", async () => {
  const browser = new Browser(true);
  const [one, two] = [browser.open(service), browser.open(service)];
  await one.client.login("a@example.com", "password");
  service.now += 850_000;
  browser.lagMs = 50;
  await Promise.all([one, two].map((tab) => tab.client.animals()));
  assert.equal(service.count("/auth/refresh"), 1);
});

test("without the Web Locks API each tab refreshes at most once, and both go on", async () => {
  const browser = new Browser(false);
  const [one, two] = [browser.open(service), browser.open(service)];
  await one.client.login("a@example.com", "password");
  service.now += 850_000;
  await Promise.all([one, two, one, two].map((tab) => tab.client.animals()));
  assert.ok(service.count("/auth/refresh") <= 2);
  await Promise.all([one, two].map((tab) => tab.client.animals()));
  assert.equal(service.count("/animals"), 6);
});

test("a tab is told what another one does, each once", async () => {
  const browser = new Browser(true);
  const [one, two] = [browser.open(service), browser.open(service)];
  await one.client.login("a@example.com", "password");
  service.now += 850_000;
  await one.client.animals();
  await one.client.logout();
  assert.deepEqual(one.events, ["sessionStarted", "sessionRefreshed", "sessionEnded logout"]);
  assert.deepEqual(two.events, ["sessionStarted", "sessionRefreshed", "sessionEnded elsewhere"]);
  await assert.rejects(two.client.animals(), { name: "SessionEndedError", reason: "elsewhere" });
});

test("another player's log-in in another tab is a start", async () => {
  const browser = new Browser(true);
  const [one, two] = [browser.open(service), browser.open(service)];
  await one.client.login("a@example.com", "password");
  await one.client.login("b@example.com", "password");
  assert.deepEqual(two.events, ["sessionStarted", "sessionStarted"]);
});

test("clearing the storage in another tab ends the session", async () => {
  const browser = new Browser(true);
  const [one, two] = [browser.open(service), browser.open(service)];
  await one.client.login("a@example.com", "password");
  one.storage.clear();
  await two.client.session(); // the event comes before the answer
  assert.deepEqual(two.events, ["sessionStarted", "sessionEnded elsewhere"]);
});

test("a storage event that comes late, when one has logged in oneself, ends nothing", async () => {
  const browser = new Browser(true);
  const tab = browser.open(service);
  await tab.client.login("a@example.com", "password");
  for (const listener of tab.listeners) listener({ key, newValue: null, storageArea: tab.storage });
  assert.equal((await tab.client.session()).username, "rider");
  assert.deepEqual(tab.events, ["sessionStarted"]);
});

test("an event of another storage is nobody's business", async () => {
  const browser = new Browser(true);
  const tab = browser.open(service);
  await tab.client.login("a@example.com", "password");
  browser.items.delete(key);
  for (const storageArea of [{}, null]) for (const listener of tab.listeners) listener({ key, newValue: null, storageArea });
  await tab.client.session();
  assert.deepEqual(tab.events, ["sessionStarted"]);
});

test("a call that is given up while it waits for the lock leaves the queue", async () => {
  const browser = new Browser(true);
  const tab = browser.open(service);
  await tab.client.login("a@example.com", "password");
  service.now += 850_000;
  let asked;
  const queued = new Promise((resolve) => {
    navigator.locks.request = (_, { signal }) => new Promise((__, reject) => {
      asked = signal;
      signal.addEventListener("abort", () => reject(signal.reason));
      resolve();
    });
  });
  const giveUp = new AbortController();
  const call = tab.client.animals({ signal: giveUp.signal });
  await queued;
  giveUp.abort();
  await assert.rejects(call, { name: "AbortError" });
  assert.ok(asked.aborted);
  assert.equal(service.count("/auth/refresh"), 0);
});

test("what is stored under other keys, and for another API, is nobody's business", async () => {
  const browser = new Browser(true);
  const [one, two] = [browser.open(service), browser.open(service)];
  const session = stored(service);
  one.storage.setItem(`${key}.kept`, JSON.stringify(session));
  const other = { ...session, api: "https://other.example.com" };
  one.storage.setItem(key, JSON.stringify(other));
  assert.deepEqual(two.events, []);
  assert.equal(await two.client.session(), null);
});

test("a session is there again after a reload, and its clock", async () => {
  const browser = new Browser(true);
  await browser.open(service).client.login("a@example.com", "password");
  const skewed = browser.open(service, { now: () => service.now - 3_600_000 });
  assert.equal((await skewed.client.session()).username, "rider");
  const reloaded = browser.open(service);
  await reloaded.client.animals();
  assert.equal(service.count("/auth/refresh"), 0);
  assert.deepEqual(reloaded.events, []);
});

for (const [name, text] of Object.entries({
  "no JSON": "{",
  "no object": "7",
  null: "null",
  "a field that is missing": JSON.stringify({ api, userId: "player" }),
  "a lifetime that is no number": JSON.stringify({ ...stored(new Service()), lifetimeMs: "900" }),
  "a token with a line break": JSON.stringify({ ...stored(new Service()), token: `${stored(new Service()).token}\n` }),
  "a refresh token that is none": JSON.stringify({ ...stored(new Service()), refreshToken: "r" }),
  "an instant that is none": JSON.stringify({ ...stored(new Service()), receivedAt: "yesterday" }),
})) {
  test(`rubbish in the storage counts as no session: ${name}`, async () => {
    const browser = new Browser(true);
    browser.items.set(key, text);
    const { client } = browser.open(service);
    assert.equal(await client.session(), null);
    await assert.rejects(client.animals(), { name: "SessionEndedError", reason: "none" });
    await client.login("a@example.com", "password");
    assert.equal(JSON.parse(browser.items.get(key)).username, "rider");
  });
}

const quota = new DOMException("full", "QuotaExceededError");
const throwing = () => {
  throw quota;
};

test("play goes on in memory where the storage is full", async () => {
  const browser = new Browser(true);
  const tab = browser.open(service);
  tab.storage.setItem = throwing;
  await playOn(tab);
});

test("play goes on in memory where the storage throws at everything", async () => {
  const browser = new Browser(true);
  const tab = browser.open(service);
  Object.assign(tab.storage, { getItem: throwing, setItem: throwing, removeItem: throwing });
  await playOn(tab, { name: "StoreError", cause: quota });
});

test("play goes on in memory where already the mention of localStorage throws", async () => {
  const browser = new Browser(true);
  Object.defineProperty(globalThis, "localStorage", { get: throwing, configurable: true });
  try {
    await playOn(browser.open(service, { store: webStore() }), { name: "StoreError", cause: quota });
  } finally {
    delete globalThis.localStorage;
  }
});

test("play goes on where there are no locks to be had", async () => {
  const browser = new Browser(true);
  navigator.locks.request = async () => throwing();
  await playOn(browser.open(service));
});

async function playOn({ client, events }, unremoved) {
  await client.login("a@example.com", "password");
  service.now += 850_000;
  await Promise.all([client.animals(), client.animals()]);
  assert.equal(service.count("/auth/refresh"), 1);
  assert.equal((await client.session()).username, "rider");
  if (unremoved) await assert.rejects(client.logout(), unremoved);
  else await client.logout();
  assert.equal(await client.session(), null);
  assert.deepEqual(events.slice(-3), ["sessionStarted", "sessionRefreshed", "sessionEnded logout"].slice(-events.length));
}

/** Returns a session in its stored form. */
function stored(from) {
  const iat = from.now / 1000;
  return {
    api,
    userId: "player",
    username: "rider",
    token: jwt({ iat, exp: iat + 900 }),
    refreshToken: "refresh.r.signature",
    receivedAt: new Date(from.now).toISOString(),
    lifetimeMs: 900_000,
    aheadMs: 0,
  };
}
