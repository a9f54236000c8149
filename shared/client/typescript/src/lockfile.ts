// A lock between the processes of one machine: a file that names the lock's holder. This module needs Node.js.
import { link, mkdir, open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { sleep } from "./waiting.js";

// If a waiting process sees no touch of the lock file for this time, the lock is free. Only this helps if the holder was
// on another machine or in another container, where its process cannot be found. The file's own time does not count: it
// may come from another clock, or from the future.
const staleAfter = 5_000;
const touchedEvery = 1_000;

/** How long an update may wait for its lock: long enough to see that the lock is free. */
export const longestUpdate = 8_000;

/**
 * Does the work while this process has the lock file. If the signal is aborted earlier, it rejects with its reason.
 */
export async function among<T>(lock: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const own = `${process.pid} ${hostname()} ${crypto.randomUUID()}`;
  await mkdir(dirname(lock), { recursive: true });
  for (let seen = "", since = 0; ; ) {
    signal?.throwIfAborted();
    if (await taken(lock, own)) break;
    const holder = await readFile(lock, "utf8").catch(orNull);
    const touched = await stat(lock).catch(orNull);
    if (holder === null || touched === null) continue;
    const sight = `${holder} ${touched.mtimeMs}`;
    if (sight !== seen) [seen, since] = [sight, performance.now()];
    if (hasEnded(holder) || performance.now() - since > staleAfter) await remove(lock, holder);
    else await sleep(20 + Math.random() * 30, signal);
  }
  const alive = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), touchedEvery);
  try {
    return await work();
  } finally {
    clearInterval(alive);
    await remove(lock, own);
  }
}

async function taken(lock: string, own: string): Promise<boolean> {
  try {
    const opened = await open(lock, "wx", 0o600);
    try {
      await opened.writeFile(own);
    } catch (error) {
      await rm(lock, { force: true });
      throw error;
    } finally {
      await opened.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

// Whether the holder was a process of this machine that has ended.
function hasEnded(holder: string): boolean {
  const [pid, host] = holder.split(" ");
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0); // signal 0 only checks whether the process exists
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

// Removes the lock of this holder, but not the lock of a later holder. It moves the file aside and reads it. If the
// file belongs to another holder, it puts the file back.
async function remove(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${crypto.randomUUID()}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, "utf8")) !== holder) await link(aside, lock);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EEXIST") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
