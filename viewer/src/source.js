// Where the data come from: the server of `talus view`, or the page itself.

import { unpack, unpackEmbedded } from './package.js';

async function fetched(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error((await response.text()).trim() || `the server answers ${response.status}`);
  return response;
}
const fetchPackage = async path => unpack(await (await fetched(path)).arrayBuffer());

/** Asks for about this many bytes of states at once. */
const bytesPerRequest = 6e6;

class ServerSource {
  async open() {
    this.canGrow = true;
    const model = await fetchPackage('/model');
    this.framesPerPart = Math.max(1, Math.min(50, Math.floor(bytesPerRequest / (44 * model.body_kind.length + 1))));
    return model;
  }
  extent() { return fetched('/extent').then(response => response.json()); }
  times(first) { return fetchPackage(`/times?first=${first}`); }
  steps(first) { return fetchPackage(`/steps?first=${first}`); }
  frames(part, count, contacts) {
    return fetchPackage(`/frames?first=${part * this.framesPerPart}&count=${count}&contacts=${contacts ? 1 : 0}`);
  }
}

class EmbeddedSource {
  async open() {
    this.canGrow = false;
    const model = await this.section('model');
    this.allTimes = await this.section('times');
    this.first = await this.section('frames-0');
    this.framesPerPart = this.first.times.length;
    return model;
  }
  section(name) { return unpackEmbedded(document.getElementById(`talus-${name}`).textContent); }
  async extent() { return { frames: this.allTimes.times.length, steps: 0, growing: false }; }
  async times(first) { return { times: this.allTimes.times.subarray(first) }; }
  steps() { return this.section('steps'); }
  async frames(part) { return part === 0 ? this.first : this.section(`frames-${part}`); }
}

export const openSource = () => document.getElementById('talus-model') ? new EmbeddedSource() : new ServerSource();
