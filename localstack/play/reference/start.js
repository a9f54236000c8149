// Shows the contract with Swagger UI. "Try it out" sends its requests to the API that the game plays with.
const { api } = await (await fetch("../config.json")).json();

/** Replaces the contract's servers by the running API, and adds the known values to the descriptions. */
const contractHere = {
  statePlugins: { spec: { wrapActions: { updateJsonSpec: (update) => (contract) => update(withKnown({ ...contract, servers: [{ url: api }] })) } } },
};

/** Returns a part of the contract, in which the description of each schema with x-known names the values. */
function withKnown(part) {
  if (Array.isArray(part)) return part.map(withKnown);
  if (part === null || typeof part !== "object") return part;
  const whole = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withKnown(value)]));
  if (!Array.isArray(part["x-known"])) return whole;
  const values = part["x-known"].map((value) => `\`${value}\``).join(", ");
  return { ...whole, description: [part.description, `Known values: ${values}.`].filter(Boolean).join(" ") };
}

/** The operations, and below them the contract's introduction. */
const operationsFirst = {
  components: {
    OperationsFirst({ getComponent, getSystem, specSelectors }) {
      const { createElement } = getSystem().React;
      const part = (name, container) => createElement(getComponent(name, container));
      if (specSelectors.loadingStatus() !== "success") return createElement("p", { className: "wrapper" }, "Loading the contract…");
      return createElement("div", { className: "swagger-ui" },
        part("SvgAssets"),
        createElement("h1", { className: "wrapper" }, "The API of Ranch"),
        createElement("h2", { className: "wrapper" }, "Operations"),
        createElement("div", { className: "scheme-container" }, createElement("div", { className: "schemes wrapper" }, part("ServersContainer", true), part("AuthorizeBtnContainer", true))),
        createElement("div", { className: "wrapper" }, part("operations", true)),
        part("InfoContainer", true));
    },
  },
};

const names = { servers: "Server", "examples-select-element": "Example", "content-type": "Media type" };

/** Mends what assistive technology stumbles over: Swagger UI has no option for these. */
function mend() {
  for (const link of document.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href"); // a link in a button
  for (const select of document.querySelectorAll("select:not([aria-label])"))
    select.setAttribute("aria-label", names[select.id] ?? names[select.className] ?? "Value");
  for (const box of document.querySelectorAll("pre, table, .table-container, .responses-wrapper, .response-col_description"))
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
}
new MutationObserver(mend).observe(document.getElementById("reference"), { childList: true, subtree: true });
new ResizeObserver(mend).observe(document.getElementById("reference"));

/** Light or dark, as the game is. */
const system = matchMedia("(prefers-color-scheme: dark)");
function dress() {
  const theme = localStorage.getItem("ranch.theme") ?? (system.matches ? "dark" : "light");
  document.documentElement.classList.toggle("dark-mode", theme === "dark");
}
system.addEventListener("change", dress);
dress();

globalThis.SwaggerUIBundle({
  domNode: document.getElementById("reference"),
  url: "../openapi.yaml",
  plugins: [contractHere, operationsFirst],
  layout: "OperationsFirst",
  deepLinking: true,
  defaultModelsExpandDepth: -1, // operations show their schemas
  syntaxHighlight: { activated: false }, // its colours are hard to read
  validatorUrl: null, // a service on another host
});
