// Paths of bodies through time: lines through their centres in all frames, as far as these have arrived.

import * as THREE from 'three';

const colours = ['#0b62a8', '#c05a10', '#0b7457', '#9a3fa0', '#7a6a00', '#b3303a'];
/** Frames beyond this are left out evenly. */
const mostPoints = 1500;

export class Trails {
  constructor(scene, frames) {
    Object.assign(this, { scene, frames, paths: new Map() }); // body -> {line, seen}
  }
  has(body) { return this.paths.has(body); }
  get waiting() { return [...this.paths.values()].some(path => path.missing); }

  toggle(body) {
    if (this.has(body)) {
      const { line } = this.paths.get(body);
      this.scene.remove(line);
      line.geometry.dispose();
      this.paths.delete(body);
      return;
    }
    const used = new Set([...this.paths.values()].map(path => path.colour));
    const colour = colours.find(each => !used.has(each)) ?? colours[this.paths.size % colours.length];
    const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: colour }));
    line.frustumCulled = false;
    this.scene.add(line);
    this.paths.set(body, { line, colour, key: '', missing: true });
  }
  clear() { for (const body of [...this.paths.keys()]) this.toggle(body); }

  /** Asks for frames that are missing, a part at a time. */
  update() {
    if (this.paths.size === 0) return;
    const { frames } = this, every = Math.max(1, Math.ceil(frames.count / mostPoints));
    const known = [];
    let missing = false;
    for (let f = 0; f < frames.count; f += every) {
      const frame = frames.peek(f);
      if (frame) known.push(frame);
      else { missing = true; if (frames.pending.size === 0) frames.get(f); }
    }
    for (const [body, path] of this.paths) {
      path.missing = missing;
      const key = `${known.length} ${frames.count}`;
      if (path.key === key) continue;
      path.key = key;
      const points = known.map(frame => new THREE.Vector3().fromArray(frame.position, 3 * body));
      path.line.geometry.dispose();
      path.line.geometry = new THREE.BufferGeometry().setFromPoints(points);
    }
  }
}
