// Palettes: quiet colours for bodies and materials, a perceptually even scale for values.

import * as THREE from 'three';

/** Hues of Okabe and Ito (2008), quieter: told apart with any kind of colour vision, legible on light and dark grounds. */
const palette = ['#3d7fb8', '#e0a145', '#3a9c80', '#cc6a48', '#8ec3e6', '#b87fa6', '#d9cb6a', '#6f7f90']
  .map(text => new THREE.Color(text));
const fixedColour = new THREE.Color('#a3acb7'), kinematicColour = new THREE.Color('#7e93ad');

/** Control points of a scale from slate blue over green to a warm yellow; lightness grows evenly. */
const scalePoints = ['#4a5aa0', '#3f83b5', '#43aaa0', '#86c47c', '#d3d266', '#ffd75e'];

export function scaleColours() {
  const colours = scalePoints.map(text => new THREE.Color(text));
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (colours.length - 1), k = Math.min(Math.floor(at), colours.length - 2);
    return colours[k].clone().lerp(colours[k + 1], at - k);
  });
}

const bytes = colour => {
  const hex = colour.getHex(THREE.SRGBColorSpace);
  return [hex >> 16, (hex >> 8) & 255, hex & 255];
};

export function scaleTexture() {
  const data = new Uint8Array(4 * 256);
  scaleColours().forEach((colour, i) => data.set([...bytes(colour), 255], 4 * i));
  const texture = new THREE.DataTexture(data, 256, 1);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export function drawScale(canvas) {
  const context = canvas.getContext('2d');
  scaleColours().forEach((colour, i) => { context.fillStyle = `#${colour.getHexString()}`; context.fillRect(i, 0, 1, 1); });
}

/** Bodies whose names differ in numbers only belong together: "shoe 12" and "shoe 13". Returns the group of each, and how many there are. */
function groupsOf(names) {
  const numbers = new Map();
  const group = names.map(name => {
    const stem = name.replace(/\d+/g, '#');
    if (!numbers.has(stem)) numbers.set(stem, numbers.size);
    return numbers.get(stem);
  });
  return { group, count: numbers.size };
}

/** Lightness of neighbours in a group differs a little, so that one sees where one ends. */
const tints = [0, 0.05, -0.045];

/** A hue for each group with tints for its bodies; a hue for each body where there are few, or one group of few. */
function ownColours(model) {
  const { group, count } = groupsOf(model.names), single = model.bodies <= palette.length || (count <= 3 && model.bodies <= 40);
  return model.names.map((_, i) => single ? palette[i % palette.length]
    : palette[group[i] % palette.length].clone().offsetHSL(0, 0, tints[i % tints.length]));
}

export function bodyColours(model, by) {
  const rgb = new Uint8Array(3 * model.bodies), own = by === 'material' ? null : ownColours(model);
  for (let i = 0; i < model.bodies; i++) {
    let colour = own ? own[i] : palette[model.bodyMaterial[i] % palette.length];
    if (model.body_kind[i] === 1 && own) colour = fixedColour;
    if (model.body_kind[i] === 2 && own) colour = kinematicColour;
    rgb.set(bytes(colour), 3 * i);
  }
  return rgb;
}
