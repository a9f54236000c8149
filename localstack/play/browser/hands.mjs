// A player's actions with a mouse, by the names in localstack/play/web/README.md.
import { newcomer } from "./scene.mjs";
import { address } from "./stage.mjs";

/** Registers through the form, and waits for the ranch. */
export async function moveIn(page, registration = newcomer()) {
  await page.getByRole("tab", { name: "New ranch" }).click();
  const form = page.getByRole("form", { name: "Create a ranch" });
  await fillIn(form, registration);
  await form.getByRole("button", { name: "Create ranch" }).click();
  await ranch(page).waitFor();
  return registration;
}

export async function fillIn(form, { email, username, password, ranchName }) {
  await form.getByRole("textbox", { name: "E-mail" }).fill(email);
  await form.getByRole("textbox", { name: "Username" }).fill(username);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("textbox", { name: "Ranch name" }).fill(ranchName);
}

export async function logIn(page, { email, password }) {
  await page.getByRole("tab", { name: "I have a ranch" }).click();
  const form = page.getByRole("form", { name: "Log in" });
  await form.getByRole("textbox", { name: "E-mail" }).fill(email);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Log in" }).click();
}

export const ranch = (page) => page.getByRole("heading", { level: 1, name: "Your ranch" });
export const board = (page) => page.getByRole("heading", { level: 1, name: "Shows" });
export const welcome = (page) => page.getByRole("button", { name: "Play as a guest" });
export const messages = (page) => page.getByRole("status", { name: "Messages" });
export const gold = (page, amount) => page.getByRole("button", { name: `Gold: ${amount}`, exact: true });
export const podium = (page) => page.getByRole("list", { name: "Podium" });
export const connection = (page) => page.getByRole("region", { name: "Connection" });

/** Goes to a view by the game's own links. */
export const goTo = (page, name) => page.getByRole("navigation", { name: "Game" }).getByRole("link", { name }).click();

/** Opens a show's view by its address. */
export async function openShow(page, show, to) {
  await page.goto(address(`#/shows/${show.id}`, to));
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
}

/** Opens the dialog for entering, chooses an animal, and returns the button that enters the animal. */
export async function chooseAnimal(page, show, animal) {
  await page.getByRole("button", { name: "Enter an animal" }).click();
  const dialog = page.getByRole("dialog", { name: "Enter an animal" });
  await dialog.getByRole("radio", { name: animal }).check();
  return dialog.getByRole("button", { name: show.fee > 0 ? `Enter ${animal} for ${show.fee} gold` : `Enter ${animal} for free` });
}

export async function judge(page) {
  await page.getByRole("button", { name: "Judge this show" }).click();
  await page.getByRole("dialog", { name: "Judge this show?" }).getByRole("button", { name: "Judge now" }).click();
}

/** Enters a newcomer's animal in the show that is open on the page, judges the show, and claims the prize. */
export async function win(page, show, animal) {
  await (await chooseAnimal(page, show, animal)).click();
  await messages(page).getByText(`${animal} is entered`).waitFor();
  await judge(page);
  await podium(page).getByText(animal).first().waitFor();
  await page.getByRole("button", { name: "Claim prize" }).click();
  await gold(page, 575).waitFor();
}

/** Holds back the next answers to a request, until the test lets them go. */
export async function holdBack(page, path, times = 1) {
  let letGo;
  const free = new Promise((resolve) => (letGo = resolve));
  let arrived;
  const held = new Promise((resolve) => (arrived = resolve));
  const over = [];
  await page.route(
    path,
    async (route) => {
      const answer = await route.fetch();
      arrived();
      over.push(free.then(() => route.fulfill({ response: answer })));
      await over.at(-1);
    },
    { times },
  );
  return { held, letGo: async () => (letGo(), await Promise.all(over), await page.evaluate(() => new Promise((r) => setTimeout(r, 100)))) };
}
