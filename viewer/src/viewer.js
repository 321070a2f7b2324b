// Puts the parts together: which frames are shown, what follows from time, selection and settings.

import * as THREE from 'three';
import { Bodies, containers } from './bodies.js';
import { bodyColours, scaleTexture } from './colours.js';
import { Kind, poseOf, turned } from './model.js';
import { Motion } from './motion.js';
import { ForceChains, ThrustLine } from './force_lines.js';
import { Measure } from './measure.js';
import { JointMarks } from './joint_marks.js';
import { ContactMarks } from './overlay.js';
import { pick } from './picking.js';
import { Section } from './section.js';
import { Stage } from './stage.js';
import { stressValues } from './stress.js';
import { forcesOf, speedsOf } from './survey.js';
import { Trails } from './trails.js';
import { contactResultant, ResultantArrow, VelocityArrows } from './vectors.js';

/** Up to this many bodies, contacts come with every frame. */
const fewBodies = 5000;
/** Colourings that need contacts. */
const ofContacts = ['force', 'pressure', 'shear'];
/** Tells frames apart, also those whose place in the run changes. */
let serials = 0;

export class Viewer {
  constructor(canvas, model, frames, findings, samples) {
    Object.assign(this, { model, frames, findings, selected: -1, selectedJoint: -1, following: false, colourBy: 'id', changed: true, shown: null });
    this.stage = new Stage(canvas, model, findings.bounds, findings.bodyRadius);
    this.addBodies(samples);
    this.stage.floor.build(model, findings.lowest);
    const { bodyRadius, bounds } = findings;
    this.marks = new ContactMarks(this.stage.overlay, Math.min(0.12 * bodyRadius, 0.01 * bounds.radius), Math.max(1.3 * bodyRadius, 0.07 * bounds.radius));
    this.marks.unitForce = findings.forceRange;
    this.joints = new JointMarks(this.stage.scene, model, Math.min(0.017 * bounds.radius, 0.3 * findings.jointedRadius), findings.efforts);
    this.addTools(findings);
    this.stage.controls.addEventListener('change', () => { this.changed = true; });
  }

  addBodies(samples) {
    const { model } = this;
    this.motion = new Motion(model.bodies);
    this.motion.uniforms.colourScale.value = scaleTexture();
    this.unfree = [...model.body_kind.keys()].filter(body => model.body_kind[body] !== Kind.dynamic);
    this.glass ??= containers(model, samples);
    this.bodies = new Bodies(model, this.motion, this.glass);
    this.stage.scene.add(this.bodies.group);
  }

  /** The same scene with other bodies: new ones come last, so that numbers stay. */
  setModel(model) {
    this.stage.scene.remove(this.bodies.group);
    this.bodies.dispose();
    Object.assign(this, { model, shown: null, shadowed: null });
    for (const part of [this.chains, this.thrust, this.velocities, this.joints]) part.model = model;
    if (this.selected >= model.bodies) this.select(-1);
    this.trails.clear();
    this.measure.start(false);
    this.addBodies([]);
    Object.assign(this.section, { bodies: this.bodies, motion: this.motion });
    this.section.set({});
    this.motion.uniforms.selectedBody.value = this.selected;
    this.setColours(this.colourBy);
  }

  addTools({ bodyRadius, bounds, forceRange, speedRange }) {
    const { stage, model } = this, unitLength = this.marks.unitLength;
    this.chains = new ForceChains(stage.overlay, model, Math.min(0.22 * bodyRadius, 0.02 * bounds.radius));
    this.thrust = new ThrustLine(stage.overlay, model, Math.min(0.06 * bodyRadius, 0.006 * bounds.radius));
    this.velocities = new VelocityArrows(stage.overlay, model, unitLength, speedRange);
    this.resultant = new ResultantArrow(stage.overlay, unitLength);
    for (const each of [this.chains, this.thrust, this.resultant]) each.unitForce = forceRange;
    this.trails = new Trails(stage.overlay, this.frames);
    this.measure = new Measure(stage.overlay, Math.min(0.1 * bodyRadius, 0.008 * bounds.radius), document.getElementById('measured'));
    this.section = new Section(stage, this.bodies, this.motion, bounds.box);
  }

  get wantsContacts() {
    return this.model.bodies <= fewBodies || this.marks.wanted || this.chains.visible || this.thrust.visible || this.selected >= 0 ||
      ofContacts.includes(this.colourBy);
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
    const { speedRange, forceRange, stressRange } = this.findings;
    const range = { speed: () => speedRange, force: () => forceRange, pressure: stressRange, shear: stressRange }[by]?.(by) ?? 0;
    this.motion.uniforms.valueRange.value = range;
    this.motion.setColours(bodyColours(this.model, by));
    this.changed = true;
    return range;
  }

