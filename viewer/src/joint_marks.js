// Joints: pins, balls, rails, coils of springs, rods; and arrows for what their motors do. What bodies hide of them
// shines through.

import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { arrowGeometry, Bars, Swarm } from './overlay.js';

/** A pin with two heads. */
function pinGeometry() {
  const shaft = new THREE.CylinderGeometry(0.42, 0.42, 3.6, 24), heads = [-1.8, 1.8].map(at => new THREE.CylinderGeometry(0.75, 0.75, 0.35, 24).translate(0, at, 0));
  return mergeGeometries([shaft, ...heads]).rotateX(Math.PI / 2);
}

/** Three quarters of a circle about z, counterclockwise, with a tip. */
function turnGeometry() {
  const arc = 1.5 * Math.PI, ring = new THREE.TorusGeometry(1, 0.085, 8, 40, arc).toNonIndexed();
  const tip = new THREE.ConeGeometry(0.26, 0.55, 16).translate(0, 0.2, 0).rotateZ(arc).translate(Math.cos(arc), Math.sin(arc), 0).toNonIndexed();
  return mergeGeometries([ring, tip]);
}

/** A flat spiral of two and a half turns about z: a spring that turns. */
function spiralGeometry() {
  const points = Array.from({ length: 81 }, (_, i) => {
    const angle = (5 * Math.PI * i) / 80, away = 0.8 + (1.4 * i) / 80;
    return new THREE.Vector3(away * Math.cos(angle), away * Math.sin(angle), 0);
  });
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 160, 0.13, 6);
}

const markForms = {
  spiral: spiralGeometry,
  ball: () => new THREE.SphereGeometry(1, 20, 14),
  pin: pinGeometry,
  slide: () => new THREE.BoxGeometry(1.1, 1.1, 4.2),
  block: () => new THREE.BoxGeometry(1.5, 1.5, 1.5),
};
/** Form of the mark for each kind of joint; gears have none. */
const formOf = {
  spherical: 'ball', revolute: 'pin', prismatic: 'slide', cylindrical: 'pin', universal: 'ball', fixed: 'block',
  distance: 'ball', point_on_plane: 'ball', spring: 'ball', bushing: 'block',
};
/** How far the rail of a sliding joint goes beyond its frames, in radii of a mark. */
const railReach = 8;
const coilTurns = 8, partsPerTurn = 10, mostCoils = 100;
const flip = new THREE.Matrix4().makeRotationX(Math.PI);

