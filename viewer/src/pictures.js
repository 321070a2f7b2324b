// For `talus render`: draws chosen times at a chosen size and hands the pictures to the server.

const element = id => document.getElementById(id);

async function frameAt(viewer, time) {
  for (let wait = 0; wait < 6000; wait++) {
    const frame = viewer.show(time);
    if (frame && (!viewer.wantsContacts || frame.contacts || wait > 200)) return frame;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  throw new Error(`no frame arrived for time ${time}`);
}

/** The scene with the time written on it. */
function labelled(scene, time, ratio, theme) {
  const canvas = Object.assign(document.createElement('canvas'), { width: scene.width, height: scene.height });
  const context = canvas.getContext('2d');
  context.drawImage(scene, 0, 0);
  context.font = `${18 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
  context.fillStyle = theme === 'dark' ? '#e6eaee' : '#1d2329';
  context.textAlign = 'right';
  context.fillText(`t = ${time.toFixed(2)} s`, canvas.width - 22 * ratio, canvas.height - 20 * ratio);
  return canvas;
}

async function drawAll(options, viewer, controls) {
  const number = name => Number(options.get(name));
  const width = number('width'), height = number('height');
  const from = number('from'), to = number('to'), count = number('render');
  viewer.stage.resize(width, height, 1);
  controls.setPreset(options.get('camera') ?? 'iso');
  for (let k = 0; k < count; k++) {
    const time = count === 1 ? from : from + ((to - from) * k) / (count - 1);
    await frameAt(viewer, time);
    viewer.stage.update();
    viewer.draw();
    const canvas = options.get('label') === '0' ? element('scene') : labelled(element('scene'), time, height / 720, controls.theme);
    const picture = await new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
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
