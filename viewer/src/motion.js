// Where bodies are between two frames, on the graphics card: two textures hold the frames on either side of the
// present time, and vertex shaders blend them. A frame is uploaded once, however many pictures are drawn between it
// and the next, and nothing is computed per body in JavaScript.

import * as THREE from 'three';

const bodiesPerRow = 1024;

/** Two texels per body: (position, value to colour by) and (quaternion x, y, z, w). */
class FrameTexture {
  constructor(bodies) {
    const height = Math.max(1, Math.ceil(bodies / bodiesPerRow));
    this.data = new Float32Array(4 * 2 * bodiesPerRow * height);
    this.texture = new THREE.DataTexture(this.data, 2 * bodiesPerRow, height, THREE.RGBAFormat, THREE.FloatType);
    this.key = null;
  }
  fill(frame, values) {
    const { data } = this;
    const n = frame.position.length / 3;
    for (let i = 0; i < n; i++) {
      const at = 8 * i;
      data[at] = frame.position[3 * i];
      data[at + 1] = frame.position[3 * i + 1];
      data[at + 2] = frame.position[3 * i + 2];
      data[at + 3] = values ? values[i] : 0;
      data[at + 4] = frame.orientation[4 * i + 1] / 32767;
      data[at + 5] = frame.orientation[4 * i + 2] / 32767;
      data[at + 6] = frame.orientation[4 * i + 3] / 32767;
      data[at + 7] = frame.orientation[4 * i] / 32767;
    }
    this.texture.needsUpdate = true;
  }
}

export class Motion {
  constructor(bodies) {
    this.sides = [new FrameTexture(bodies), new FrameTexture(bodies)];
    const height = Math.max(1, Math.ceil(bodies / bodiesPerRow));
    this.colourData = new Uint8Array(4 * bodiesPerRow * height).fill(255);
    this.colours = new THREE.DataTexture(this.colourData, bodiesPerRow, height);
    this.colours.colorSpace = THREE.SRGBColorSpace;
    this.uniforms = {
      frameA: { value: this.sides[0].texture }, frameB: { value: this.sides[1].texture }, blend: { value: 0 },
      bodyColours: { value: this.colours }, colourScale: { value: null }, valueRange: { value: 0 },
      selectedBody: { value: -1 },
    };
  }

  /** `keys` tell whether a side already holds its frame (with the values it is coloured by). */
  show(keyA, frameA, valuesA, keyB, frameB, valuesB, blend) {
    let [a, b] = this.sides;
    if (a.key !== keyA && b.key === keyA) [a, b] = [b, a];
    this.sides = [a, b];
    if (a.key !== keyA) { a.fill(frameA, valuesA); a.key = keyA; }
    if (b.key !== keyB) { b.fill(frameB, valuesB); b.key = keyB; }
    this.uniforms.frameA.value = a.texture;
    this.uniforms.frameB.value = b.texture;
    this.uniforms.blend.value = blend;
  }

  /** Colours that do not change with time: rgb of every body, 0 to 255. */
  setColours(rgb) {
    for (let i = 0; i < rgb.length / 3; i++) this.colourData.set(rgb.subarray(3 * i, 3 * i + 3), 4 * i);
    this.colours.needsUpdate = true;
  }
}

/** Attributes: `body` always; the place of instanced shapes on their body. */
const declarations = `
uniform highp sampler2D frameA, frameB, bodyColours, colourScale;
uniform float blend, valueRange, selectedBody;
attribute float body;
#ifdef PLACED
attribute vec3 shapePosition, shapeSize;
attribute vec4 shapeRotation;
#endif
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 turnedBack(vec4 q, vec3 v) { return turned(vec4(-q.xyz, q.w), v); }
vec4 texelOf(highp sampler2D frame, int part) {
  int i = int(body + 0.5);
  return texelFetch(frame, ivec2(2 * (i % ${bodiesPerRow}) + part, i / ${bodiesPerRow}), 0);
}
vec4 bodyPlace() { return mix(texelOf(frameA, 0), texelOf(frameB, 0), blend); }
vec4 bodyTurn() {
  vec4 a = texelOf(frameA, 1), b = texelOf(frameB, 1);
  return normalize(mix(a, dot(a, b) < 0.0 ? -b : b, blend));
}
vec3 colourOf(float value) {
  int i = int(body + 0.5);
  if (valueRange <= 0.0 || value < 0.0) return texelFetch(bodyColours, ivec2(i % ${bodiesPerRow}, i / ${bodiesPerRow}), 0).rgb;
  return texture2D(colourScale, vec2(clamp(value / valueRange, 0.0, 1.0) * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
}
varying vec3 bodyColour;
varying vec3 patternPoint;
`;

/** Sets `movedNormal` and `movedPoint` in world coordinates. */
const movement = `
  vec4 place = bodyPlace(), turn = bodyTurn();
  bodyColour = colourOf(place.w);
  patternPoint = vec3(0.0);
#ifdef PLACED
  vec3 centre = place.xyz + turned(turn, shapePosition);
#endif
#if defined(BALL)
  // A cap that always looks at the camera: half the triangles, and a round outline with few of them.
  vec3 away = transpose(mat3(viewMatrix)) * vec3(0.0, 0.0, 1.0);
  if (projectionMatrix[3][3] == 0.0) away = normalize(-transpose(mat3(viewMatrix)) * viewMatrix[3].xyz - centre);
  vec3 side = normalize(cross(abs(away.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), away));
  vec3 movedNormal = mat3(side, cross(away, side), away) * position;
  vec3 movedPoint = centre + shapeSize.x * movedNormal;
  patternPoint = turnedBack(turn, movedNormal);
#elif defined(PLACED)
  vec3 movedNormal = turned(turn, turned(shapeRotation, normalize(normal / shapeSize)));
  vec3 movedPoint = centre + turned(turn, turned(shapeRotation, shapeSize * position));
#else
  vec3 movedNormal = turned(turn, normal);
  vec3 movedPoint = place.xyz + turned(turn, position);
#endif
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
