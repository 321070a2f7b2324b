// Drags bodies with the pointer: the engine pulls the grabbed point towards it with a spring. Or drops a new body.

import * as THREE from 'three';
import { Kind, turned } from './model.js';

export class Grab {
  constructor(viewer, session) {
    Object.assign(this, { viewer, session, held: null, dropping: null, sentAt: 0 });
    const { canvas } = viewer.stage;
    this.line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: '#d40a6a' }));
    this.line.frustumCulled = false;
    viewer.stage.overlay.add(this.line);
    // Before OrbitControls, which would turn the camera.
    canvas.addEventListener('pointerdown', event => this.begin(event), true);
    canvas.addEventListener('pointermove', event => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => this.end());
  }

  begin(event) {
    const { viewer } = this;
    if (event.button !== 0 || !viewer.shown || viewer.measure.on) return;
    const place = viewer.placeAt(event.clientX, event.clientY);
    if (this.dropping) { this.drop(place, event); return; }
    if (event.shiftKey || place.body < 0 || viewer.model.body_kind[place.body] !== Kind.dynamic) return;
    const normal = viewer.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = { body: place.body, local: place.local, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...place.point)), target: place.point };
    viewer.stage.controls.enabled = false;
    this.send(true);
  }
  move(event) {
    if (!this.held) return;
    const target = this.viewer.rayAt(event.clientX, event.clientY).intersectPlane(this.held.plane, new THREE.Vector3());
    if (!target) return;
    this.held.target = target.toArray();
    this.send(false);
  }
  end() {
    if (!this.held) return;
    this.held = null;
    this.viewer.stage.controls.enabled = true;
    this.session.ask({ do: 'release' });
    this.viewer.changed = true;
  }

  /** Often enough to look smooth; update() sends what was left out. */
  send(now) {
    this.viewer.changed = true;
    if (!now && performance.now() - this.sentAt < 25) return;
    this.sentAt = performance.now();
    const { body, local, target } = this.held;
    this.sentTarget = target;
    this.session.ask({ do: 'drag', body, point: local, target });
  }

  /** Above what is under the pointer, or in the middle of the scene. */
  drop(place, event) {
    const { viewer } = this, up = new THREE.Vector3(...viewer.model.up), { shape, size } = this.dropping;
    let at;
    if (place.body >= 0) at = new THREE.Vector3(...place.point);
    else {
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(viewer.stage.camera.getWorldDirection(new THREE.Vector3()), viewer.stage.controls.target);
      at = viewer.rayAt(event.clientX, event.clientY).intersectPlane(plane, new THREE.Vector3());
    }
    if (!at) return;
    event.stopImmediatePropagation();
    this.session.ask({ do: 'drop', shape, size, place: at.addScaledVector(up, 3 * size).toArray() });
  }

  /** From the grabbed point to the pointer. */
  update() {
    this.line.visible = this.held !== null;
    if (!this.held) return;
    if (this.sentTarget !== this.held.target) this.send(true);
    const pose = this.viewer.poseNow(this.held.body);
    const from = turned(pose.rotation, this.held.local).map((x, k) => x + pose.position[k]);
    this.line.geometry.setFromPoints([new THREE.Vector3(...from), new THREE.Vector3(...this.held.target)]);
  }
}
