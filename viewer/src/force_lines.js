// Forces as lines through the bodies: force chains, whose width is the normal force, and the thrust line of masonry.

import * as THREE from 'three';
import { Bars, Swarm } from './overlay.js';
import { Kind } from './model.js';

/** Beyond this, only the strongest are drawn. */
const mostChains = 200000;

/** Normal forces of the contacts, N; negative ones (cohesion) too. */
function normalForces(contacts, stepLength) {
  const forces = new Float32Array(contacts.count), { impulse, normal } = contacts;
  for (let c = 0, k = 0; c < contacts.count; c++, k += 3)
    forces[c] = (impulse[k] * normal[k] + impulse[k + 1] * normal[k + 1] + impulse[k + 2] * normal[k + 2]) / stepLength;
  return forces;
}

export class ForceChains {
  /** A bar of `unitForce` has the radius `unitRadius`. */
  constructor(scene, model, unitRadius) {
    Object.assign(this, { model, unitRadius, unitForce: 1, bars: new Bars(scene, new THREE.MeshStandardMaterial({ color: '#d8452f', roughness: 0.55 })) });
  }
  get visible() { return this.bars.swarm.visible; }
  show(on) { this.bars.swarm.show(on); }

  /** From centre to centre by way of the contact; only to the contact where a body does not move freely. */
  update(frame) {
    if (!this.visible) return;
    const { contacts, position } = frame, { swarm } = this.bars, { model } = this;
    if (!contacts) { swarm.begin(0); swarm.end(); return; }
    const forces = normalForces(contacts, model.stepLength);
    let limit = 0.02 * this.unitForce;
    if (contacts.count > mostChains) limit = Math.max(limit, [...forces].sort((a, b) => b - a)[mostChains]);
    swarm.begin(2 * contacts.count);
    const at = new THREE.Vector3(), centre = new THREE.Vector3();
    for (let c = 0; c < contacts.count; c++) {
      if (Math.abs(forces[c]) < limit) continue;
      at.fromArray(contacts.point, 3 * c);
      const radius = this.unitRadius * Math.min(3, Math.abs(forces[c]) / this.unitForce);
      for (const body of [contacts.bodies[2 * c], contacts.bodies[2 * c + 1]])
        if (model.body_kind[body] === Kind.dynamic) this.bars.add(centre.fromArray(position, 3 * body), at, radius);
    }
    swarm.end();
  }
}

/** Where the resultant of each pair of bodies acts: {a, b, point, force}, pressed together by more than `least` newtons. */
export function pressurePoints(contacts, stepLength, least = 0) {
  const forces = normalForces(contacts, stepLength), pairs = new Map();
  for (let c = 0; c < contacts.count; c++) {
    if (!(forces[c] > 0)) continue;
    const a = contacts.bodies[2 * c], b = contacts.bodies[2 * c + 1], key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (!pairs.has(key)) pairs.set(key, { a, b, point: new THREE.Vector3(), force: 0 });
    const pair = pairs.get(key);
    pair.force += forces[c];
    for (const [k, axis] of ['x', 'y', 'z'].entries()) pair.point[axis] += forces[c] * contacts.point[3 * c + k];
  }
  const found = [...pairs.values()].filter(pair => pair.force > least);
  for (const pair of found) pair.point.divideScalar(pair.force);
  return found;
}

export class ThrustLine {
  constructor(scene, model, radius) {
    Object.assign(this, { model, radius, unitForce: 1, bars: new Bars(scene, new THREE.MeshStandardMaterial({ color: '#7a35c9', roughness: 0.55 })) });
    this.knots = new Swarm(scene, new THREE.SphereGeometry(1, 12, 8), this.bars.material);
  }
  get visible() { return this.bars.swarm.visible; }
  show(on) { this.bars.swarm.show(on); this.knots.show(on); }

  /** Inside a block it joins the points where the resultants of its neighbours act; by way of the centre if there are more than two. */
  update(frame) {
    if (!this.visible) return;
    const { model } = this, contacts = frame.contacts ?? { count: 0 };
    const points = contacts.count ? pressurePoints(contacts, model.stepLength, 1e-3 * this.unitForce) : [];
    const ofBody = new Map();
    for (const pair of points)
      for (const body of [pair.a, pair.b])
        if (model.body_kind[body] === Kind.dynamic) ofBody.set(body, [...(ofBody.get(body) ?? []), pair.point]);
    this.bars.swarm.begin(2 * points.length);
    this.knots.begin(points.length);
    const matrix = new THREE.Matrix4(), centre = new THREE.Vector3(), knot = 1.7 * this.radius;
    for (const { point } of points) this.knots.add(matrix.makeScale(knot, knot, knot).setPosition(point));
    for (const [body, ends] of ofBody) {
      if (ends.length === 2) this.bars.add(ends[0], ends[1], this.radius);
      else for (const end of ends) this.bars.add(centre.fromArray(frame.position, 3 * body), end, this.radius);
    }
    this.bars.swarm.end();
    this.knots.end();
  }
}
