// The directions of the axes of the world, in a corner.

import * as THREE from 'three';

const axes = [['x', '#c8453b', '#ff8a80'], ['y', '#23803f', '#6fd28d'], ['z', '#2563c4', '#86b5ff']];

/** Draws into a small canvas; does nothing while the camera has not turned. */
export class Compass {
  constructor(canvas) { Object.assign(this, { canvas, seen: '' }); }

  draw(camera, theme) {
    const key = `${camera.quaternion.toArray().map(x => x.toFixed(3))} ${theme}`;
    if (key === this.seen) return;
    this.seen = key;
    const ratio = Math.min(2, window.devicePixelRatio || 1), size = 64, middle = size / 2;
    this.canvas.width = this.canvas.height = size * ratio;
    const context = this.canvas.getContext('2d');
    context.scale(ratio, ratio);
    drawAxes(context, camera, theme, middle, middle, 22);
  }
}

/** Three lines with their letters around a point; those that point away from the viewer first. */
export function drawAxes(context, camera, theme, x, y, length) {
  const back = camera.quaternion.clone().invert();
  const ends = axes.map(([name, light, dark], k) => ({ name, colour: theme === 'dark' ? dark : light, at: new THREE.Vector3().setComponent(k, 1).applyQuaternion(back) }));
  context.lineWidth = length / 10;
  context.lineCap = 'round';
  context.font = `600 ${length / 2}px system-ui, "DejaVu Sans", sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { name, colour, at } of ends.sort((a, b) => a.at.z - b.at.z)) {
    context.strokeStyle = context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + length * at.x, y - length * at.y);
    context.stroke();
    context.fillText(name, x + (length + length / 3) * at.x, y - (length + length / 3) * at.y);
  }
}
