// The server of `talus play`: its model, its newest state, and what one can ask of it.

import { fetched, unpack } from './package.js';

export class Session {
  constructor() {
    this.token = new URLSearchParams(location.search).get('token') ?? '';
    this.seen = 0;
    this.onTrouble = () => {};
  }
  get headers() { return { 'X-Talus-Token': this.token }; }

  async model() {
    const response = await fetched('/model', { headers: this.headers });
    this.revision = Number(response.headers.get('X-Talus-Revision'));
    return unpack(await response.arrayBuffer());
  }

  /** The newest state, as soon as there is one after the last. */
  async state() {
    const response = await fetched(`/state?seen=${this.seen}`, { headers: this.headers });
    const sections = unpack(await response.arrayBuffer());
    sections.info = JSON.parse(sections.info);
    const isNew = sections.info.number !== this.seen;
    this.seen = sections.info.number;
    return isNew ? sections : null;
  }

  async ask(what) {
    try {
      await fetched('/ask', { method: 'POST', headers: this.headers, body: JSON.stringify(what) });
    } catch (error) {
      this.onTrouble(error.message);
    }
  }
}
