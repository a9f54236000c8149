// Light or dark: the system's choice, until the player chooses. It runs before the page is painted, so that nothing
// flashes, and therefore is not a module.
(() => {
  const key = "ranch.theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  /** @type {string | null} the player's choice if the browser keeps nothing: it lasts until the page is left */
  let unkept = null;

  /** @returns {string | null} the player's choice, or null */
  const chosen = () => {
    try {
      return unkept ?? localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  const show = () => {
    const dark = (chosen() ?? (system.matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "dark" : "light";
    const button = document.getElementById("theme");
    if (!button) return;
    button.setAttribute("aria-label", dark ? "Light theme" : "Dark theme");
    button.title = dark ? "Light theme" : "Dark theme";
  };

  show();
  system.addEventListener("change", show);
  addEventListener("storage", (event) => event.key === key && show());
  document.addEventListener("DOMContentLoaded", () => {
    show();
    document.getElementById("theme")?.addEventListener("click", () => {
      const other = root.dataset.theme === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(key, other);
        unkept = null;
      } catch {
        unkept = other;
      }
      show();
    });
  });
})();
