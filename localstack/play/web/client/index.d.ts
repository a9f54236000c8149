// For checking types. In the bundle, the built client replaces client/index.js (localstack/play/bundle.go).
export * from "../../../../shared/client/typescript/dist/index.js";
