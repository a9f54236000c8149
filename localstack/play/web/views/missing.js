import { h } from "../dom.js";

/** The view of an unknown address. @type {import("../router.js").MakeView} */
export const missing = () => ({
  title: "Off the road",
  node: h(
    "section",
    { class: "sheet narrow" },
    h("h1", { class: "view-title" }, "Off the road"),
    h("p", {}, "There is nothing at this address but grass."),
    h("p", {}, h("a", { href: "#/ranch", class: "button" }, "Back to your ranch")),
  ),
});
