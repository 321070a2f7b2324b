// Ambient occlusion: corners and gaps between bodies are darker, because less of the sky reaches them. The scene is drawn
// into a texture; the shade follows from its depths, at half the resolution; both are put together on the screen.
//
// After McGuire, Mara and Luebke (2012), Scalable Ambient Obscurance: with samples q_i on a disk of radius R around a
// point p with normal n, and v_i = q_i − p,
//     light = max(0, 1 − strength / (R⁶ count) Σ max(0, R² − v_i·v_i)³ max(0, v_i·n − bias) / (v_i·v_i + ε)).

import * as THREE from 'three';
import { FullScreenQuad } from 'three/addons/postprocessing/Pass.js';

const vertexShader = 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
const depthFunctions = `
uniform highp sampler2D depths;
uniform vec2 pixel; // size of a texel of the depths
uniform mat4 unproject;
float depthAt(vec2 point) { return texelFetch(depths, clamp(ivec2(point / pixel), ivec2(0), textureSize(depths, 0) - 1), 0).x; }
// Of the texel around a point, seen through its own middle: a flat floor must stay flat.
vec3 placeAt(vec2 point) {
  vec4 place = unproject * vec4(2.0 * vec3((floor(point / pixel) + 0.5) * pixel, depthAt(point)) - 1.0, 1.0);
  return place.xyz / place.w;
}`;

const shadeShader = `
varying vec2 at;
uniform float reach, tall; // R; pixels of a length 1 at distance 1
uniform float strength;
${depthFunctions}
// The nearer neighbour on either side, so that edges keep their normals.
vec3 slope(vec2 at, vec3 here, vec2 step) {
  vec3 on = placeAt(at + step) - here, back = here - placeAt(at - step);
  return abs(on.z) < abs(back.z) ? on : back;
}
void main() {
  // The middle of a texel of the shade is a corner of texels of the depths: one of them is meant, or rounding takes either.
  vec2 middle = (floor(at / pixel + 0.25) + 0.5) * pixel;
  vec3 here = placeAt(middle);
  float radius = reach * tall / -here.z;
  if (depthAt(middle) == 1.0 || radius < 1.5) { gl_FragColor = vec4(1.0, here.z, 0.0, 1.0); return; }
  radius = min(radius, 160.0);
  vec3 normal = normalize(cross(slope(middle, here, vec2(pixel.x, 0.0)), slope(middle, here, vec2(0.0, pixel.y))));
  // Another spiral in each of 4 x 4 pixels, over which the blur afterwards averages.
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float turn = 6.2832 * fract(float(cell.x + 4 * cell.y) * 7.0 / 16.0), start = fract(float(4 * cell.x + cell.y) * 11.0 / 16.0 + 0.03125);
  float sum = 0.0, R2 = reach * reach;
  for (int i = 0; i < 14; i++) {
    float along = (float(i) + start) / 14.0, angle = turn + along * 6.2832 * 5.0;
    vec3 apart = placeAt(middle + along * radius * vec2(cos(angle), sin(angle)) * pixel) - here;
    float squared = dot(apart, apart), open = max(R2 - squared, 0.0);
    sum += open * open * open * max(dot(apart, normal) - 0.012 * reach - 0.0004 * -here.z, 0.0) / (squared + 0.0004 * R2);
  }
  gl_FragColor = vec4(max(0.0, 1.0 - strength * sum * reach / (R2 * R2 * R2 * 14.0)), here.z, 0.0, 1.0);
}`;

const finishShader = `
varying vec2 at;
uniform sampler2D scene, shade;
uniform vec2 shadePixel;
uniform float reach;
${depthFunctions}
void main() {
  // Only texels about as far away count, or shade would leak over outlines.
  float here = placeAt(at).z, sum = 0.0, weights = 1e-4;
  for (int x = 0; x < 4; x++) for (int y = 0; y < 4; y++) {
    vec2 there = texture2D(shade, at + (vec2(float(x), float(y)) - 1.5) * shadePixel).xy; // light and depth
    float weight = max(0.0, 1.0 - abs(there.y - here) / (0.5 * reach));
    sum += weight * there.x;
    weights += weight;
  }
  vec3 colour = texture2D(scene, at).rgb;
  float light = weights > 0.01 ? sum / weights : 1.0;
  // Bright colours throw light into their own corners.
  gl_FragColor = vec4(colour * mix(vec3(light), vec3(1.0), 0.25 * colour * (1.0 - light)), 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

export class Shade {
  constructor(renderer, reach) {
    this.renderer = renderer;
    this.samples = 4; // in a pixel, for smooth edges
    this.uniforms = {
      depths: { value: null }, unproject: { value: new THREE.Matrix4() }, pixel: { value: new THREE.Vector2() }, reach: { value: reach }, tall: { value: 1 },
      strength: { value: 6.5 }, scene: { value: null }, shade: { value: null }, shadePixel: { value: new THREE.Vector2() },
    };
    const quad = (fragmentShader, toneMapped) => new FullScreenQuad(new THREE.ShaderMaterial({
      uniforms: this.uniforms, vertexShader, fragmentShader, depthTest: false, depthWrite: false, toneMapped }));
    this.darken = quad(shadeShader, false);
    this.finish = quad(finishShader, true);
  }

  resize() {
    const size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    if (this.target?.width === size.x && this.target?.height === size.y) return;
    this.target?.dispose();
    this.target?.depthTexture.dispose();
    this.half?.dispose();
    this.target = new THREE.WebGLRenderTarget(size.x, size.y, { type: THREE.HalfFloatType, samples: this.samples });
    this.target.depthTexture = new THREE.DepthTexture(size.x, size.y, THREE.UnsignedIntType);
    const wide = Math.ceil(size.x / 2), tall = Math.ceil(size.y / 2);
    this.half = new THREE.WebGLRenderTarget(wide, tall, { depthBuffer: false, type: THREE.HalfFloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
    this.uniforms.depths.value = this.target.depthTexture;
    this.uniforms.scene.value = this.target.texture;
    this.uniforms.shade.value = this.half.texture;
    this.uniforms.pixel.value.set(1 / size.x, 1 / size.y);
    this.uniforms.shadePixel.value.set(1 / wide, 1 / tall);
  }

  /** Draws the scene with its shade to the screen. */
  draw(scene, camera) {
    const { renderer, uniforms } = this;
    this.resize();
    uniforms.unproject.value.copy(camera.projectionMatrixInverse);
    uniforms.tall.value = 0.5 * this.target.height * camera.projectionMatrix.elements[5];
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(this.half);
    this.darken.render(renderer);
    renderer.setRenderTarget(null);
    this.finish.render(renderer);
  }
}
