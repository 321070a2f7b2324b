// The clock of the page: plays simulated time at a chosen speed, waits when frames are still on their way.

export class Player {
  constructor(frames) {
    this.frames = frames;
    this.time = frames.start;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.live = false;
    this.last = null;
  }

  toggle() {
    if (!this.playing && this.time >= this.frames.end && !this.live) this.time = this.frames.start;
    this.playing = !this.playing;
  }
  seek(time) { this.time = Math.min(this.frames.end, Math.max(this.frames.start, time)); }
  step(frames) {
    this.playing = false;
    const index = this.frames.nearest(this.time) + frames;
    this.time = this.frames.times[Math.min(this.frames.count - 1, Math.max(0, index))];
  }

  /** `ready(time)`: whether the frames around a time are here. */
  advance(now, ready) {
    const elapsed = this.last === null ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.live) { this.time = this.frames.end; return; }
    if (!this.playing) return;
    let next = this.time + this.speed * elapsed;
    if (next >= this.frames.end) {
      if (this.loop) next = this.frames.start; else { next = this.frames.end; this.playing = false; }
    }
    if (ready(next)) this.time = next;
  }
}
