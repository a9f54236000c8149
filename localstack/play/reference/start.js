// Shows the contract with Swagger UI. "Try it out" sends its requests to the API that the game plays with.
const { api } = await (await fetch("../config.json")).json();

/** Replaces the contract's servers by the running API. */
const atThisApi = {
  statePlugins: { spec: { wrapActions: { updateJsonSpec: (update) => (contract) => update({ ...contract, servers: [{ url: api }] }) } } },
};

globalThis.SwaggerUIBundle({
  domNode: document.getElementById("reference"),
  url: "../openapi.yaml",
  plugins: [atThisApi],
  deepLinking: true,
  defaultModelsExpandDepth: -1, // operations show their schemas
  syntaxHighlight: { activated: false }, // its colours are hard to read
  validatorUrl: null, // a service on another host
});
