import type { ContractCode } from "./api.js";
import type { components } from "./contract.js";

type Schemas = components["schemas"];

export type * from "./api.js";

/**
 * Resolved says that the answer itself was lost or refused as a repetition, and that it is so now (docs/clients.md). It
 * may be older than this call: entered or claimed before, on another device, say. What gold there is, me() answers.
 */
export interface Resolvable {
  resolved: boolean;
}

export type Entered = Schemas["Entered"] & Resolvable;
/** Where it is resolved, the show is judged; whether by this call is not known. */
export type Judged = Schemas["Judged"] & Resolvable;
export type Claimed = Schemas["Claimed"] & Resolvable;

/** Those of the contract, and of answers that have none: API Gateway's own, and what the contract does not have. */
export type Code = ContractCode | "TOO_MANY_REQUESTS" | "SERVICE_UNAVAILABLE" | "UNEXPECTED";
