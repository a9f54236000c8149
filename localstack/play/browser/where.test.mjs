// A link may name the API that the page uses (?api=). Each API has a session of its own. If the link names another API
// than the host's, the page says so before the player types anything.
import assert from "node:assert/strict";
import { logIn, messages, moveIn, ranch, welcome } from "./hands.mjs";
import { inspect } from "./inspect.mjs";
import { newcomer } from "./scene.mjs";
import { address, api, play, playing } from "./stage.mjs";

const leads = (page) => page.getByRole("region", { name: "Where this link leads" });

playing("a log-in at another API leaves the session of the page's own alone", async (stage) => {
  const proxy = await stage.proxy();
  const context = await stage.context({ to: proxy.url, besides: [api] });
  const page = await stage.page({ context });
  const me = await moveIn(page);
  await page.goto(address("#/welcome", proxy.url));
  await welcome(page).waitFor(); // no player is logged in there
  await logIn(page, me);
  await ranch(page).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await welcome(page).waitFor();
  await page.goto(address());
  await ranch(page).waitFor();
});

playing("a link to another API says where it leads, and leads back", async (stage) => {
  const proxy = await stage.proxy();
  const { host } = new URL(proxy.url);
  const page = await stage.page({ to: proxy.url });
  await leads(page).getByText(`This link leads to ${host}: your name and password go there.`).waitFor();
  await inspect(page, "a link to another API");
  assert.deepEqual(proxy.seen, [], "nothing is sent there by itself");
  for (const input of await page.getByRole("textbox").all()) assert.equal(await input.inputValue(), "");
  await leads(page).getByRole("link", { name: `Play at ${new URL(api).host} instead` }).click();
  await page.getByText(`You play at ${new URL(api).host}.`).waitFor();
  assert.equal(await leads(page).count(), 0);
  assert.equal(new URL(page.url()).search, "");
});

playing("a link names no API if the page's host does not allow it", async (stage) => {
  const proxy = await stage.proxy();
  const context = await stage.context({ to: proxy.url, besides: [api] });
  await context.route("**/config.json", (route) => route.fulfill({ json: { api } }));
  const page = await stage.page({ context });
  await page.goto(address("", proxy.url));
  await moveIn(page);
  assert.equal(await leads(page).count(), 0);
  assert.deepEqual(proxy.seen, []);
});

playing("an address that is no API is refused, and the page says so", async (stage) => {
  const context = await stage.context();
  const page = await stage.page({ context });
  for (const asked of ["javascript:alert(1)", "file:///etc/passwd", "nowhere", "http://name:word@127.0.0.1:9", "http://api.example.com"]) {
    await page.goto(`${play}/?api=${encodeURIComponent(asked)}`);
    await leads(page).getByText("This link names an API that is none").waitFor();
    await page.getByText(`You play at ${new URL(api).host}.`, { exact: true }).waitFor();
  }
  await moveIn(page, newcomer());
  await page.reload();
  await messages(page).getByText("This link names an API that is none").waitFor();
  await page.goto(`${play}/?api=${encodeURIComponent(`${api.toUpperCase()}//`)}`);
  await ranch(page).waitFor(); // the same API, written in another way, has the same session
  assert.equal(await page.getByText("This link names an API that is none").count(), 0);
});
