// Where bodies are between two frames, on the graphics card: textures hold the frames on either side of the present time,
// and vertex shaders blend them. A frame is uploaded once, however many pictures are drawn between it and the next, and as
// it came: nothing is computed per body in JavaScript.

import * as THREE from 'three';

const bodiesPerRow = 1024;

/** A texture with a texel of `width` numbers for every body. */
function bodyTexture(bodies, Numbers, width, format, type, internalFormat) {
  const rows = Math.max(1, Math.ceil(bodies / bodiesPerRow));
  const texture = new THREE.DataTexture(new Numbers(width * bodiesPerRow * rows), bodiesPerRow, rows, format, type);
  texture.internalFormat = internalFormat;
  return texture;
}

/** A frame: positions, quaternions (w, x, y, z in 16 bits), and the values to colour by, if there are any. */
class FrameTextures {
  constructor(bodies) {
    this.places = bodyTexture(bodies, Float32Array, 3, THREE.RGBFormat, THREE.FloatType, 'RGB32F');
    this.turns = bodyTexture(bodies, Int16Array, 4, THREE.RGBAIntegerFormat, THREE.ShortType, 'RGBA16I');
    this.values = bodyTexture(bodies, Float32Array, 1, THREE.RedFormat, THREE.FloatType, 'R32F');
    this.key = null;
  }
  fill(frame, values) {
    const put = (texture, numbers) => { texture.image.data.set(numbers); texture.needsUpdate = true; };
    put(this.places, frame.position);
    put(this.turns, frame.orientation);
    if (values) put(this.values, values);
  }
}

export class Motion {
  constructor(bodies) {
    this.sides = [new FrameTextures(bodies), new FrameTextures(bodies)];
    this.colours = bodyTexture(bodies, Uint8Array, 4, THREE.RGBAFormat, THREE.UnsignedByteType, null);
    this.colours.colorSpace = THREE.SRGBColorSpace;
    this.uniforms = {
      placesA: { value: null }, turnsA: { value: null }, valuesA: { value: null },
      placesB: { value: null }, turnsB: { value: null }, valuesB: { value: null }, blend: { value: 0 },
      bodyColours: { value: this.colours }, colourScale: { value: null }, valueRange: { value: 0 },
      selectedBody: { value: -1 }, sectionPlane: { value: new THREE.Vector4() }, sectionOn: { value: 0 },
    };
    this.connect();
  }

  connect() {
    for (const [side, letter] of [[this.sides[0], 'A'], [this.sides[1], 'B']])
      for (const part of ['places', 'turns', 'values']) this.uniforms[part + letter].value = side[part];
  }

  /** `keys` tell whether a side already holds its frame (with the values it is coloured by). */
  show(keyA, frameA, valuesA, keyB, frameB, valuesB, blend) {
    let [a, b] = this.sides;
    if (a.key !== keyA && b.key === keyA) [a, b] = [b, a];
    this.sides = [a, b];
    if (a.key !== keyA) { a.fill(frameA, valuesA); a.key = keyA; }
    if (b.key !== keyB) { b.fill(frameB, valuesB); b.key = keyB; }
    this.connect();
    this.uniforms.blend.value = blend;
  }

  /** Colours that do not change with time: rgb of every body, 0 to 255. */
  setColours(rgb) {
    const { data } = this.colours.image;
    for (let i = 0; i < rgb.length / 3; i++) data.set(rgb.subarray(3 * i, 3 * i + 3), 4 * i);
    this.colours.needsUpdate = true;
  }
}

