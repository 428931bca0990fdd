
// The button at the foot of a page: reads the page's own bytes and verifies
// them. Who changed the page may have changed this too; only a verifier from
// elsewhere (wb verify) proves anything to somebody who does not trust it.
const box = document.getElementById("wb-proof");
if (box && globalThis.crypto?.subtle) {
  const out = box.querySelector("output");
  const say = async (bytes) => {
    try {
      const r = await verifyPage(bytes);
      out.textContent = r.valid
        ? `Authentic: signed by ${r.issuer_did}. Compare this key with the one you expect.`
        : `Not authentic: ${r.code} (${r.message}).`;
    } catch (e) {
      out.textContent = `This browser cannot verify signatures (${e.name}); use wb verify.`;
    }
  };
  box.querySelector("button").addEventListener("click", async () => {
    out.textContent = "…";
    try {
      const response = await fetch(location.href, { cache: "force-cache" });
      if (!response.ok) throw new Error(response.statusText);
      await say(new Uint8Array(await response.arrayBuffer()));
    } catch {
      const file = Object.assign(document.createElement("input"), { type: "file", accept: ".html,.htm" });
      file.setAttribute("aria-label", "This page's file");
      file.addEventListener("change", async () => say(new Uint8Array(await file.files[0].arrayBuffer())));
      out.replaceChildren("The browser does not let a page read its own file. Choose it: ", file);
    }
  });
  box.hidden = false;
}
