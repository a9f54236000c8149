import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("it needs nothing when it runs", () => {
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  assert.deepEqual([dependencies, peerDependencies, optionalDependencies], [undefined, undefined, undefined]);
});

test("its lock file has no download addresses, and what it installs runs nothing", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"|"hasInstallScript"/);
});

test("its README begins with the kind of module, and says what the missing licence means", () => {
  assert.match(read("README.md").split("\n").slice(0, 5).join("\n"), /ES module/);
  assert.match(read("README.md"), /owner has not chosen a licence/);
});

test("a browser can import it as it is: modules name each other by file, and none of them needs Node", () => {
  const modules = ["index.js"];
  for (const name of modules) {
    const text = read(`dist/${name}`);
    const imported = [...text.matchAll(/^(?:import|export) .*(?:from|import) "([^"]+)";$/gm)].map((match) => match[1]);
    for (const path of imported) {
      assert.match(path, /^\.\/\w+\.js$/, `${name} imports ${path}`);
      if (!modules.includes(path.slice(2))) modules.push(path.slice(2));
    }
  }
  const left = readdirSync(new URL("../dist", import.meta.url)).filter((name) => name.endsWith(".js") && !modules.includes(name));
  assert.deepEqual(left.sort(), ["contract.js", "lockfile.js", "node.js", "types.js"]); // modules of types alone, and modules that need Node.js
});
