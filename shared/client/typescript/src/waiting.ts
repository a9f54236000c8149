/** Waits between attempts. If the signal is aborted, it rejects with the signal's reason. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Wait = (ms, signal) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return unlessAborted(slept, signal).finally(() => clearTimeout(timer));
};

/** Settles as the promise does. If the signal is aborted earlier, it rejects with the signal's reason. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
