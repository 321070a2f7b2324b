// Puts the parts together: which frames are shown, what follows from time, selection and settings.

import * as THREE from 'three';
import { Bodies, containers } from './bodies.js';
import { bodyColours, scaleTexture } from './colours.js';
import { Kind, poseOf } from './model.js';
import { Motion } from './motion.js';
import { ContactMarks, JointMarks } from './overlay.js';
import { pick } from './picking.js';
import { Stage } from './stage.js';
import { forcesOf, speedsOf } from './survey.js';

/** Up to this many bodies, contacts come with every frame. */
const fewBodies = 5000;

export class Viewer {
  constructor(canvas, model, frames, findings, samples) {
    Object.assign(this, { model, frames, findings, selected: -1, following: false, colourBy: 'id', changed: true, shown: null });
    this.stage = new Stage(canvas, model, findings.bounds);
    this.motion = new Motion(model.bodies);
    this.motion.uniforms.colourScale.value = scaleTexture();
    this.unfree = [...model.body_kind.keys()].filter(body => model.body_kind[body] !== Kind.dynamic);
    this.glass = containers(model, samples);
    this.bodies = new Bodies(model, this.motion, this.glass);
    this.stage.scene.add(this.bodies.group);
    this.stage.floor.build(model, findings.lowest);
    const { bodyRadius, bounds } = findings;
    this.marks = new ContactMarks(this.stage.overlay, Math.min(0.12 * bodyRadius, 0.01 * bounds.radius), Math.max(1.3 * bodyRadius, 0.07 * bounds.radius));
    this.marks.unitForce = findings.forceRange;
    this.joints = new JointMarks(this.stage.overlay, model, 0.017 * bounds.radius);
    this.stage.controls.addEventListener('change', () => { this.changed = true; });
  }

  get wantsContacts() {
    return this.model.bodies <= fewBodies || this.marks.wanted || this.selected >= 0 || this.colourBy === 'force';
  }

  /** Frames on either side of a time, or null while they are on their way. */
  around(time) {
    const index = this.frames.before(time), next = Math.min(index + 1, this.frames.count - 1);
    const a = this.frames.get(index, this.wantsContacts), b = this.frames.get(next, this.wantsContacts);
    this.frames.prefetch(next, this.wantsContacts);
    if (!a || !b) return null;
    const blend = b.time > a.time ? Math.min(1, Math.max(0, (time - a.time) / (b.time - a.time))) : 0;
    return { index, next, a, b, blend, nearest: blend < 0.5 ? a : b };
  }

  setColours(by) {
    this.colourBy = by;
    const range = { speed: this.findings.speedRange, force: this.findings.forceRange }[by] ?? 0;
    this.motion.uniforms.valueRange.value = range;
    this.motion.setColours(bodyColours(this.model, by));
    this.changed = true;
    return range;
  }

  valuesOf(frame) {
    if (this.colourBy !== 'speed' && this.colourBy !== 'force') return null;
    const values = this.colourBy === 'speed' ? speedsOf(frame) : forcesOf(frame, this.model.bodies, this.model.stepLength);
    // Negative: keeps the colour of its kind. What does not move by itself would only distract.
    for (const body of this.unfree) values[body] = -1;
    return values;
  }

  select(body) {
    this.selected = body;
    if (body < 0) this.following = false;
    this.motion.uniforms.selectedBody.value = body;
    this.changed = true;
  }

  poseNow(body) { return poseOf(body, this.shown.a, this.shown.b, this.shown.blend); }

  /** Moves everything to a time. Returns the frame nearest to it, or null when it is not here yet. */
  show(time) {
    const now = this.around(time);
    if (!now) return null;
    const before = this.shown && this.following ? this.poseNow(this.selected).position : null;
    const isNew = !this.shown || this.shown.nearest !== now.nearest;
    this.shown = now;
    const key = (index, frame) => `${index} ${this.colourBy} ${this.colourBy === 'force' && frame.contacts ? 1 : 0}`;
    this.motion.show(key(now.index, now.a), now.a, this.valuesFor(now.a), key(now.next, now.b), now.b, this.valuesFor(now.b), now.blend);
    this.stage.floor.move(body => this.poseNow(body));
    this.joints.update(body => this.poseNow(body));
    if (isNew || this.changed) this.updateMarks();
    if (before) {
      const after = this.poseNow(this.selected).position;
      this.stage.shift(new THREE.Vector3(...after.map((x, k) => x - before[k])));
    }
    return now.nearest;
  }

  /** Values are computed once per frame and colouring. */
  valuesFor(frame) {
    const tag = `${this.colourBy} ${frame.contacts ? 1 : 0}`;
    if (frame.valueTag !== tag) { frame.values = this.valuesOf(frame); frame.valueTag = tag; }
    return frame.values;
  }

  /** Of all contacts when that is wanted, else of the selected body's. */
  updateMarks() {
    const ofSelected = this.selected >= 0 && !this.marks.wanted;
    const contacts = this.marks.wanted || ofSelected ? this.shown.nearest.contacts : null;
    this.marks.update(contacts, this.model.stepLength, ofSelected ? this.selected : -1);
  }

  draw() {
    this.stage.draw();
    this.changed = false;
  }

  /** Body under a point of the canvas, -1 for none. */
  bodyAt(clientX, clientY) {
    const box = this.stage.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2), this.stage.camera);
    return pick(this.model, body => this.poseNow(body), ray.ray.origin.toArray(), ray.ray.direction.toArray(), this.glass);
  }

  /** Where a body's centre of mass is on the page, in pixels. */
  screenPoint(body) {
    const box = this.stage.canvas.getBoundingClientRect();
    const p = new THREE.Vector3(...this.poseNow(body).position).project(this.stage.camera);
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }
}
