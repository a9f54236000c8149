import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("it needs nothing when it runs", () => {
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  assert.deepEqual([dependencies, peerDependencies, optionalDependencies], [undefined, undefined, undefined]);
});

test("its lock file has no download addresses", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"/);
});

test("a browser can import it as it is: modules name each other by file, and Node's own are in node.js alone", () => {
  const modules = readdirSync(new URL("../dist", import.meta.url)).filter((name) => name.endsWith(".js"));
  assert.match(read("dist/index.js"), /^export .* from "\.\/client\.js";$/m);
  for (const name of modules) {
    const imported = [...read(`dist/${name}`).matchAll(/^(?:import|export) .*(?:from|import) "([^"]+)";$/gm)].map((match) => match[1]);
    for (const path of imported) {
      if (name === "node.js" && path.startsWith("node:")) continue;
      assert.match(path, /^\.\/\w+\.js$/, `${name} imports ${path}`);
      assert.ok(modules.includes(path.slice(2)) && path !== "./node.js", `${name} imports ${path}`);
    }
  }
});