/** Attributes: `body` always; the place of instanced shapes on their body. */
const declarations = `
uniform highp sampler2D placesA, placesB, valuesA, valuesB, bodyColours, colourScale;
uniform highp isampler2D turnsA, turnsB;
uniform float blend, valueRange, selectedBody, sectionOn;
uniform vec4 sectionPlane;
attribute float body;
#ifdef PLACED
attribute vec3 shapePosition, shapeSize;
attribute vec4 shapeRotation;
#endif
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 turnedBack(vec4 q, vec3 v) { return turned(vec4(-q.xyz, q.w), v); }
ivec2 texel() {
  int i = int(body + 0.5);
  return ivec2(i % ${bodiesPerRow}, i / ${bodiesPerRow});
}
vec3 bodyPlace() { return mix(texelFetch(placesA, texel(), 0).xyz, texelFetch(placesB, texel(), 0).xyz, blend); }
vec4 bodyTurn() {
  vec4 a = vec4(texelFetch(turnsA, texel(), 0).yzwx), b = vec4(texelFetch(turnsB, texel(), 0).yzwx);
  if (a == vec4(0.0)) return a; // removed
  return normalize(mix(a, dot(a, b) < 0.0 ? -b : b, blend));
}
vec3 colourNow() {
  float value = -1.0;
  if (valueRange > 0.0) value = mix(texelFetch(valuesA, texel(), 0).x, texelFetch(valuesB, texel(), 0).x, blend);
  if (value < 0.0) return texelFetch(bodyColours, texel(), 0).rgb;
  return texture2D(colourScale, vec2(clamp(value / valueRange, 0.0, 1.0) * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
}
varying vec3 bodyColour;
varying vec3 patternPoint;
`;

/** Sets `movedNormal` and `movedPoint` in world coordinates. */
const movement = `
  vec3 place = bodyPlace();
  vec4 turn = bodyTurn();
  bodyColour = colourNow();
  patternPoint = vec3(0.0);
#ifdef PLACED
  vec3 centre = place + turned(turn, shapePosition);
#endif
#if defined(BALL)
  // A cap that always looks at the camera: half the triangles, and a round outline with few of them.
  vec3 away = transpose(mat3(viewMatrix)) * vec3(0.0, 0.0, 1.0);
  if (projectionMatrix[3][3] == 0.0) away = normalize(-transpose(mat3(viewMatrix)) * viewMatrix[3].xyz - centre);
  vec3 side = normalize(cross(abs(away.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), away));
  vec3 movedNormal = mat3(side, cross(away, side), away) * position;
  // A section leaves balls whole or takes them away; a cap that is cut open would have no inside.
  float cut = sectionOn > 0.5 && dot(centre, sectionPlane.xyz) + sectionPlane.w < 0.0 ? 0.0 : 1.0;
  vec3 movedPoint = centre + cut * shapeSize.x * movedNormal;
  patternPoint = turnedBack(turn, movedNormal);
#elif defined(PLACED)
  vec3 movedNormal = turned(turn, turned(shapeRotation, normalize(normal / shapeSize)));
  vec3 movedPoint = centre + turned(turn, turned(shapeRotation, shapeSize * position));
#else
  vec3 movedNormal = turned(turn, normal);
  vec3 movedPoint = place + turned(turn, position);
#endif
  if (turn == vec4(0.0)) movedPoint = place; // a removed body is a point, which is not drawn
`;

const fragmentColour = `
#ifdef BALL
  // Eight patches of two tones, so that one sees a ball turn.
  vec3 edge = smoothstep(vec3(-1.0), vec3(1.0), patternPoint / (fwidth(patternPoint) + 1e-6)) * 2.0 - 1.0;
  diffuseColor.rgb *= 1.0 - 0.13 * patternStrength * (0.5 + 0.5 * edge.x * edge.y * edge.z);
#endif
`;

/** Lets a material of three.js draw moving bodies. `kind`: 'ball', 'placed' (instanced) or 'merged'. */
export function moving(material, motion, kind, patternStrength = 0) {
  material.defines = { ...material.defines, ...(kind !== 'merged' && { PLACED: '' }), ...(kind === 'ball' && { BALL: '' }) };
  material.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, motion.uniforms, { patternStrength: { value: patternStrength } });
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${declarations}`)
      .replace('void main() {', `void main() {\n${movement}\nbodyColour = body == selectedBody ? mix(bodyColour, vec3(1.0, 0.62, 0.08), 0.75) : bodyColour;`)
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = movedNormal;')
      .replace('#include <begin_vertex>', 'vec3 transformed = movedPoint;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 bodyColour, patternPoint;\nuniform float patternStrength;')
      .replace('#include <color_fragment>', `#include <color_fragment>\n  diffuseColor.rgb *= bodyColour;\n${fragmentColour}`);
  };
  material.customProgramCacheKey = () => `moving ${kind}`;
  return material;
}
