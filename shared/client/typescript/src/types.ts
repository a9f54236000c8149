import type { components } from "./contract.js";

type Schemas = components["schemas"];

export type Registration = Schemas["Registration"];
export type User = Schemas["User"];
export type Account = Schemas["Account"];
export type Animal = Schemas["Animal"];
export type ListedShow = Schemas["ListedShow"];
export type ShowDetail = Schemas["ShowDetail"];
export type Entry = Schemas["Entry"];
export type Winner = Schemas["Winner"];
export type Season = Schemas["Season"];

/** Says that the answer itself was lost, and that what is told here was found out afterwards (docs/clients.md). */
export interface Resolvable {
  resolved: boolean;
}

export type Entered = Schemas["Entered"] & Resolvable;
/** Where it is resolved, the show is judged; whether by this call is not known. */
export type Judged = Schemas["Judged"] & Resolvable;
export type Claimed = Schemas["Claimed"] & Resolvable;

/** The codes of the contract: what a program goes by. */
export type ContractCode = Extract<Schemas[keyof Schemas], { error: string }>["error"];

/** Those of the contract, and of answers that have none: API Gateway's own, and what the contract does not have. */
export type Code = ContractCode | "TOO_MANY_REQUESTS" | "SERVICE_UNAVAILABLE" | "UNEXPECTED";
