// Writes animated GIFs: one palette for all pictures, pixels that do not change are left out, LZW as in GIF89a.

const levels = 32, transparent = 255;
const binOf = (r, g, b) => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

/** Splits the colours of some pictures into 255 boxes, always the one that varies most, and takes their means. */
export function paletteOf(pictures) {
  const counts = new Uint32Array(levels ** 3);
  for (const data of pictures)
    for (let i = 0; i < data.length; i += 4) counts[binOf(data[i], data[i + 1], data[i + 2])]++;
  const bins = [];
  counts.forEach((count, bin) => { if (count) bins.push({ count, at: [bin >> 10, (bin >> 5) & 31, bin & 31] }); });
  const boxOf = members => {
    const total = members.reduce((sum, { count }) => sum + count, 0);
    const mean = [0, 1, 2].map(k => members.reduce((sum, { count, at }) => sum + count * at[k], 0) / total);
    const spread = [0, 1, 2].map(k => members.reduce((sum, { count, at }) => sum + count * (at[k] - mean[k]) ** 2, 0));
    return { members, mean, axis: spread.indexOf(Math.max(...spread)), spread: Math.max(...spread) };
  };
  const boxes = [boxOf(bins)];
  while (boxes.length < transparent) {
    const widest = boxes.reduce((best, box, i) => (box.spread > boxes[best].spread ? i : best), 0);
    const { members, mean, axis, spread } = boxes[widest];
    if (!(spread > 0)) break;
    boxes.splice(widest, 1, boxOf(members.filter(({ at }) => at[axis] <= mean[axis])), boxOf(members.filter(({ at }) => at[axis] > mean[axis])));
  }
  return boxes.map(({ mean }) => mean.map(x => Math.min(255, Math.round(8 * x + 4))));
}

/** Bayer's matrix, 4 x 4, from −0.5 to 0.5: smooth shading keeps its look with few colours. */
const bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map(x => x / 16 - 0.47);

/** Bytes that grow. */
class Bytes {
  constructor() { this.parts = []; this.last = []; }
  add(...bytes) {
    for (const byte of bytes) this.last.push(byte);
    if (this.last.length > 65536) this.flush();
  }
  flush() { this.parts.push(Uint8Array.from(this.last)); this.last = []; }
}

/** Codes grow from 9 to 12 bits; blocks of at most 255 bytes. */
function compress(indices, out) {
  const clear = 256, end = 257;
  let table = new Map(), width = 9, next = 258, held = 0, bits = 0, block = [];
  const put = code => {
    held |= code << bits;
    bits += width;
    while (bits >= 8) {
      block.push(held & 255);
      held >>>= 8;
      bits -= 8;
      if (block.length === 255) { out.add(255, ...block); block = []; }
    }
  };
  out.add(8);
  put(clear);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = (prefix << 8) | indices[i], known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    if (next < 4096) {
      table.set(key, next);
      if (next++ === 1 << width && width < 12) width++;
    } else {
      put(clear);
      table = new Map();
      width = 9;
      next = 258;
    }
    prefix = indices[i];
  }
  put(prefix);
  put(end);
  if (bits > 0) block.push(held & 255);
  if (block.length) out.add(block.length, ...block);
  out.add(0);
}

export class Gif {
  /** `delay` between pictures in hundredths of a second. */
  constructor(width, height, delay, palette) {
    Object.assign(this, { width, height, delay, palette, nearest: new Int16Array(levels ** 3).fill(-1), out: new Bytes(), before: null });
    const two = value => [value & 255, value >> 8];
    this.out.add(...new TextEncoder().encode('GIF89a'), ...two(width), ...two(height), 0xf7, 0, 0);
    for (let i = 0; i < 256; i++) this.out.add(...(palette[i] ?? [0, 0, 0]));
    this.out.add(0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, 0, 0, 0); // again and again
  }

  colourOf(r, g, b) {
    const bin = binOf(r, g, b);
    if (this.nearest[bin] >= 0) return this.nearest[bin];
    let best = 0, least = Infinity;
    this.palette.forEach(([R, G, B], i) => {
      const away = (R - r) ** 2 + (G - g) ** 2 + (B - b) ** 2;
      if (away < least) { least = away; best = i; }
    });
    return (this.nearest[bin] = best);
  }

  /** `data`: red, green, blue, alpha of every pixel. */
  add(data) {
    const { width, height, out } = this, now = new Uint8Array(width * height), shown = new Uint8Array(width * height);
    const clamp = x => (x < 0 ? 0 : x > 255 ? 255 : x);
    for (let i = 0; i < now.length; i++) {
      const shift = 9 * bayer[4 * (Math.floor(i / width) & 3) + ((i % width) & 3)];
      now[i] = this.colourOf(clamp(data[4 * i] + shift), clamp(data[4 * i + 1] + shift), clamp(data[4 * i + 2] + shift));
      shown[i] = this.before?.[i] === now[i] ? transparent : now[i];
    }
    this.before = now;
    out.add(0x21, 0xf9, 4, 0x05, this.delay & 255, this.delay >> 8, transparent, 0);
    out.add(0x2c, 0, 0, 0, 0, width & 255, width >> 8, height & 255, height >> 8, 0);
    compress(shown, out);
  }

  blob() {
    this.out.add(0x3b);
    this.out.flush();
    return new Blob(this.out.parts, { type: 'image/gif' });
  }
}
