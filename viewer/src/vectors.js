// Arrows of bodies and joints: velocities of all, the resultant force on what is picked.

import * as THREE from 'three';
import { arrowGeometry, Swarm } from './overlay.js';
import { Kind } from './model.js';

const z = new THREE.Vector3(0, 0, 1);

class Arrows {
  constructor(scene, colour) {
    this.swarm = new Swarm(scene, arrowGeometry(), new THREE.MeshStandardMaterial({ color: colour, roughness: 0.5 }));
    this.matrix = new THREE.Matrix4();
    this.turn = new THREE.Quaternion();
    this.size = new THREE.Vector3();
    this.unit = new THREE.Vector3();
  }
  /** `thickest`: a length beyond which arrows do not become thicker. */
  add(at, vector, length, thickest) {
    const width = Math.max(Math.min(length, thickest), 0.35 * thickest);
    this.turn.setFromUnitVectors(z, this.unit.copy(vector).normalize());
    this.swarm.add(this.matrix.compose(at, this.turn, this.size.set(width, width, length)));
  }
}

export class VelocityArrows {
  /** An arrow of `unitSpeed` has the length `unitLength`. */
  constructor(scene, model, unitLength, unitSpeed) {
    Object.assign(this, { model, unitLength, unitSpeed, factor: 1, arrows: new Arrows(scene, '#2f7de0') });
  }
  get visible() { return this.arrows.swarm.visible; }
  show(on) { this.arrows.swarm.show(on); }

  update(frame) {
    if (!this.visible) return;
    const { swarm } = this.arrows, at = new THREE.Vector3(), velocity = new THREE.Vector3();
    swarm.begin(this.model.bodies);
    for (let body = 0; body < this.model.bodies; body++) {
      if (this.model.body_kind[body] === Kind.fixed) continue;
      velocity.fromArray(frame.velocity, 3 * body);
      const speed = velocity.length();
      if (!(speed > 5e-3 * this.unitSpeed)) continue;
      const length = this.factor * this.unitLength * Math.min(speed / this.unitSpeed, 4);
      this.arrows.add(at.fromArray(frame.position, 3 * body), velocity, length, this.unitLength);
    }
    swarm.end();
  }
}

/** Sum of the contact forces on a body, N, from the file or from its contacts; null where the frame has neither. */
export function contactResultant(frame, body, stepLength) {
  if (frame.contactForce && Number.isFinite(frame.contactForce[3 * body])) return [0, 1, 2].map(k => frame.contactForce[3 * body + k]);
  const { contacts } = frame;
  if (!contacts) return null;
  const sum = [0, 0, 0];
  for (let c = 0; c < contacts.count; c++)
    for (const [side, sign] of [[0, -1], [1, 1]])
      if (contacts.bodies[2 * c + side] === body)
        for (let k = 0; k < 3; k++) sum[k] += (sign * contacts.impulse[3 * c + k]) / stepLength;
  return sum;
}

/** One arrow for the resultant on the picked body or joint. */
export class ResultantArrow {
  constructor(scene, unitLength) {
    Object.assign(this, { unitLength, unitForce: 1, factor: 1, arrows: new Arrows(scene, '#8a3ffc') });
    this.arrows.swarm.visible = true;
  }
  /** Nothing is drawn without a force. */
  update(at, force) {
    const { swarm } = this.arrows, vector = force ? new THREE.Vector3(...force) : null;
    swarm.begin(1);
    if (vector && vector.length() > 1e-3 * this.unitForce)
      this.arrows.add(at, vector, this.factor * this.unitLength * Math.min(vector.length() / this.unitForce, 4), 1.3 * this.unitLength);
    swarm.end();
  }
}
