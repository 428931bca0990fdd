package ts

import (
	"context"
	"testing"

	"wb/compile"
)

// What guest.d.ts declares is what programs written for node expect.
func TestGuestTypes(t *testing.T) {
	src := block(compile.ShapeCommand, `
import fs, { readFileSync } from 'fs';
import { readFile } from 'fs/promises';
import * as path from 'node:path';
import { join } from 'path';
import assert from 'assert';
import { strictEqual, deepStrictEqual } from 'node:assert';
import EventEmitter, { once } from 'events';
import { EventEmitter as EE } from 'node:events';
import { createHash, randomUUID } from 'crypto';
import os from 'os';
import { URL as U } from 'url';
import { createInterface } from 'readline';
import { setTimeout as sleep } from 'timers/promises';
import util, { inspect } from 'util';
import { Buffer as B } from 'buffer';
const s: string = readFileSync('x', 'utf8'); const b: Buffer = fs.readFileSync('x'); const p: Promise<string> = readFile('x', 'utf8');
console.log(path.join('a'), join('b'), assert, os.EOL, new U('x:').href, util.inspect(1), inspect(2), B.from('x'));
class Q extends EventEmitter {} ; new EE().on('x', () => {}); new Q().emit('x');
const h: string = createHash('sha256').update('x').digest('hex'); await sleep(1);
const v: unknown = 1; assert(typeof v === 'number'); v.toFixed();
for await (const line of createInterface({ input: process.stdin })) line.trim();
`)
	if _, err := testLane(t).Build(context.Background(), src); err != nil {
		t.Error(err)
	}
}
