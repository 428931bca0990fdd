// The switch between light and dark. Without a choice the page follows the
// system; a choice is kept where the browser keeps anything for this place,
// which may be nowhere: then it holds for this visit.
(() => {
  const key = "wb-theme", root = document.documentElement;
  const stored = (work) => {
    try {
      return work(localStorage);
    } catch {
      return null; // storage is off, or the page is a file
    }
  };
  const chosen = stored((s) => s.getItem(key));
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  addEventListener("DOMContentLoaded", () => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "theme" });
    const show = () => {
      button.setAttribute("aria-pressed", String(dark()));
      button.setAttribute("aria-label", "Dark colours");
      button.title = dark() ? "Light colours" : "Dark colours";
    };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      stored((s) => s.setItem(key, root.dataset.theme));
      show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    show();
    const header = document.querySelector(".site-header");
    if (header) header.append(button);
    else document.querySelector(".skip").after(button);
  });
})();