  valuesOf(frame) {
    const { model, colourBy } = this;
    if (colourBy !== 'speed' && !ofContacts.includes(colourBy)) return null;
    const values = colourBy === 'speed' ? speedsOf(frame)
      : colourBy === 'force' ? forcesOf(frame, model.bodies, model.stepLength) : stressValues(model, frame, colourBy);
    // Negative: keeps the colour of its kind. What does not move by itself would only distract.
    for (const body of this.unfree) values[body] = -1;
    return values;
  }

  selectJoint(joint) {
    if (joint >= 0) this.select(-1);
    this.selectedJoint = joint;
    this.changed = true;
  }

  select(body) {
    this.selected = body;
    this.selectedJoint = -1;
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
    const key = frame => `${frame.serial ??= ++serials} ${this.colourBy} ${ofContacts.includes(this.colourBy) && frame.contacts ? 1 : 0}`;
    this.motion.show(key(now.a), now.a, this.valuesFor(now.a), key(now.b), now.b, this.valuesFor(now.b), now.blend);
    const place = `${now.a.serial} ${now.b.serial} ${now.blend}`;
    if (place !== this.shadowed) this.stage.renewShadows();
    this.shadowed = place;
    this.stage.floor.move(body => this.poseNow(body));
    this.joints.update(body => this.poseNow(body), now.nearest.joints?.effort);
    if (isNew || this.changed) this.updateMarks();
    this.measure.update(body => this.poseNow(body));
    this.trails.update();
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
    for (const each of [this.chains, this.thrust, this.velocities]) each.update(this.shown.nearest);
    this.updateResultant();
  }

  /** The sum of the contact forces on the picked body, or the force of the picked joint on its second body. */
  updateResultant() {
    const { nearest } = this.shown;
    if (this.selected >= 0) {
      const at = new THREE.Vector3().fromArray(nearest.position, 3 * this.selected);
      this.resultant.update(at, contactResultant(nearest, this.selected, this.model.stepLength));
    } else if (this.selectedJoint >= 0 && nearest.joints) {
      const { at, force } = this.jointForce(this.selectedJoint);
      this.resultant.update(at, force);
    } else this.resultant.update(new THREE.Vector3(), null);
  }

  /** Where a joint is, and its force on the second body in world axes. */
  jointForce(joint) {
    const { model } = this, frame = this.joints.frame(model.joint_bodies[2 * joint], model.joint_frame_a, joint, body => this.poseNow(body));
    const other = this.joints.frame(model.joint_bodies[2 * joint + 1], model.joint_frame_b, joint, body => this.poseNow(body));
    const force = new THREE.Vector3().fromArray(this.shown.nearest.joints.force, 3 * joint);
    force.applyQuaternion(new THREE.Quaternion().setFromRotationMatrix(frame));
    return { at: new THREE.Vector3().setFromMatrixPosition(other), force: force.toArray() };
  }

  draw() {
    this.stage.draw();
    this.changed = false;
  }

  rayAt(clientX, clientY) {
    const box = this.stage.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2), this.stage.camera);
    return ray.ray;
  }

  /** What is under a point of the canvas: {body, point, local}, with the point in the world and in the body's frame; body -1 for none. */
  placeAt(clientX, clientY) {
    const ray = this.rayAt(clientX, clientY);
    const { body, distance } = pick(this.model, each => this.poseNow(each), ray.origin.toArray(), ray.direction.toArray(), this.glass);
    if (body < 0) return { body };
    const point = ray.at(distance, new THREE.Vector3()), pose = this.poseNow(body);
    const [x, y, z, w] = pose.rotation;
    return { body, point: point.toArray(), local: turned([-x, -y, -z, w], point.toArray().map((c, k) => c - pose.position[k])) };
  }
  bodyAt(clientX, clientY) { return this.placeAt(clientX, clientY).body; }

  /** A joint whose mark is within a few pixels, the nearest; -1 for none. */
  jointAt(clientX, clientY) {
    if (!this.joints.visible) return -1;
    const box = this.stage.canvas.getBoundingClientRect(), at = new THREE.Vector3();
    let best = -1, nearest = 14;
    for (let j = 0; j < this.model.joints.length; j++) {
      if (this.model.jointKinds[j] === 'gear') continue;
      at.setFromMatrixPosition(this.joints.frame(this.model.joint_bodies[2 * j + 1], this.model.joint_frame_b, j, body => this.poseNow(body))).project(this.stage.camera);
      const away = Math.hypot(box.left + ((at.x + 1) / 2) * box.width - clientX, box.top + ((1 - at.y) / 2) * box.height - clientY);
      if (away < nearest) { nearest = away; best = j; }
    }
    return best;
  }

  /** Where a body's centre of mass is on the page, in pixels. */
  screenPoint(body) {
    const box = this.stage.canvas.getBoundingClientRect();
    const p = new THREE.Vector3(...this.poseNow(body).position).project(this.stage.camera);
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }
}
