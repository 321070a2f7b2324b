// Ground: half-spaces of the scene, and a faint floor below everything where there is none. A grid of round lengths
// gives the scale; both fade into the background.

import * as THREE from 'three';
import { Shape } from './model.js';
import { shapeFrame } from './bodies.js';

/** 1, 2 or 5 times a power of ten. */
export function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return [1, 2, 5, 10].find(factor => factor * power >= length * 0.999) * power;
}

function gridMaterial(cell, fade) {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.95, transparent: true, side: THREE.DoubleSide });
  material.gridUniforms = { cell: { value: cell }, fade: { value: fade }, lineColour: { value: new THREE.Color() } };
  material.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, material.gridUniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 gridPoint;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\ngridPoint = position.xy;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        varying vec2 gridPoint;
        uniform float cell, fade;
        uniform vec3 lineColour;
        float lines(float size, float width) {
          vec2 at = gridPoint / size, pixel = fwidth(at);
          vec2 gap = abs(fract(at - 0.5) - 0.5) / pixel;
          float near = 1.0 - clamp(min(gap.x, gap.y) - width + 1.0, 0.0, 1.0);
          return near * (1.0 - smoothstep(0.15, 0.45, max(pixel.x, pixel.y)));
        }`)
      .replace('#include <color_fragment>', `#include <color_fragment>
        diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, max(0.3 * lines(cell, 1.0), 0.6 * lines(5.0 * cell, 1.2)));
        diffuseColor.a *= 1.0 - smoothstep(0.35 * fade, fade, length(gridPoint));`);
  };
  return material;
}

export class Floor {
  constructor(bounds, up) {
    this.bounds = bounds;
    this.up = up;
    this.cell = roundLength(bounds.radius / 8);
    this.group = new THREE.Group();
    this.planes = []; // of half-spaces: {mesh, body, local}
    this.materials = [];
  }

  /** Plates for the half-spaces; below everything when none of them faces up. */
  build(model, lowest) {
    let hasGround = false;
    for (let s = 0; s < model.shapes; s++) {
      if (model.shape_kind[s] !== Shape.halfSpace) continue;
      const frame = shapeFrame(model, s);
      const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(...frame.rotation));
      const facing = normal.dot(this.up);
      if (facing > 0.9) hasGround = true;
      const mesh = this.plate(facing > 0.25 ? (facing > 0.97 ? 9 : 2.2) : 1.4);
      if (facing <= 0.25) {
        Object.assign(mesh.material, { opacity: 0.16, depthWrite: false });
        mesh.receiveShadow = false; // variance shadow maps let what receives shadows cast them too
      }
      const local = new THREE.Matrix4().compose(new THREE.Vector3(...frame.position), new THREE.Quaternion(...frame.rotation), new THREE.Vector3(1, 1, 1));
      this.planes.push({ mesh, body: model.shape_body[s], local });
    }
    if (hasGround) return;
    const mesh = this.plate(9);
    const { centre } = this.bounds;
    const height = lowest - 0.01 * this.bounds.radius;
    const position = centre.clone().addScaledVector(this.up, height - centre.dot(this.up));
    mesh.matrix.compose(position, new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up), new THREE.Vector3(1, 1, 1));
  }

  plate(reach) {
    const fade = reach * this.bounds.radius;
    const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * fade, 2 * fade), gridMaterial(this.cell, fade));
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.renderOrder = -1;
    this.materials.push(mesh.material);
    this.group.add(mesh);
    return mesh;
  }

  /** Puts a plane where its body is, with the middle of the plate near the scene. */
  move(poseOf) {
    for (const { mesh, body, local } of this.planes) {
      const { position, rotation } = poseOf(body);
      mesh.matrix.compose(new THREE.Vector3(...position), new THREE.Quaternion(...rotation), new THREE.Vector3(1, 1, 1)).multiply(local);
      const middle = this.bounds.centre.clone().applyMatrix4(mesh.matrix.clone().invert());
      const snapped = new THREE.Matrix4().makeTranslation(...[middle.x, middle.y].map(x => Math.round(x / (5 * this.cell)) * 5 * this.cell), 0);
      mesh.matrix.multiply(snapped);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  setColours(ground, line) {
    for (const material of this.materials) {
      material.color.set(ground);
      material.gridUniforms.lineColour.value.set(line);
    }
  }
}
