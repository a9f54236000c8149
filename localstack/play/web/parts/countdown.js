// Countdowns, by the service's clock. They tick for the eye alone: nothing is announced.
import { h } from "../dom.js";
import { moment, span } from "../words.js";

/**
 * Tells how long it is until a time, until it is over or the signal is aborted.
 * @param {string | Date} time
 * @param {() => number} now the service's clock, in milliseconds
 * @param {AbortSignal} signal
 * @param {() => void} [over] is called once, when the time comes
 */
export function countdown(time, now, signal, over) {
  const end = new Date(time).getTime();
  const shown = h("time", { datetime: new Date(end).toISOString(), title: moment(new Date(end)), class: "countdown" });
  const tick = () => {
    const left = end - now();
    shown.textContent = left > 0 ? span(left) : "now";
    shown.classList.toggle("soon", left < 600_000);
    if (left > 0) return;
    clearInterval(timer);
    over?.();
  };
  const timer = end > now() ? setInterval(tick, 1000) : 0;
  signal.addEventListener("abort", () => clearInterval(timer));
  shown.textContent = end > now() ? span(end - now()) : "now";
  shown.classList.toggle("soon", end - now() < 600_000);
  return shown;
}
