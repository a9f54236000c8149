import type { ContractCode } from "./api.js";
import type { components } from "./contract.js";

type Schemas = components["schemas"];

export type * from "./api.js";

/**
 * If the answer got lost and the client looked the change up, resolved is true. The change may then be older than the
 * call, for example from another device. me() returns the current gold.
 */
export interface Resolvable {
  resolved: boolean;
}

export type Entered = Schemas["Entered"] & Resolvable;
/** If resolved is true, another player may have judged the show. */
export type Judged = Schemas["Judged"] & Resolvable;
export type Claimed = Schemas["Claimed"] & Resolvable;

/** The codes of the service, of API Gateway's own answers, and of answers that are not in the contract. */
export type Code = ContractCode | "TOO_MANY_REQUESTS" | "SERVICE_UNAVAILABLE" | "UNEXPECTED";
