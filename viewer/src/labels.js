// What a picture says besides showing the scene: the time, the scale of colours, lengths of arrows, the grid. The page has
// these as text beside its scene; pictures and films have them drawn in.

import { scaleColours } from './colours.js';

const inks = { light: { text: '#1d2329', soft: '#4a545f' }, dark: { text: '#e6eaee', soft: '#a9b3bd' } };

/** A copy of the scene with its labels; sizes are those of a picture 720 pixels tall. `scalesFor(height)`: bars for arrows. */
export function labelled(scene, { time, legend, scalesFor, grid, theme }, target) {
  const canvas = target ?? document.createElement('canvas');
  if (canvas.width !== scene.width || canvas.height !== scene.height) Object.assign(canvas, { width: scene.width, height: scene.height });
  const context = canvas.getContext('2d'), unit = Math.max(0.55, Math.min(canvas.height / 720, canvas.width / 800)), ink = inks[theme];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(scene, 0, 0);
  context.scale(unit, unit);
  const wide = canvas.width / unit, tall = canvas.height / unit;
  const write = (text, x, y, align, colour, size) => {
    context.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
    context.textAlign = align;
    context.fillStyle = colour;
    context.fillText(text, x, y);
  };
  if (time !== undefined) write(`t = ${time.toFixed(2)} s`, wide - 22, tall - 22, 'right', ink.text, 19);
  if (grid) write(grid, wide - 22, tall - 46, 'right', ink.soft, 15);
  let y = tall - 22;
  if (legend) {
    const length = 230;
    write('0', 22, y, 'left', ink.soft, 15);
    write(legend.high, 22 + length, y, 'right', ink.soft, 15);
    const colours = scaleColours();
    for (let i = 0; i < length; i++) {
      context.fillStyle = `#${colours[Math.floor((255 * i) / length)].getHexString()}`;
      context.fillRect(22 + i, y - 28, 1.5, 10);
    }
    write(legend.title, 22, y - 36, 'left', ink.text, 16);
    y -= 66;
  }
  for (const { colour, text, wide: length, tall: thick } of scalesFor(tall).reverse()) {
    context.fillStyle = colour;
    context.fillRect(22, y - 6 - (thick ?? 3) / 2, length, thick ?? 3);
    write(text, 30 + length, y, 'left', ink.text, 16);
    y -= 24;
  }
  return canvas;
}
