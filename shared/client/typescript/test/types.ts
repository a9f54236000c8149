// Programs that the compiler must accept or reject. The test compiles this file and never runs it.
import {
  Client,
  RanchError,
  ApiError,
  NetworkError,
  SessionEndedError,
  StoreError,
  UnknownOutcomeError,
  anyStatus,
  memoryStore,
  webStore,
  type Animal,
  type Code,
  type Session,
  type SessionEvent,
  type ShowDetail,
  type Store,
} from "../dist/index.js";
import { fileStore } from "../dist/node.js";

export async function accepted(signal: AbortSignal | undefined): Promise<void> {
  const stores: Store[] = [memoryStore(), webStore(), webStore(sessionStorage, "key"), fileStore("session.json")];
  const client = new Client("https://api.example.com", {
    store: stores[0] ?? memoryStore(),
    onEvent: (event: SessionEvent) => {
      if (event.kind === "sessionEnded") event.reason satisfies "logout" | "refused" | "banned" | "elsewhere";
    },
  });
  (await client.register({ email: "a@b.cd", username: "abc", password: "12345678", ranchName: "abc" })).goldBalance satisfies number;
  (await client.login("a@b.cd", "12345678")).ranch?.name satisfies string | undefined;
  (await client.session()) satisfies Session | null;
  (await client.animals({ signal })).map((animal: Animal) => animal.phenotype?.weightScore satisfies number | undefined);
  (await client.shows({ tier: "rookie", status: anyStatus }, { signal }))[0]?.entryCount satisfies number | undefined;
  (await client.show("id")) satisfies ShowDetail;
  (await client.enter("show", "animal")).resolved satisfies boolean;
  (await client.judge("show")).topThree.map((winner) => winner.score satisfies number);
  (await client.claim("show")).rank satisfies number | null;
  (await client.season())?.mySeasonScore satisfies number | undefined;
  const { standings, me, next } = await client.standings({ around: "me", limit: 5 });
  [standings[0]?.rank satisfies number | undefined, me?.score satisfies number | undefined, next satisfies boolean];
  for await (const { goldReward } of client.eachOwnEntry({ unclaimed: true })) goldReward satisfies number | null;
  client.serverTime() satisfies number;
  await client.logout();
}

export function ownStore(): Store {
  let held: Session | null = null;
  return {
    load: async () => held,
    update: async (change) => {
      held = change(held);
    },
    lock: (work) => work(),
  };
}

export function told(error: unknown): string | undefined {
  if (error instanceof ApiError) {
    switch (error.code) {
      case "INSUFFICIENT_GOLD":
      case "TOO_MANY_REQUESTS":
        return error.details["email"]?.[0];
    }
  }
  if (error instanceof UnknownOutcomeError) return `${error.operation satisfies Changes}: ${error.advice}`;
  if (error instanceof SessionEndedError) return error.reason;
  if (error instanceof StoreError || error instanceof NetworkError || error instanceof RanchError) return error.message;
  return undefined;
}

type Changes = "enter" | "judge" | "claim" | "register" | "changePassword" | "changeEmail" | "deleteAccount";

// ContractCode has every code of the service, and no other.
type Expected =
  | "VALIDATION_ERROR"
  | "MISSING_TOKEN"
  | "INVALID"
  | "INSUFFICIENT_GOLD"
  | "ALREADY_CLAIMED"
  | "INVALID_CREDENTIALS"
  | "OAUTH_ACCOUNT"
  | "INVALID_TOKEN"
  | "UNAUTHORIZED"
  | "BANNED"
  | "NOT_FOUND"
  | "CONFLICT"
  | "DUPLICATE"
  | "CLOSED"
  | "INTERNAL_ERROR"
  | "TOO_MANY_REQUESTS"
  | "SERVICE_UNAVAILABLE"
  | "UNEXPECTED";
type Same<A, B> = [A, B] extends [B, A] ? true : false;
true satisfies Same<Code, Expected>;

export async function refused(client: Client, animal: Animal, show: ShowDetail, error: ApiError): Promise<void> {
  // @ts-expect-error A base URL is needed.
  new Client();
  // @ts-expect-error There is no such option.
  new Client("https://api.example.com", { retries: 3 });
  // @ts-expect-error A registration has a ranch's name.
  await client.register({ email: "a@b.cd", username: "abc", password: "12345678" });
  // @ts-expect-error An animal is needed.
  await client.enter("show");
  // @ts-expect-error A signal comes in options.
  await client.enter("show", "animal", new AbortController().signal);
  // @ts-expect-error There may be no season.
  (await client.season()).name;
  // @ts-expect-error An animal without a phenotype has none.
  animal.phenotype.weightScore;
  // @ts-expect-error There may be no such entry.
  show.entries[0].score;
  // @ts-expect-error A score may be null.
  show.entries[0]?.score satisfies number | undefined;
  // @ts-expect-error There is no such code.
  error.code === "ANIMAL_ASLEEP";
  // @ts-expect-error What a client has within is its own.
  client.keeper;
}
