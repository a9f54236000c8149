// The driver of the TypeScript client, which `make client` builds. ../README.md has the protocol.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import * as ranch from "../../../../../shared/client/typescript/dist/index.js";
import { fileStore } from "../../../../../shared/client/typescript/dist/node.js";

const stores = new Map(); // by name
const clients = new Map(); // by name: the client, the offset of its clock, and the waits that it has skipped
const underWay = new Map(); // from the id of the request to its controller

const calls = {
  register: (client, args, options) => client.register(args, options),
  login: (client, { email, password }, options) => client.login(email, password, options),
  logout: (client, _, options) => client.logout(options),
  session: (client) => client.session(),
  changePassword: (client, { current, next }, options) => client.changePassword(current, next, options),
  changeEmail: (client, { email, password }, options) => client.changeEmail(email, password, options),
  deleteAccount: (client, { password }, options) => client.deleteAccount(password, options),
  shows: (client, filter, options) => client.shows(filter, options),
  eachShow: (client, filter, options) => all(client.eachShow(filter, options)),
  eachOwnEntry: (client, filter, options) => all(client.eachOwnEntry(filter, options)),
  eachEntry: (client, { show, limit }, options) => all(client.eachEntry(show, { limit }, options)),
  showEntries: (client, { show, ...at }, options) => client.showEntries(show, at, options),
  standings: (client, at, options) => client.standings(at, options),
  show: (client, { show }, options) => client.show(show, options),
  enter: (client, { show, animal }, options) => client.enter(show, animal, options),
  judge: (client, { show }, options) => client.judge(show, options),
  claim: (client, { show }, options) => client.claim(show, options),
  serverTime: (client) => client.serverTime(),
};

const moves = {
  new: ({ client, api, store, attempts, timeoutMs, stuck, slowMs }) => {
    const driven = { forwardMs: 0, delays: [] };
    driven.client = new ranch.Client(api, {
      ...(store && { store: slowMs ? slow(storeOf(store), slowMs) : storeOf(store) }),
      ...(attempts && { attempts }),
      ...(timeoutMs && { timeoutMs }),
      onEvent: (event) => write({ event, client }),
      now: () => Date.now() + driven.forwardMs,
      wait: async (delay, signal) => {
        driven.delays.push(Math.round(delay));
        if (stuck) await aborted(signal);
        signal?.throwIfAborted();
      },
    });
    clients.set(client, driven);
  },
  clock: ({ client, forwardMs }) => {
    clients.get(client).forwardMs += forwardMs;
  },
  peek: ({ store }) => storeOf(store).load(),
  plant: ({ store, args }) => storeOf(store).update(() => args),
  cancel: ({ of }) => underWay.get(of)?.abort(),
  delays: ({ client }) => clients.get(client).delays.splice(0),
};

async function all(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

function storeOf(name) {
  if (!stores.has(name)) {
    stores.set(name, name.startsWith("file:") ? fileStore(name.slice("file:".length)) : ranch.memoryStore());
  }
  return stores.get(name);
}

// A store that waits before each operation, and again after it.
function slow(store, ms) {
  const slowly = (operation) => async (...args) => {
    await sleep(ms);
    try {
      return await operation(...args);
    } finally {
      await sleep(ms);
    }
  };
  return { ...store, load: slowly(store.load), update: slowly(store.update) };
}

// Resolves when the signal is aborted. Without a signal it never resolves.
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", resolve);
  });
}

async function serve(request) {
  const { id, op, client, args = {} } = request;
  const cancelling = new AbortController();
  underWay.set(id, cancelling);
  try {
    const call = calls[op] ?? (moves[op] ? null : (client, _, options) => client[op](options)); // a read without arguments
    const ok = call
      ? await call(clients.get(client).client, args, { signal: cancelling.signal })
      : await moves[op](request);
    write({ id, ok: ok ?? null });
  } catch (error) {
    write({ id, error: describe(error) });
  } finally {
    underWay.delete(id);
  }
}

function describe(error) {
  if (error instanceof ranch.ApiError) {
    const { status, code, said, details, requestId } = error;
    const none = Object.keys(details).length === 0;
    return { kind: "api", status, code, message: said, requestId, ...(!none && { details }) };
  }
  if (error instanceof ranch.NetworkError) return { kind: "network", message: error.message };
  if (error instanceof ranch.UnknownOutcomeError) {
    return { kind: "unknown", operation: error.operation, advice: error.advice, cause: describe(error.cause) };
  }
  if (error instanceof ranch.SessionEndedError) return { kind: "ended", reason: error.reason };
  if (error?.name === "AbortError") return { kind: "cancelled" };
  return { kind: "other", message: String(error?.stack ?? error) };
}

function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

createInterface({ input: process.stdin })
  .on("line", (line) => serve(JSON.parse(line)))
  .on("close", () => process.exit());
