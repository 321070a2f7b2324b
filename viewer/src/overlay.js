// Swarms of marks whose number changes from frame to frame; contact points and contact forces, drawn over the bodies.

import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

/** From the origin along z, length 1, to be scaled. */
export function arrowGeometry() {
  const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.74, 8).rotateX(Math.PI / 2).translate(0, 0, 0.37);
  const tip = new THREE.ConeGeometry(0.065, 0.26, 12).rotateX(Math.PI / 2).translate(0, 0, 0.87);
  return mergeGeometries([shaft, tip]);
}

/** Instances whose number changes from frame to frame. `ghost`: a material for those parts that bodies hide. */
export class Swarm {
  constructor(parent, geometry, material, ghost = null) {
    Object.assign(this, { parent, geometry, materials: ghost ? [material, ghost] : [material], meshes: [], capacity: 0 });
    this.visible = false;
  }
  begin(count) {
    if (count > this.capacity) {
      for (const mesh of this.meshes) { this.parent.remove(mesh); mesh.dispose(); }
      this.capacity = Math.max(64, Math.ceil(1.5 * count));
      this.meshes = this.materials.map(material => new THREE.InstancedMesh(this.geometry, material, this.capacity));
      this.meshes.forEach((mesh, k) => {
        mesh.instanceMatrix = this.meshes[0].instanceMatrix;
        mesh.frustumCulled = false;
        mesh.renderOrder = k === 0 ? 0 : 3;
        this.parent.add(mesh);
      });
    }
    this.count = 0;
  }
  add(matrix) { this.meshes[0].setMatrixAt(this.count++, matrix); }
  /** `alsoHidden`: shows them although they are switched off. */
  end(alsoHidden = false) {
    for (const mesh of this.meshes) {
      mesh.count = this.count;
      mesh.visible = this.visible || alsoHidden;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
  show(on) { this.visible = on; for (const mesh of this.meshes) mesh.visible = on; }
}

const up = new THREE.Vector3(0, 1, 0);

/** Round bars between two points. */
export class Bars {
  constructor(parent, material, ghost = null) {
    this.material = material;
    this.swarm = new Swarm(parent, new THREE.CylinderGeometry(1, 1, 1, 7, 1, true), material, ghost);
    this.matrix = new THREE.Matrix4();
    this.turn = new THREE.Quaternion();
    this.middle = new THREE.Vector3();
    this.along = new THREE.Vector3();
    this.size = new THREE.Vector3();
  }
  add(a, b, radius) {
    this.along.subVectors(b, a);
    const length = this.along.length();
    if (!(length > 0)) return;
    this.turn.setFromUnitVectors(up, this.along.divideScalar(length));
    this.middle.addVectors(a, b).multiplyScalar(0.5);
    this.swarm.add(this.matrix.compose(this.middle, this.turn, this.size.set(radius, length, radius)));
  }
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
