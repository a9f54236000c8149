// Two players in one show, each with a browser.
import assert from "node:assert/strict";
import { comeIn, createShow, goldOf } from "./scene.mjs";
import { chooseAnimal, gold, judge, messages, moveIn, openShow, podium } from "./hands.mjs";
import { playing } from "./stage.mjs";

playing("two players enter, one of them judges, both claim", async (stage) => {
  const show = await createShow({ fee: 20 });
  const players = [];
  for (let i = 0; i < 2; i++) {
    const page = await stage.page();
    const me = await moveIn(page);
    const { client } = await comeIn(me);
    const [animal] = await client.animals();
    await openShow(page, show);
    await (await chooseAnimal(page, show, animal.name)).click();
    await gold(page, 480).waitFor();
    players.push({ page, me, client, animal });
  }
  const [first, second] = players;

  await first.page.reload();
  const entries = first.page.getByRole("list", { name: "Entries" });
  for (const { me } of players) await entries.getByText(me.username).first().waitFor();
  await judge(first.page);
  await podium(first.page).waitFor();

  // The second page does not know yet that the show is judged. It learns that from the refused judging.
  await judge(second.page);
  await messages(second.page).getByText("This show is not open any more: it has been judged or cancelled.").waitFor();
  await podium(second.page).waitFor();
  await second.page.reload();
  await podium(second.page).waitFor();

  const { entries: ranked } = await first.client.show(show.id);
  assert.deepEqual(ranked.map((e) => e.rank), [1, 2]);
  for (const { page, me } of players) {
    const { rank } = ranked.find((e) => e.playerUsername === me.username) ?? {};
    const prize = { 1: 100, 2: 60 }[rank];
    await page.getByRole("button", { name: "Claim prize" }).click();
    await gold(page, 480 + prize).waitFor();
    assert.equal(await goldOf(me), 480 + prize);
  }
});
