// Contact points, contact forces and joints, drawn over the bodies.

import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

/** From the origin along z, length 1, to be scaled. */
export function arrowGeometry() {
  const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.74, 8).rotateX(Math.PI / 2).translate(0, 0, 0.37);
  const tip = new THREE.ConeGeometry(0.065, 0.26, 12).rotateX(Math.PI / 2).translate(0, 0, 0.87);
  return mergeGeometries([shaft, tip]);
}

/** Instances whose number changes from frame to frame. */
export class Swarm {
  constructor(parent, geometry, material) {
    Object.assign(this, { parent, geometry, material, mesh: null, capacity: 0 });
    this.visible = false;
  }
  begin(count) {
    if (count > this.capacity) {
      if (this.mesh) { this.parent.remove(this.mesh); this.mesh.dispose(); }
      this.capacity = Math.max(64, Math.ceil(1.5 * count));
      this.mesh = new THREE.InstancedMesh(this.geometry, this.material, this.capacity);
      this.mesh.frustumCulled = false;
      this.parent.add(this.mesh);
    }
    this.count = 0;
  }
  add(matrix) { this.mesh.setMatrixAt(this.count++, matrix); }
  /** `alsoHidden`: shows them although they are switched off. */
  end(alsoHidden = false) {
    if (!this.mesh) return;
    this.mesh.count = this.count;
    this.mesh.visible = this.visible || alsoHidden;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
  show(on) { this.visible = on; if (this.mesh) this.mesh.visible = on; }
}

const z = new THREE.Vector3(0, 0, 1);

export class ContactMarks {
  /** `unitLength`: of an arrow for `unitForce`. */
  constructor(scene, pointRadius, unitLength) {
    this.pointRadius = pointRadius;
    this.unitLength = unitLength;
    this.unitForce = 1;
    this.factor = 1;
    this.points = new Swarm(scene, new THREE.SphereGeometry(1, 12, 8), new THREE.MeshStandardMaterial({ color: '#2fbf8f', roughness: 0.5 }));
    this.arrows = new Swarm(scene, arrowGeometry(), new THREE.MeshStandardMaterial({ color: '#e8554d', roughness: 0.5 }));
  }

  get wanted() { return this.points.visible || this.arrows.visible; }

  /** `only`: contacts of this body; -1 for all. */
  update(contacts, stepLength, only) {
    const count = contacts?.count ?? 0;
    const matrix = new THREE.Matrix4(), at = new THREE.Vector3(), force = new THREE.Vector3(), turn = new THREE.Quaternion(), size = new THREE.Vector3();
    this.points.begin(count);
    this.arrows.begin(count);
    for (let c = 0; c < count; c++) {
      if (only >= 0 && contacts.bodies[2 * c] !== only && contacts.bodies[2 * c + 1] !== only) continue;
      at.fromArray(contacts.point, 3 * c);
      this.points.add(matrix.makeScale(this.pointRadius, this.pointRadius, this.pointRadius).setPosition(at));
      force.fromArray(contacts.impulse, 3 * c).divideScalar(stepLength);
      const strength = force.length();
      if (!(strength > 1e-3 * this.unitForce)) continue;
      const length = this.factor * this.unitLength * Math.min(strength / this.unitForce, 4);
      // Arrows keep a readable width while their length tells the force.
      const width = Math.max(Math.min(length, this.unitLength), 0.35 * this.unitLength);
      turn.setFromUnitVectors(z, force.divideScalar(strength));
      this.arrows.add(matrix.compose(at, turn, size.set(width, width, length)));
    }
    this.points.end(only >= 0);
    this.arrows.end(only >= 0);
  }
}

const markForms = {
  ball: () => new THREE.SphereGeometry(1, 20, 14),
  pin: () => new THREE.CylinderGeometry(0.5, 0.5, 3.6, 24).rotateX(Math.PI / 2),
  slide: () => new THREE.BoxGeometry(1.1, 1.1, 4.2),
  block: () => new THREE.BoxGeometry(1.5, 1.5, 1.5),
};
/** Form of the mark for each kind of joint; gears have none. */
const formOf = {
  spherical: 'ball', revolute: 'pin', prismatic: 'slide', cylindrical: 'pin', universal: 'ball', fixed: 'block',
  distance: 'ball', point_on_plane: 'ball', spring: 'ball', bushing: 'block',
};
/** How far the rail of a sliding joint goes beyond its frames, in radii of a mark. */
const railReach = 14;

export class JointMarks {
  constructor(scene, model, radius) {
    this.model = model;
    this.radius = radius;
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.35 });
    this.swarms = Object.fromEntries(Object.entries(markForms).map(([name, make]) => [name, new Swarm(scene, make(), this.material)]));
    this.rods = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    this.rods.frustumCulled = false;
    scene.add(this.rods);
    this.show(false);
  }
  /** Dark on light and light on dark: no body and no selection has it. */
  setColour(colour) {
    this.material.color.set(colour);
    this.rods.material.color.set(colour);
  }
  show(on) {
    this.visible = on;
    this.rods.visible = on;
    for (const swarm of Object.values(this.swarms)) swarm.show(on);
  }

  /** The joint frame on a body in world coordinates; body -1 is the ground. */
  frame(body, numbers, j, poseOf) {
    const f = numbers.subarray(7 * j, 7 * j + 7);
    const one = new THREE.Vector3(1, 1, 1);
    const local = new THREE.Matrix4().compose(new THREE.Vector3(f[0], f[1], f[2]), new THREE.Quaternion(f[4], f[5], f[6], f[3]), one);
    if (body < 0) return local;
    const { position, rotation } = poseOf(body);
    return new THREE.Matrix4().compose(new THREE.Vector3(...position), new THREE.Quaternion(...rotation), one).multiply(local);
  }

  update(poseOf) {
    if (!this.visible || this.model.joints.length === 0) return;
    const { jointKinds, joint_bodies, joint_frame_a, joint_frame_b } = this.model;
    const rods = [];
    const scale = new THREE.Vector3(this.radius, this.radius, this.radius);
    for (const swarm of Object.values(this.swarms)) swarm.begin(2 * jointKinds.length);
    for (let j = 0; j < jointKinds.length; j++) {
      const form = formOf[jointKinds[j]];
      if (!form) continue;
      const frame = this.frame(joint_bodies[2 * j], joint_frame_a, j, poseOf);
      const other = this.frame(joint_bodies[2 * j + 1], joint_frame_b, j, poseOf);
      if (jointKinds[j] === 'prismatic') {
        // The mark slides with b along a rail fixed to a.
        this.swarms[form].add(other.clone().scale(scale));
        const reach = railReach * this.radius;
        const at = new THREE.Vector3().setFromMatrixPosition(other).applyMatrix4(frame.clone().invert()).z;
        for (const end of [Math.min(-reach, at - reach), Math.max(reach, at + reach)])
          rods.push(...new THREE.Vector3(0, 0, end).applyMatrix4(frame));
        continue;
      }
      this.swarms[form].add(frame.clone().scale(scale));
      if (jointKinds[j] !== 'distance' && jointKinds[j] !== 'spring') continue;
      this.swarms[form].add(other.clone().scale(scale));
      for (const end of [frame, other]) rods.push(...new THREE.Vector3().setFromMatrixPosition(end));
    }
    for (const swarm of Object.values(this.swarms)) swarm.end();
    this.rods.geometry.setAttribute('position', new THREE.Float32BufferAttribute(rods, 3));
  }
}
