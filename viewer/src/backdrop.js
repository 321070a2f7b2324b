// What is behind everything: a quiet gradient, lighter where the horizon is.

import * as THREE from 'three';

/** The colour that becomes this one under three.js' neutral tone mapping, which darkens the shades. */
function beforeToneMapping(text) {
  const colour = new THREE.Color(text), least = Math.min(colour.r, colour.g, colour.b);
  const offset = (least >= 0.04 ? least + 0.04 : Math.sqrt(least / 6.25)) - least;
  return colour.setRGB(colour.r + offset, colour.g + offset, colour.b + offset);
}

export class Backdrop {
  constructor() {
    this.uniforms = { top: { value: new THREE.Color() }, bottom: { value: new THREE.Color() } };
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({
      uniforms: this.uniforms, depthTest: false, depthWrite: false,
      vertexShader: 'varying float height; void main() { height = uv.y; gl_Position = vec4(position.xy, 1.0, 1.0); }',
      fragmentShader: `varying float height; uniform vec3 top, bottom;
        void main() { gl_FragColor = vec4(mix(bottom, top, smoothstep(0.25, 1.0, height)), 1.0);
        #include <tonemapping_fragment>
        #include <colorspace_fragment>
        }`,
    }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
  }
  setColours(top, bottom) {
    this.uniforms.top.value.copy(beforeToneMapping(top));
    this.uniforms.bottom.value.copy(beforeToneMapping(bottom));
  }
}
