// For `talus render`: draws chosen times at a chosen size and hands the pictures to the server.

import { labelled } from './labels.js';

const element = id => document.getElementById(id);

async function frameAt(viewer, time) {
  for (let wait = 0; wait < 6000; wait++) {
    const frame = viewer.show(time);
    if (frame && (!viewer.wantsContacts || frame.contacts || wait > 200)) return frame;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  throw new Error(`no frame arrived for time ${time}`);
}

async function drawAll(options, viewer, controls) {
  const number = name => Number(options.get(name));
  const width = number('width'), height = number('height');
  const from = number('from'), to = number('to'), count = number('render');
  viewer.stage.resize(width, height, 1);
  if (viewer.stage.isSoftware) { // films have many pictures: coarser shadows and edges
    viewer.stage.setShadows(count === 1 ? 1024 : 512);
    viewer.stage.shade.samples = count === 1 ? 4 : 2;
  }
  controls.setPreset(options.get('camera') ?? 'iso');
  viewer.stage.zoom(number('zoom') || 1);
  const orbit = number('orbit');
  if (count === 1) viewer.stage.turn(orbit);
  for (let k = 0; k < count; k++) {
    const time = count === 1 ? from : from + ((to - from) * k) / (count - 1);
    await frameAt(viewer, time);
    if (k > 0) viewer.stage.turn(orbit / (count - 1));
    viewer.stage.update();
    viewer.draw();
    const canvas = options.get('label') === '0' ? element('scene') : labelled(element('scene'), controls.labels(time));
    // Not toBlob(), which waits until the browser is idle; and the server's page may not fetch data addresses.
    const letters = atob(canvas.toDataURL('image/png').split(',')[1]);
    const picture = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    const answer = await fetch(`/picture?number=${k}`, { method: 'POST', body: picture });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

export async function renderPictures(options, viewer, controls) {
  try {
    await drawAll(options, viewer, controls);
  } catch (error) {
    await fetch('/trouble', { method: 'POST', body: error.message });
  }
}
