// A plane that cuts the scene open: what lies on one side is not drawn. Balls are left whole: those with their centre on
// that side disappear.

import * as THREE from 'three';

const normals = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

export class Section {
  constructor(stage, bodies, motion, box) {
    Object.assign(this, { stage, bodies, motion, box, axis: 'off', place: 0.5, flipped: false });
    this.plane = new THREE.Plane(new THREE.Vector3(1, 0, 0), 0);
  }

  /** `place`: from 0 to 1 through the box of the scene. */
  set(changes) {
    Object.assign(this, changes);
    const on = this.axis in normals;
    this.stage.renderer.localClippingEnabled = on;
    if (on) {
      const low = this.box.min[this.axis], high = this.box.max[this.axis];
      this.at = low + this.place * (high - low);
      // three.js keeps what lies on the side of the normal.
      const sign = this.flipped ? 1 : -1;
      this.plane.normal.fromArray(normals[this.axis]).multiplyScalar(sign);
      this.plane.constant = -sign * this.at;
    }
    for (const { material } of [...this.bodies.solids, ...this.bodies.lines, ...this.bodies.glasses]) {
      if (material.userData.whole) continue;
      const isNew = Boolean(material.clippingPlanes?.length) !== on;
      material.clippingPlanes = on ? [this.plane] : [];
      if (material.userData.hollow) material.side = on ? THREE.DoubleSide : THREE.FrontSide;
      if (isNew) material.needsUpdate = true;
    }
    const { normal, constant } = this.plane;
    this.motion.uniforms.sectionPlane.value.set(normal.x, normal.y, normal.z, on ? constant : Infinity);
    this.motion.uniforms.sectionOn.value = on ? 1 : 0;
  }
}
