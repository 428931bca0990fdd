// Each word of the command line is a request, METHOD URL [BODY] with commas between; all
// are made at once, and their replies told in order.
import { getArguments } from 'wasi:cli/environment@0.2.3';

async function ask(word) {
  const [method, url, body] = word.split(',');
  try {
    const reply = await fetch(url, { method, body, headers: { 'X-One': 'eins' } });
    const text = await reply.text();
    return `${reply.status} ${reply.headers.get('x-seen')} ${text.length > 200 ? text.length : text}`;
  } catch (e) {
    return `failed: ${e.message}`;
  }
}

export const run = {
  async run() {
    for (const line of await Promise.all(getArguments().slice(1).map(ask))) console.log(line);
  },
};
