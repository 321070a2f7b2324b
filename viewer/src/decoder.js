// Runs beside the page, as a worker: fetches parts of a run, or takes their text from the page, and turns them into arrays,
// so that neither interrupts playing.

import { fetchPackage, unpackEmbedded } from './package.js';

self.onmessage = async ({ data: { number, address, text } }) => {
  try {
    const sections = address ? await fetchPackage(address) : await unpackEmbedded(text);
    const buffers = Object.values(sections).filter(ArrayBuffer.isView).map(array => array.buffer);
    self.postMessage({ number, sections }, [...new Set(buffers)]);
  } catch (error) {
    self.postMessage({ number, trouble: error.message });
  }
};
