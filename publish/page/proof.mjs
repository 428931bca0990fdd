
// The button at the foot of a page: reads the page's own bytes and verifies
// them, and on a site, when asked, all that the site consists of. Who changed
// the page may have changed this too; only a verifier from elsewhere (wb verify)
// proves anything to somebody who does not trust it.

// siteFiles are the files of a site as they are served: those its manifest
// lists, and the log of its releases. What is not there is left out; the
// verifier says what that means.
async function siteFiles(root, tell) {
  const files = new Map();
  const get = async (path) => {
    const response = await fetch(root + path.split("/").map(encodeURIComponent).join("/"), { cache: "no-cache" });
    if (response.ok) files.set(path, new Uint8Array(await response.arrayBuffer()));
  };
  await get(sitePath);
  let listed = { files: [], sequence: 0 };
  try {
    listed = JSON.parse(new TextDecoder().decode(files.get(sitePath)));
  } catch { /* the verifier says so */ }
  const sequence = Number.isSafeInteger(listed.sequence) ? Math.min(listed.sequence, 1e6) : 0;
  const paths = [...(Array.isArray(listed.files) ? listed.files : []).map((f) => f?.path).filter((p) => typeof p === "string" && safePath(p)), ...logPaths(sequence).map((p) => logPrefix + p)];
  for (const [i, path] of [...new Set(paths)].entries()) {
    if (!files.has(path)) await get(path);
    if (i % 50 === 0) tell(i, paths.length);
  }
  return files;
}

// logPaths are the files of a log with n releases.
function logPaths(n) {
  const paths = ["checkpoint"];
  const level = (name, count) => {
    for (let at = 0; at < count; at += tileWidth) paths.push(tilePath(name, at / tileWidth, Math.min(tileWidth, count - at)));
  };
  level("entries", n);
  for (let k = 0; n > 0; k++, n = Math.floor(n / tileWidth)) level(String(k), n);
  return paths;
}

const box = document.getElementById("wb-proof");
if (box && globalThis.crypto?.subtle) {
  const out = box.querySelector("output"), root = document.body.dataset.root;
  const verdict = async (what, work) => {
    try {
      const r = await work();
      out.dataset.code = r.code ?? "";
      out.textContent = r.valid
        ? `${what} is authentic: signed by ${r.issuer_did}. Compare this key with the one you expect.`
        : `${what} is not authentic: ${r.path ? `${r.path}: ` : ""}${r.code} (${r.message}).`;
    } catch (e) {
      out.textContent = `This browser cannot verify signatures (${e.name}); use wb verify.`;
    }
  };
  // The key log of the site says whether the key was revoked since.
  const heard = async () => {
    try {
      const response = root === undefined ? null : await fetch(root + keysPath, { cache: "no-cache" });
      return response?.ok ? await response.text() : "";
    } catch {
      return "";
    }
  };
  const say = (bytes) => verdict("This page", async () => verifyPage(bytes, { heard: await heard() }));
  const button = box.querySelector("button");
  button.addEventListener("click", async () => {
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
  if (root !== undefined) {
    const whole = Object.assign(document.createElement("button"), { type: "button", textContent: "Verify the whole site" });
    whole.addEventListener("click", async () => {
      out.textContent = "…";
      await verdict("This site", async () => verifySite(await siteFiles(root, (n, of) => (out.textContent = `${n} of ${of} files…`))));
    });
    button.after(" ", whole);
  }
  box.hidden = false;
}
