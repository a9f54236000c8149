// Plays the loop with openapi-fetch and the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { paths } from "./ranch.js";

const [api, username, showName] = process.argv.slice(2) as [string, string, string];
const ranch = createClient<paths>({ baseUrl: api });
const registered = good(
  await ranch.POST("/auth/register", {
    body: { email: `${username}@example.com`, username, password: "a long password", ranchName: "Sunny Acres" },
  }),
);
ranch.use({
  onRequest: ({ request }) => {
    request.headers.set("Authorization", `Bearer ${registered.token}`);
  },
});
const animal = good(await ranch.GET("/animals"))[0]!;
const show = good(await ranch.GET("/events/shows", { params: { query: { tier: "rookie" } } })).find((s) => s.name === showName)!;
const params = { path: { id: show.id } };
const entry = { params, body: { animalId: animal.id } };
good(await ranch.POST("/events/shows/{id}/enter", entry));
const second = await ranch.POST("/events/shows/{id}/enter", entry);
const code = second.error && "error" in second.error ? second.error.error : "is accepted";
good(await ranch.POST("/events/shows/{id}/judge", { params }));
const prize = good(await ranch.POST("/events/shows/{id}/claim-reward", { params }));
const me = good(await ranch.GET("/me"));
const season = good(await ranch.GET("/events/season"));
console.log(
  `${me.status}, ${me.goldBalance} gold, rank ${prize.rank}, season score ${season.mySeasonScore}, second entry ${second.response.status} ${code}`,
);

function good<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) throw new Error(`${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data;
}
