// The stage of every test: pages of the game in contexts of their own, and watchers. In every test, a page sends
// requests only to its own origin and its API, obeys its policy, opens no dialog of the browser and throws no error.
import { after, before, test } from "node:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startProxy } from "./proxy.mjs";
import { root } from "./service.mjs";

const { RANCH_BROWSER, RANCH_PLAY, RANCH_API } = process.env;
if (!RANCH_BROWSER || !RANCH_PLAY || !RANCH_API) throw new Error("these tests want a service and a browser: call make test-browser");

export const play = RANCH_PLAY;
export const api = RANCH_API;

/** How long a page may take for a step on a busy machine. */
const patience = 30_000;

let browser;
before(async () => (browser = await chromium.connect(RANCH_BROWSER)));
after(() => browser?.close());

/** Defines a test. Its body gets a stage. Each problem that the stage sees on a page fails the test. */
export function playing(name, body) {
  test(name, { timeout: 6 * patience }, async () => {
    const stage = new Stage();
    try {
      await body(stage);
      await stage.settle();
    } catch (error) {
      await stage.photograph(name);
      throw stage.wrong.length === 0 ? error : new Error(`${error.message}\nBesides:\n${stage.wrong.join("\n")}`, { cause: error });
    } finally {
      await stage.close();
    }
    if (stage.wrong.length > 0) throw new Error(stage.wrong.join("\n"));
  });
}

class Stage {
  wrong = [];
  contexts = [];
  proxies = [];

  /**
   * Makes a browser context, which keeps only the data of its own pages. Its pages may send requests to the API and to
   * the origins in besides. Motion is off by default, since drawing motion takes most of the time.
   */
  async context({ to = api, besides = [], ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", locale: "en-US", timezoneId: "UTC", ...options });
    this.contexts.push(context);
    context.on("close", () => (this.contexts = this.contexts.filter((other) => other !== context)));
    context.setDefaultTimeout(patience);
    const allowed = [play, to, ...besides];
    context.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && !allowed.includes(origin)) this.wrong.push(`a request to ${request.url()}`);
    });
    context.on("console", (message) => {
      const refused = message.text().startsWith("Failed to load resource:") && new URL(message.location().url, play).origin === to;
      if (message.type() === "error" && !refused) this.wrong.push(`an error in the console: ${message.text()} ${message.location().url}`);
    });
    context.on("weberror", (error) => this.wrong.push(`a page throws ${error.error().stack}`));
    context.on("dialog", (dialog) => {
      this.wrong.push(`a dialog of the browser's: ${dialog.message()}`);
      return dialog.dismiss();
    });
    await context.exposeBinding("reportViolation", (_, what) => void this.wrong.push(`a violation of the policy: ${what}`));
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (e) => globalThis.reportViolation(`${e.violatedDirective} by ${e.blockedURI} ${e.sample}`));
    });
    return context;
  }

  /** Opens a page of the game, at the address of a view. */
  async page({ view = "", context, to = api, ...options } = {}) {
    context ??= await this.context({ to, ...options });
    const page = await context.newPage();
    await page.goto(address(view, to));
    return page;
  }

  async proxy() {
    const proxy = await startProxy(api);
    this.proxies.push(proxy);
    return proxy;
  }

  /** Waits until the reports of the pages have arrived. */
  async settle() {
    for (const context of this.contexts) for (const page of context.pages()) await page.evaluate(() => 0);
  }

  /** Takes a picture of every page of a failed test. */
  async photograph(name) {
    const folder = join(root, ".build/browser");
    await mkdir(folder, { recursive: true });
    let count = 0;
    for (const context of [...this.contexts]) {
      for (const page of context.pages()) {
        const path = join(folder, `${name.replace(/[^\w]+/g, "-")}-${++count}.png`);
        await page.screenshot({ path, timeout: 5_000 }).then(() => console.error(`what it looked like: ${path}`)).catch(() => {});
      }
    }
  }

  async close() {
    for (const context of this.contexts) {
      for (const routed of [...context.pages(), context]) await routed.unrouteAll({ behavior: "ignoreErrors" }); // a request may be under way
      await context.close();
    }
    for (const proxy of this.proxies) await proxy.stop();
  }
}

/** The game's address, with a view such as "#/shows", and with another API if it is not the usual one. */
export const address = (view = "", to = api) => `${play}/${to === api ? "" : `?api=${encodeURIComponent(to)}`}${view}`;

/** The browser's data of a page whose session has ended. */
export async function withoutSession(page) {
  const { origins } = await page.context().storageState();
  const localStorage = origins.flatMap((origin) => origin.localStorage).filter(({ name }) => !name.startsWith("ranch.session"));
  return { cookies: [], origins: [{ origin: play, localStorage }] };
}
