// Timers, process.nextTick and performance. Time is the sandbox's: virtual
// unless the clock was granted, so waiting for a timer takes none, and Date.now
// has moved on by as much as was waited for.
(kit => {
  'use strict';
  const { host, define } = kit;
  const monotonic = performance.now.bind(performance);
  let origin = monotonic();
  const now = () => monotonic() - origin;

  // All timers set during one turn of the loop count from its beginning, so
  // their order does not depend on how long the code between them takes.
  let turn = 0, nextID = 1;
  const timers = [], ticks = [];

  class Timeout {
    constructor(f, delay, args, repeat) {
      if (typeof f !== 'function') throw new TypeError(`The "callback" argument must be of type function. Received ${kit.show(f)}`);
      delay = Math.trunc(Number(delay));
      this.delay = delay >= 1 && delay <= 0x7fffffff ? delay : 1;
      Object.assign(this, { id: nextID++, f, args, repeat, due: turn + this.delay, idle: false });
      insert(this);
    }
    ref() { this.idle = false; return this; }
    unref() { this.idle = true; return this; }
    hasRef() { return !this.idle; }
    refresh() { if (cancel(this)) { this.due = turn + this.delay; insert(this); } return this; }
    [Symbol.toPrimitive]() { return this.id; }
    [Symbol.for('nodejs.util.inspect.custom')]() { return `Timeout { id: ${this.id} }`; }
  }

  const insert = timer => {
    let i = timers.length;
    while (i > 0 && timers[i - 1].due > timer.due) i--;
    timers.splice(i, 0, timer);
  };
  const cancel = which => {
    const i = timers.findIndex(t => t === which || t.id === Number(which));
    if (i >= 0) timers.splice(i, 1);
    return i >= 0;
  };

  define('setTimeout', (f, delay, ...args) => new Timeout(f, delay, args, false));
  define('setInterval', (f, delay, ...args) => new Timeout(f, delay, args, true));
  define('setImmediate', (f, ...args) => new Timeout(f, 1, args, false));
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) define(name, which => { cancel(which); });
  define('performance', { now, timeOrigin: 946684800000, mark: () => {}, measure: () => {}, toJSON: () => ({ timeOrigin: 946684800000 }) });

  kit.now = now;
  kit.nextTick = (f, ...args) => {
    if (typeof f !== 'function') throw new TypeError('process.nextTick needs a function');
    ticks.push(() => f(...args));
  };
  kit.onBegin.push(() => { origin = monotonic(); turn = 0; timers.length = ticks.length = 0; });

  // tick runs what process.nextTick has put off and says whether there was any.
  kit.control.tick = () => {
    if (ticks.length === 0) return false;
    while (ticks.length > 0) ticks.shift()();
    return true;
  };

  // fire waits for the next timer and runs it; false when there is none that
  // keeps the program alive.
  kit.control.fire = () => {
    if (timers.every(t => t.idle)) return false;
    const timer = timers.shift();
    const wait = timer.due - now();
    if (wait > 0) host.sleep(wait);
    turn = Math.max(turn, timer.due);
    if (timer.repeat) { timer.due = turn + timer.delay; insert(timer); }
    timer.f(...timer.args);
    return true;
  };
})
