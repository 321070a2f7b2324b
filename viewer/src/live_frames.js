// The newest states of a running session, kept for a while so that one can look back. Same face as FrameStore.

import { framesOf } from './frames.js';

const mostFrames = 900;

export class LiveFrames {
  constructor() { Object.assign(this, { times: [], kept: [], pending: new Map() }); }

  get count() { return this.times.length; }
  get start() { return this.times[0] ?? 0; }
  get end() { return this.times[this.count - 1] ?? 0; }

  clear() { this.times = []; this.kept = []; }

  /** A state replaces the last one of the same time, and all after a time that has come again. */
  add(part, bodies) {
    const [frame] = framesOf(part, bodies);
    while (this.count > 0 && this.end >= frame.time) { this.times.pop(); this.kept.pop(); }
    this.times.push(frame.time);
    this.kept.push(frame);
    if (this.count > mostFrames) { this.times.shift(); this.kept.shift(); }
    return frame;
  }

  before(time) {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  }
  nearest(time) {
    const f = this.before(time);
    return f + 1 < this.count && this.times[f + 1] - time < time - this.times[f] ? f + 1 : f;
  }
  get(index) { return this.kept[index] ?? null; }
  peek(index) { return this.get(index); }
  prefetch() {}
}
