// A guest's whole way: enter, judge, claim, keep the ranch, change the password, see the season, claim a prize of a past
// season, and delete the ranch. The service is its own, because another season begins.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, memoryStore } from "../../../shared/client/typescript/dist/index.js";
import { chooseAnimal, gold, goTo, judge, logIn, messages, podium, ranch, welcome } from "./hands.mjs";
import { root, startService } from "./service.mjs";
import { playing } from "./stage.mjs";

const run = promisify(execFile);

playing("a guest keeps the ranch, changes the password, claims a prize of a past season, and deletes the ranch", async (stage) => {
  const service = await startService({ SEED: "none", JUDGE_DUE: "5s" });
  const ranchctl = async (...args) => (await run(join(root, "bin/ranchctl"), args, { cwd: service.tree })).stdout;
  const season = (name, start) => ranchctl("season", "create", "--name", name, "--start", start, "--end", "+90d", "--activate", "--force=over,duplicates");
  const shows = ["Meadow Fair", "Brook Fair"];
  try {
    await season("First Season", "2026-01-01T00:00:00Z");
    for (const name of shows) await ranchctl("show", "create", "--name", name, "--tier", "rookie", "--fee", "25", "--closes-in", "48h", "--force=over,outside,terms");
    const context = await stage.context({ to: service.api, besides: [service.play] });
    const page = await context.newPage();
    await page.goto(service.play);
    await welcome(page).click();
    await page.getByRole("button", { name: "Start playing" }).click();
    await ranch(page).waitFor();

    const win = async (name) => {
      await goTo(page, "Shows");
      await page.getByRole("list", { name: "Shows" }).getByRole("link", { name }).click();
      await (await chooseAnimal(page, { fee: 25 }, "Buck")).click();
      await messages(page).getByText("Buck is entered").waitFor();
      await judge(page);
      await podium(page).getByText("Buck").waitFor();
    };
    await win(shows[0]);
    await page.getByRole("button", { name: "Claim prize" }).click();
    await gold(page, 575).waitFor();
    await win(shows[1]); // its prize waits

    await goTo(page, "Ranch");
    await page.getByRole("link", { name: "Keep this ranch" }).click();
    const keep = page.getByRole("form", { name: "Keep this ranch" });
    await keep.getByLabel("E-mail").fill("willow@example.com");
    await keep.getByLabel("Password").fill("short");
    await keep.getByRole("button").click();
    await keep.getByRole("alert").waitFor();
    await keep.getByLabel("Password").fill("a long password");
    await keep.getByRole("button").click();
    await messages(page).getByText("log in with willow@example.com").waitFor();
    assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes("guest.example"), "the device has forgotten the keys");

    const change = page.getByRole("form", { name: "Change the password" });
    await change.getByLabel("Current password").fill("a wrong password");
    await change.getByLabel("New password").fill("another password");
    await change.getByRole("button").click();
    await change.getByText("This is not your current password.").waitFor();
    await change.getByLabel("Current password").fill("a long password");
    await change.getByRole("button").click();
    await messages(page).getByText("Your password is changed.").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await logIn(page, { email: "willow@example.com", password: "another password" });
    await ranch(page).waitFor();

    const [{ id: first }] = JSON.parse(await ranchctl("season", "list", "-o", "json"));
    await ranchctl("season", "deactivate", first, "--force=open");
    await season("Second Season", "2026-11-01T00:00:00Z");
    await page.reload();
    await page.getByRole("link", { name: /^Ranch.*1 prize to claim$/ }).waitFor();
    const older = page.getByRole("list", { name: "Prizes of past seasons" });
    await older.getByRole("link", { name: shows[1] }).click();
    await page.getByRole("button", { name: "Claim prize" }).click();
    await gold(page, 650).waitFor();
    await page.getByRole("link", { name: /^Ranch.*1 prize to claim$/ }).waitFor({ state: "detached" });

    await goTo(page, "Season");
    await page.getByRole("heading", { level: 1, name: "Second Season" }).waitFor();
    await page.getByRole("navigation", { name: "Seasons" }).getByRole("link", { name: "First Season" }).click();
    await page.getByRole("list", { name: "Your shows" }).getByRole("link", { name: shows[0] }).waitFor();
    await page.getByText("You are 1st of 1 player, with 200 points.").waitFor(); // UpdateStandings has run since the judging
    assert.equal(await page.getByRole("list", { name: "Ranking" }).getByRole("listitem").count(), 1);

    await goTo(page, "Ranch");
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByRole("button", { name: "Delete this ranch" }).click();
    const sure = page.getByRole("dialog", { name: "Delete this ranch?" });
    await sure.getByLabel("Password").fill("another password");
    await sure.getByRole("button", { name: "Delete for good" }).click();
    await messages(page).getByText("Your ranch is deleted.").waitFor();
    await welcome(page).waitFor();
    const gone = new Client(service.api, { store: memoryStore() });
    await assert.rejects(gone.login("willow@example.com", "another password"), { code: "INVALID_CREDENTIALS" });
    await context.close();
  } finally {
    await service.stop();
  }
});