export class JointMarks {
  /** `efforts`: the largest of motors, {turn, slide}, in N m and N. */
  constructor(scene, model, radius, efforts) {
    Object.assign(this, { model, radius, efforts });
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.35, metalness: 0.3 });
    this.motorMaterial = new THREE.MeshStandardMaterial({ roughness: 0.45 });
    this.ghosts = [model.joints.length > 60 ? 0.1 : 0.3, 0.5].map(opacity => new THREE.MeshBasicMaterial({ transparent: true, opacity, depthFunc: THREE.GreaterDepth, depthWrite: false }));
    const [ghost, motorGhost] = this.ghosts;
    this.swarms = Object.fromEntries(Object.entries(markForms).map(([name, make]) => [name, new Swarm(scene, make(), this.material, ghost)]));
    this.bars = new Bars(scene, this.material, ghost);
    this.turns = new Swarm(scene, turnGeometry(), this.motorMaterial, motorGhost);
    this.pushes = new Swarm(scene, arrowGeometry(), this.motorMaterial, motorGhost);
    this.show(false);
  }
  get every() { return [...Object.values(this.swarms), this.bars.swarm, this.turns, this.pushes]; }

  /** Dark on light and light on dark: no body and no selection has it. */
  setColours(joint, motor) {
    for (const material of [this.material, this.ghosts[0]]) material.color.set(joint);
    for (const material of [this.motorMaterial, this.ghosts[1]]) material.color.set(motor);
  }
  show(on) {
    this.visible = on;
    for (const swarm of this.every) swarm.show(on);
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

  /** `efforts`: of the motors now, if the run has them. */
  update(poseOf, efforts) {
    const { jointKinds, joint_bodies, joint_frame_a, joint_frame_b, joint_spring } = this.model, count = jointKinds.length;
    if (!this.visible || count === 0) return;
    const isSprung = j => joint_spring?.[j] > 0;
    const springs = jointKinds.filter((kind, j) => kind === 'spring' || isSprung(j)).length, coils = springs <= mostCoils;
    for (const swarm of Object.values(this.swarms)) swarm.begin(2 * count);
    this.bars.swarm.begin(count + (coils ? springs * (coilTurns * partsPerTurn + 3) : 0));
    this.turns.begin(count);
    this.pushes.begin(count);
    for (let j = 0; j < count; j++) {
      if (!formOf[jointKinds[j]]) continue;
      const frame = this.frame(joint_bodies[2 * j], joint_frame_a, j, poseOf);
      const other = this.frame(joint_bodies[2 * j + 1], joint_frame_b, j, poseOf);
      this.addJoint(jointKinds[j], frame, other, coils, isSprung(j));
      if (efforts?.[j]) this.addMotor(jointKinds[j], other, efforts[j]);
    }
    for (const swarm of this.every) swarm.end();
  }

  addJoint(kind, frame, other, coils, isSprung) {
    const { radius } = this, swarm = this.swarms[formOf[kind]], scale = new THREE.Vector3(radius, radius, radius);
    if (kind === 'prismatic') {
      // The mark slides with b along a rail fixed to a.
      swarm.add(other.clone().scale(scale));
      const reach = railReach * radius, at = new THREE.Vector3().setFromMatrixPosition(other).applyMatrix4(frame.clone().invert()).z;
      const [low, high] = [Math.min(-reach, at - reach), Math.max(reach, at + reach)].map(z => new THREE.Vector3(0, 0, z).applyMatrix4(frame));
      this.bars.add(low, high, 0.3 * radius);
      if (isSprung && coils) this.addCoil(low, new THREE.Vector3().setFromMatrixPosition(other));
      return;
    }
    swarm.add(frame.clone().scale(scale));
    if (isSprung && kind === 'revolute') this.swarms.spiral.add(frame.clone().scale(scale));
    if (kind !== 'distance' && kind !== 'spring') return;
    swarm.add(other.clone().scale(scale));
    const [from, to] = [frame, other].map(each => new THREE.Vector3().setFromMatrixPosition(each));
    if (kind === 'spring' && coils) this.addCoil(from, to);
    else this.bars.add(from, to, 0.35 * radius);
  }

  /** A coil between two straight ends, which stretches with the spring. */
  addCoil(from, to) {
    const axis = to.clone().sub(from), length = axis.length(), wide = 1.7 * this.radius, wire = 0.3 * this.radius;
    if (!(length > 0)) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.divideScalar(length));
    const parts = coilTurns * partsPerTurn, low = 0.12 * length, high = 0.88 * length;
    const place = i => {
      const angle = (2 * Math.PI * i) / partsPerTurn;
      return new THREE.Vector3(wide * Math.cos(angle), wide * Math.sin(angle), low + ((high - low) * i) / parts).applyQuaternion(turn).add(from);
    };
    let last = from;
    for (let i = 0; i <= parts; i++) { const next = place(i); this.bars.add(last, next, wire); last = next; }
    this.bars.add(last, to, wire);
  }

  /** Larger for larger efforts, but never too small to be seen. */
  addMotor(kind, frame, effort) {
    const slides = kind === 'prismatic', share = Math.min(1, Math.abs(effort) / (slides ? this.efforts.slide : this.efforts.turn));
    if (!(share > 1e-3)) return;
    const placed = effort < 0 ? frame.clone().multiply(flip) : frame.clone();
    const size = (slides ? 6 + 10 * share : 2 + 2.5 * share) * this.radius, width = slides ? 22 * this.radius : size;
    (slides ? this.pushes : this.turns).add(placed.scale(new THREE.Vector3(width, width, size)));
  }
}
