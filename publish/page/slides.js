// Slides by keyboard: arrows, Page Up and Down, space, Home and End; f for the whole screen,
// n for the speaker's notes. The address names the slide, so that a link leads to it.
(() => {
  const slides = [...document.querySelectorAll(".slide")], at = document.querySelector(".at");
  const here = () => {
    const middle = innerHeight / 2;
    const n = slides.findIndex((s) => { const r = s.getBoundingClientRect(); return r.top <= middle && r.bottom > middle; });
    return Math.max(0, n);
  };
  let shown = 0;
  const say = (n) => {
    shown = n;
    at.textContent = `${n + 1} / ${slides.length}`;
    document.body.dataset.at = n + 1;
  };
  const go = (n) => {
    n = Math.min(slides.length - 1, Math.max(0, n));
    slides[n].scrollIntoView({ behavior: "instant", block: "start" });
    history.replaceState(null, "", `#${slides[n].querySelector("h1[id], h2[id], h3[id]")?.id ?? "content"}`);
    say(n);
  };
  // A slide that holds too much gets smaller letters, down to half; beyond that it scrolls.
  const fit = () => {
    for (const slide of slides) {
      let size = 1;
      slide.style.setProperty("--fit", size);
      while (size > 0.5 && slide.scrollHeight > slide.clientHeight + 1) slide.style.setProperty("--fit", (size -= 0.05));
    }
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": event.shiftKey ? -1 : 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    if (event.key in steps) go(here() + steps[event.key]);
    else if (event.key === "f") document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.();
    else if (event.key === "n") document.documentElement.toggleAttribute("data-notes"), fit();
    else return;
    event.preventDefault();
  });
  addEventListener("scroll", () => say(here()), { passive: true });
  addEventListener("resize", () => { fit(); slides[shown].scrollIntoView({ behavior: "instant", block: "start" }); });
  addEventListener("load", fit);
  fit();
  say(here());
})();
