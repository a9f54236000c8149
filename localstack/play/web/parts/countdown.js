// Countdowns, by the service's clock. Screen readers do not announce them.
import { h } from "../dom.js";
import { moment, span } from "../words.js";

const soon = 600_000;

/**
 * Shows how long it is until a time. It stops when the time comes, or when the signal is aborted.
 * @param {string | Date} time
 * @param {() => number} now the service's clock, in milliseconds
 * @param {AbortSignal} signal
 * @param {() => void} over is called once, when the time comes
 */
export function countdown(time, now, signal, over) {
  const end = new Date(time).getTime();
  const shown = h("time", { datetime: new Date(end).toISOString(), title: moment(new Date(end)), class: "countdown" });
  const show = () => {
    shown.textContent = span(end - now());
    shown.classList.toggle("soon", end - now() < soon);
  };
  const timer = setInterval(() => {
    if (!shown.isConnected) return clearInterval(timer); // another view has taken its place
    show();
    if (end > now()) return;
    clearInterval(timer);
    over();
  }, 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
  show();
  return shown;
}
