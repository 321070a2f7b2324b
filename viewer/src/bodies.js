// All shapes of all bodies in a handful of draw calls: round shapes and boxes as instances of unit shapes, hulls and
// meshes merged into one geometry whose vertices know their body.

import * as THREE from 'three';
import { mergeVertices, toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import { Kind, Shape } from './model.js';
import { moving } from './motion.js';

/** The half of the unit sphere with z >= 0; finer when there are few balls. */
function capGeometry(balls) {
  const [rings, segments] = balls <= 300 ? [10, 40] : balls <= 5000 ? [5, 24] : balls <= 20000 ? [4, 16] : [3, 10];
  const points = [0, 0, 1], triangles = [];
  for (let ring = 1; ring <= rings; ring++) {
    const angle = (Math.PI / 2) * (ring / rings);
    for (let k = 0; k < segments; k++) {
      const turn = (2 * Math.PI * k) / segments;
      points.push(Math.sin(angle) * Math.cos(turn), Math.sin(angle) * Math.sin(turn), Math.cos(angle));
    }
  }
  const index = (ring, k) => 1 + (ring - 1) * segments + (k % segments);
  for (let k = 0; k < segments; k++) {
    triangles.push(0, index(1, k), index(1, k + 1));
    for (let ring = 1; ring < rings; ring++)
      triangles.push(index(ring, k), index(ring + 1, k), index(ring + 1, k + 1), index(ring, k), index(ring + 1, k + 1), index(ring, k + 1));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute('normal', new THREE.Float32BufferAttribute(points, 3));
  geometry.setIndex(triangles);
  return geometry;
}

const unitShapes = {
  box: () => new THREE.BoxGeometry(2, 2, 2),
  ellipsoid: () => new THREE.SphereGeometry(1, 40, 24),
  cylinder: () => new THREE.CylinderGeometry(1, 1, 2, 48, 1).rotateX(Math.PI / 2),
  tube: () => new THREE.CylinderGeometry(1, 1, 2, 48, 1, true).rotateX(Math.PI / 2),
};

/** Shapes of one form, gathered to become instances. */
class Instances {
  constructor() { this.body = []; this.position = []; this.rotation = []; this.size = []; }
  add(body, position, rotation, size) {
    this.body.push(body);
    this.position.push(...position);
    this.rotation.push(...rotation);
    this.size.push(...size);
  }
  geometry(form) {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.index = form.index;
    geometry.setAttribute('position', form.getAttribute('position'));
    if (form.getAttribute('normal')) geometry.setAttribute('normal', form.getAttribute('normal'));
    const attach = (name, numbers, width) =>
      geometry.setAttribute(name, new THREE.InstancedBufferAttribute(new Float32Array(numbers), width));
    attach('body', this.body, 1);
    attach('shapePosition', this.position, 3);
    attach('shapeRotation', this.rotation, 4);
    attach('shapeSize', this.size, 3);
    geometry.instanceCount = this.body.length;
    return geometry;
  }
}

const along = (frame, distance) => {
  const q = new THREE.Quaternion(...frame.rotation);
  const v = new THREE.Vector3(0, 0, distance).applyQuaternion(q);
  return [frame.position[0] + v.x, frame.position[1] + v.y, frame.position[2] + v.z];
};

export const shapeFrame = (model, s) => {
  const f = model.shape_frame.subarray(7 * s, 7 * s + 7);
  return { position: [f[0], f[1], f[2]], rotation: [f[4], f[5], f[6], f[3]] };
};

/** Capsules become two balls and a tube. */
function gather(model, wanted) {
  const forms = { ball: new Instances(), box: new Instances(), ellipsoid: new Instances(), cylinder: new Instances(), tube: new Instances() };
  const meshes = [];
  for (let s = 0; s < model.shapes; s++) {
    const body = model.shape_body[s], kind = model.shape_kind[s];
    if (!wanted(body)) continue;
    const frame = shapeFrame(model, s);
    const size = [...model.shape_size.subarray(3 * s, 3 * s + 3)];
    const [radius, , half] = size;
    if (kind === Shape.sphere) forms.ball.add(body, frame.position, frame.rotation, size);
    else if (kind === Shape.box) forms.box.add(body, frame.position, frame.rotation, size);
    else if (kind === Shape.ellipsoid) forms.ellipsoid.add(body, frame.position, frame.rotation, size);
    else if (kind === Shape.cylinder) forms.cylinder.add(body, frame.position, frame.rotation, size);
    else if (kind === Shape.capsule) {
      for (const end of [-half, half]) forms.ball.add(body, along(frame, end), frame.rotation, [radius, radius, radius]);
      forms.tube.add(body, frame.position, frame.rotation, size);
    } else if (kind !== Shape.halfSpace) meshes.push(s);
  }
  return { forms, meshes };
}

/** Triangles of hulls and meshes in their body frames; sharp edges stay sharp, gentle ones become smooth. */
function mergedGeometry(model, shapes) {
  const positions = [], normals = [], bodies = [], edges = [], edgeBodies = [];
  for (const s of shapes) {
    const first = 3 * model.shape_first_triangle[s], count = 3 * model.shape_triangles[s];
    const points = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) {
      const p = 3 * model.mesh_triangles[first + i];
      points.set(model.mesh_points.subarray(p, p + 3), 3 * i);
    }
    const plain = new THREE.BufferGeometry();
    plain.setAttribute('position', new THREE.BufferAttribute(points, 3));
    const smooth = toCreasedNormals(mergeVertices(plain, 1e-7), 0.5);
    for (const x of smooth.getAttribute('position').array) positions.push(x);
    for (const x of smooth.getAttribute('normal').array) normals.push(x);
    for (let i = 0; i < count; i++) bodies.push(model.shape_body[s]);
    const sharp = new THREE.EdgesGeometry(plain, 28).getAttribute('position').array;
    for (const x of sharp) edges.push(x);
    for (let i = 0; i < sharp.length / 3; i++) edgeBodies.push(model.shape_body[s]);
  }
  const make = attributes => {
    const geometry = new THREE.BufferGeometry();
    for (const [name, numbers, width] of attributes) geometry.setAttribute(name, new THREE.Float32BufferAttribute(numbers, width));
    return geometry;
  };
  return { surface: make([['position', positions, 3], ['normal', normals, 3], ['body', bodies, 1]]),
           edges: make([['position', edges, 3], ['body', edgeBodies, 1]]) };
}

export class Bodies {
  /** `glass`: bodies that are shown transparent, because others move inside them. */
  constructor(model, motion, glass) {
    this.group = new THREE.Group();
    this.solids = [];
    this.lines = [];
    this.glasses = [];
    this.motion = motion;
    this.castsShadows = model.bodies <= 30000;
    this.add(model, body => !glass.has(body), false);
    this.add(model, body => glass.has(body), true);
  }

  add(model, wanted, isGlass) {
    const { forms, meshes } = gather(model, wanted);
    const balls = forms.ball.body.length;
    const drawEdges = model.bodies <= 5000;
    for (const [form, instances] of Object.entries(forms)) {
      if (instances.body.length === 0) continue;
      const unit = form === 'ball' ? capGeometry(balls) : unitShapes[form]();
      const kind = form === 'ball' ? 'ball' : 'placed';
      this.addSurface(instances.geometry(unit), kind, isGlass, balls <= 20000 ? 1 : 0);
      if (drawEdges && (form === 'box' || form === 'cylinder'))
        this.addEdges(instances.geometry(new THREE.EdgesGeometry(unit, 28)), 'placed');
    }
    if (meshes.length === 0) return;
    const merged = mergedGeometry(model, meshes);
    this.addSurface(merged.surface, 'merged', isGlass, 0);
    if (drawEdges) this.addEdges(merged.edges, 'merged');
  }

  addSurface(geometry, kind, isGlass, pattern) {
    const material = isGlass
      ? new THREE.MeshStandardMaterial({ roughness: 0.15, transparent: true, opacity: 0.13, side: THREE.DoubleSide, depthWrite: false })
      : new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.0 });
    const mesh = new THREE.Mesh(geometry, moving(material, this.motion, kind, pattern));
    mesh.frustumCulled = false;
    mesh.renderOrder = isGlass ? 2 : 0;
    mesh.receiveShadow = !isGlass;
    mesh.castShadow = !isGlass && this.castsShadows;
    if (mesh.castShadow)
      mesh.customDepthMaterial = moving(new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking }), this.motion, kind);
    material.userData.hollow = !isGlass && kind !== 'ball'; // one sees the inside where a section cuts it
    if (kind === 'ball') material.userData.whole = true;
    (isGlass ? this.glasses : this.solids).push(mesh);
    this.group.add(mesh);
  }

  addEdges(geometry, kind) {
    const material = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false });
    const lines = new THREE.LineSegments(geometry, moving(material, this.motion, kind));
    lines.frustumCulled = false;
    lines.renderOrder = 1;
    this.lines.push(lines);
    this.group.add(lines);
  }

  dispose() {
    for (const mesh of [...this.solids, ...this.glasses, ...this.lines]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }

  setSeeThrough(on) {
    for (const { material } of this.solids) {
      material.transparent = on;
      material.opacity = on ? 0.22 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }
}

/** Fixed and kinematic bodies, hollow, with many others inside at some time: containers, which would hide everything. */
export function containers(model, frames) {
  const found = new Set(), moving = [], parts = new Int32Array(model.bodies);
  for (let i = 0; i < model.bodies; i++) if (model.body_kind[i] === Kind.dynamic) moving.push(i);
  for (let s = 0; s < model.shapes; s++) parts[model.shape_body[s]] += model.shape_kind[s] === Shape.mesh ? 2 : 1;
  for (let body = 0; body < model.bodies; body++) {
    if (model.body_kind[body] === Kind.dynamic || parts[body] < 2) continue;
    const reach = model.bodyRadius[body];
    for (const frame of frames) {
      let inside = 0;
      for (const i of moving)
        if (Math.hypot(...[0, 1, 2].map(k => frame.position[3 * i + k] - frame.position[3 * body + k])) < reach) inside++;
      if (inside > 0.2 * moving.length) found.add(body);
    }
  }
  return found;
}
