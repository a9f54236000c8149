// The TypeScript client of the API. Its twin is the Go package around it (shared/client), whose doc comments say what
// each part promises; both behave alike (localstack/conformance). Names are the same but for their capitals.
//
//   const client = new Client("https://api.example.com", { store: webStore(localStorage), onEvent: (e) => ... });
//   client.session(): Promise<Session | null>
//   client.register({ email, username, password, ranchName }): Promise<User>
//   client.login(email, password): Promise<Account>
//   client.logout(): Promise<void>
//   client.animals(): Promise<Animal[]>
//   client.shows({ tier?, status? }): Promise<ListedShow[]>      // status "" or absent: open; anyStatus: all
//   client.show(id): Promise<ShowDetail>
//   client.enter(showId, animalId): Promise<Entered>              // { success, message, entryFee, resolved }
//   client.judge(showId): Promise<Judged>
//   client.claim(showId): Promise<Claimed>
//   client.season(): Promise<Season | null>
//   client.serverTime(): number                                   // milliseconds
//
// Every call takes { signal?: AbortSignal } last. Errors: ApiError (status, code, message, details, requestId),
// NetworkError, UnknownOutcomeError (operation, advice, cause), SessionEndedError (reason), all of them RanchError.
// Stores: memoryStore(), webStore(storage, key?) for localStorage with the Web Locks API, fileStore(path) from "./node".
export {};
