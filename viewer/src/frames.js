// The frames of a run, fetched in parts around the present time and kept while memory allows.

const memoryLimit = 1.2e9;

/** Cuts a part into frames; all arrays are views. */
export function framesOf(part, bodies) {
  const frames = [], count = part.times.length;
  let contact = 0;
  for (let f = 0; f < part.times.length; f++) {
    const cut = (array, width) => array.subarray(f * bodies * width, (f + 1) * bodies * width);
    const frame = {
      time: part.times[f], position: cut(part.position, 3), orientation: cut(part.orientation, 4),
      velocity: cut(part.velocity, 3), angular: cut(part.angular_velocity, 3), contacts: null,
    };
    // What older runs do not hold stays undefined.
    const share = array => array?.subarray((f * array.length) / count, ((f + 1) * array.length) / count);
    frame.contactForce = share(part.contact_force);
    frame.contactTorque = share(part.contact_torque);
    frame.joints = part.joint_force && {
      force: share(part.joint_force), torque: share(part.joint_torque), position: share(part.joint_position),
      velocity: share(part.joint_velocity), effort: share(part.motor_effort),
    };
    if (part.contact_counts) {
      const count = part.contact_counts[f], end = contact + count;
      frame.contacts = {
        count, bodies: part.contact_bodies.subarray(2 * contact, 2 * end),
        point: part.contact_point.subarray(3 * contact, 3 * end),
        normal: part.contact_normal.subarray(3 * contact, 3 * end),
        gap: part.contact_gap.subarray(contact, end),
        impulse: part.contact_impulse.subarray(3 * contact, 3 * end),
      };
      contact = end;
    }
    frames.push(frame);
  }
  return frames;
}

const bytesIn = part => Object.values(part).reduce((sum, array) => sum + (array.byteLength ?? 0), 0);

export class FrameStore {
  constructor(source, bodies, onArrival, onTrouble) {
    Object.assign(this, { source, bodies, onArrival, onTrouble });
    this.times = [];
    this.parts = new Map(); // part number -> {frames, bytes, contacts, used}
    this.pending = new Map();
    this.bytes = 0;
    this.clock = 0;
  }

  get count() { return this.times.length; }
  get start() { return this.times[0] ?? 0; }
  get end() { return this.times[this.count - 1] ?? 0; }

  addTimes(times) { for (const time of times) this.times.push(time); }

  /** Last frame at or before the time. */
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

  /** The frame, or null while it is on its way. */
  get(index, contacts = false) {
    const number = Math.floor(index / this.source.framesPerPart);
    const part = this.parts.get(number);
    const frame = part?.frames[index - number * this.source.framesPerPart];
    if (!frame || (contacts && !part.contacts)) this.load(number, contacts);
    if (frame) part.used = ++this.clock;
    return frame ?? null;
  }

  /** The frame if it is here. */
  peek(index) {
    const number = Math.floor(index / this.source.framesPerPart);
    return this.parts.get(number)?.frames[index - number * this.source.framesPerPart] ?? null;
  }

  /** Asks for what will be needed next. */
  prefetch(index, contacts) {
    const number = Math.floor(index / this.source.framesPerPart), last = Math.floor((this.count - 1) / this.source.framesPerPart);
    const ahead = this.source.framesPerPart > 4 ? 2 : 6;
    for (let next = number; next <= Math.min(last, number + ahead) && this.pending.size < 3; next++) this.load(next, contacts);
  }

  load(number, contacts) {
    const have = this.parts.get(number);
    const size = this.source.framesPerPart;
    const count = Math.min(size, this.count - number * size);
    if (count <= 0 || this.pending.has(number)) return;
    if (have && have.frames.length >= count && (have.contacts || !contacts)) return;
    const request = this.source.frames(number, count, contacts)
      .then(part => { this.keep(number, part); this.onArrival(); })
      .catch(this.onTrouble)
      .finally(() => this.pending.delete(number));
    this.pending.set(number, request);
  }

  keep(number, part) {
    this.drop(number);
    const bytes = bytesIn(part);
    this.parts.set(number, { frames: framesOf(part, this.bodies), bytes, contacts: Boolean(part.contact_counts), used: ++this.clock });
    this.bytes += bytes;
    while (this.bytes > memoryLimit && this.parts.size > 4) {
      let oldest = null;
      for (const [key, entry] of this.parts) if (oldest === null || entry.used < this.parts.get(oldest).used) oldest = key;
      this.drop(oldest);
    }
  }
  drop(number) {
    const part = this.parts.get(number);
    if (!part) return;
    this.bytes -= part.bytes;
    this.parts.delete(number);
  }
}
