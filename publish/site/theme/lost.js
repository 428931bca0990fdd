
// A host may serve the site below a path that its author did not state. This page, which
// answers for addresses at any depth, finds out where the site begins.
(async () => {
  const stated = document.body.dataset.root, parts = location.pathname.split("/").slice(0, -1);
  const begins = async (root) => {
    const answer = await fetch(root + "assets/theme.js", { method: "HEAD" }).catch(() => null);
    return answer?.ok && /javascript/.test(answer.headers.get("Content-Type"));
  };
  let root = "";
  for (let n = parts.length; n > 0; n--) {
    root = parts.slice(0, n).join("/") + "/";
    if (await begins(root)) break;
    if (root === stated || n === 1) return;
  }
  if (root === stated) return;
  document.body.dataset.root = root;
  for (const name of ["href", "src"]) {
    for (const element of document.querySelectorAll(`[${name}^="${CSS.escape(stated)}"]`)) {
      const there = root + element.getAttribute(name).slice(stated.length);
      if (name === "href") element.href = there;
      else if (element.tagName === "SCRIPT") document.head.append(Object.assign(document.createElement("script"), { src: there, type: element.type }));
      else element.src = there;
    }
  }
})();
