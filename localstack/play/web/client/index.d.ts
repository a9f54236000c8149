// The host serves the built client here, as client/index.js; for checking types, it is where it was built.
export * from "../../../../shared/client/typescript/dist/index.js";
