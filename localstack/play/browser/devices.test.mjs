// Another device plays: it reaches the page and the API by a name of this machine (HOST) and plain http.
import { gold, ranch, welcome } from "./hands.mjs";
import { startService } from "./service.mjs";
import { playing } from "./stage.mjs";

const name = "phone.example"; // chromium.mjs leads it to this machine

playing("a device that reaches the page by another name of this machine plays with the API there", async (stage) => {
  const service = await startService({ HOST: name, SEED: "none" });
  const [play, api] = [service.play, service.api].map((url) => url.replace("127.0.0.1", name));
  try {
    const context = await stage.context({ to: api, besides: [play] });
    const page = await context.newPage();
    await page.goto(play);
    await welcome(page).click();
    await page.getByRole("button", { name: "Start playing" }).click();
    await ranch(page).waitFor();
    await gold(page, 500).waitFor();
    await page.getByText(`You play at ${new URL(api).host}.`).waitFor();
    await context.close();
  } finally {
    await service.stop();
  }
});
