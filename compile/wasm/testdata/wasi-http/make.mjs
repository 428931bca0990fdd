// node make.mjs COMPONENTIZE-JS OUT: makes a component of fetch.js.
import { readFile, writeFile } from 'node:fs/promises';

const [, , tool, out] = process.argv;
const { componentize } = await import(`${tool}/src/componentize.js`);
const here = new URL('.', import.meta.url).pathname;
const { component } = await componentize(await readFile(here + 'fetch.js', 'utf8'),
  { witWorld: await readFile(here + 'program.wit', 'utf8'), worldName: 'program', sourceName: 'fetch.js' });
await writeFile(out, component);
