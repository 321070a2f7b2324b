// Where the data come from: the server of `talus view`, or the page itself.

import decoderScript from 'worker:decoder.js';
import { fetchPackage, fetched, unpackEmbedded } from './package.js';

const answer = ({ address, text }) => address ? fetchPackage(address) : unpackEmbedded(text);

/** Fetches and decodes in a worker, or in the page where the browser lets no worker start. */
class Decoder {
  constructor() {
    this.waiting = new Map(); // number of a request -> the request and its promise's ends
    this.requests = 0;
    this.worker = new Worker(URL.createObjectURL(new Blob([decoderScript], { type: 'text/javascript' })));
    this.worker.onmessage = ({ data: { number, sections, trouble } }) => {
      const { resolve, reject } = this.waiting.get(number);
      this.waiting.delete(number);
      if (trouble) reject(new Error(trouble)); else resolve(sections);
    };
    this.worker.onerror = () => {
      this.worker = null;
      for (const { request, resolve } of this.waiting.values()) resolve(answer(request));
    };
  }
  ask(request) {
    if (!this.worker) return answer(request);
    const number = this.requests++;
    this.worker.postMessage({ number, ...request });
    return new Promise((resolve, reject) => this.waiting.set(number, { request, resolve, reject }));
  }
  fetch(path) { return this.ask({ address: new URL(path, location.href).href }); }
  decode(text) { return this.ask({ text }); }
}

/** Asks for about this many bytes of states at once. */
const bytesPerRequest = 6e6;

class ServerSource {
  async open() {
    this.canGrow = true;
    this.decoder = new Decoder();
    const model = await this.decoder.fetch('/model');
    this.framesPerPart = Math.max(1, Math.min(50, Math.floor(bytesPerRequest / (44 * model.body_kind.length + 1))));
    return model;
  }
  extent() { return fetched('/extent').then(response => response.json()); }
  times(first) { return this.decoder.fetch(`/times?first=${first}`); }
  steps(first) { return this.decoder.fetch(`/steps?first=${first}`); }
  frames(part, count, contacts) {
    return this.decoder.fetch(`/frames?first=${part * this.framesPerPart}&count=${count}&contacts=${contacts ? 1 : 0}`);
  }
}

class EmbeddedSource {
  async open() {
    this.decoder = new Decoder();
    this.canGrow = false;
    const model = await this.section('model');
    this.allTimes = await this.section('times');
    this.first = await this.section('frames-0');
    this.framesPerPart = this.first.times.length;
    return model;
  }
  section(name) { return this.decoder.decode(document.getElementById(`talus-${name}`).textContent); }
  async extent() { return { frames: this.allTimes.times.length, steps: 0, growing: false }; }
  async times(first) { return { times: this.allTimes.times.subarray(first) }; }
  steps() { return this.section('steps'); }
  async frames(part) { return part === 0 ? this.first : this.section(`frames-${part}`); }
}

export const openSource = () => document.getElementById('talus-model') ? new EmbeddedSource() : new ServerSource();
