// A look over a few frames before the first picture: how large the scene is, how fast bodies are, how strong forces.

import * as THREE from 'three';
import { Kind, boundingPoints, poseOf } from './model.js';
import { stressValues } from './stress.js';

const percentile = (values, fraction) => {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))];
};

/** Lengths of vectors, three numbers each. Math.hypot is much slower. */
const lengthsOf = (vectors, count) => {
  const lengths = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const x = vectors[3 * i], y = vectors[3 * i + 1], z = vectors[3 * i + 2];
    lengths[i] = Math.sqrt(x * x + y * y + z * z);
  }
  return lengths;
};

export const speedsOf = frame => lengthsOf(frame.velocity, frame.velocity.length / 3);

/** Largest contact force on each body, N. */
export const forcesOf = (frame, bodies, stepLength) => {
  const forces = new Float32Array(bodies);
  const { contacts } = frame;
  if (!contacts) return forces;
  const impulses = lengthsOf(contacts.impulse, contacts.count);
  for (let k = 0; k < 2 * contacts.count; k++) {
    const body = contacts.bodies[k], force = impulses[k >> 1] / stepLength;
    if (force > forces[body]) forces[body] = force;
  }
  return forces;
};

/** Bodies that set the scale: all that move; fixed ones unless they are huge beside those. */
function measuredBodies(model, frames) {
  const moving = [], fixed = [], box = new THREE.Box3(), at = new THREE.Vector3();
  for (let i = 0; i < model.bodies; i++)
    if (model.bodyRadius[i] > 0) (model.body_kind[i] === Kind.fixed ? fixed : moving).push(i);
  for (const frame of frames) for (const i of moving) box.expandByPoint(at.fromArray(frame.position, 3 * i));
  const size = moving.length ? box.getSize(at).length() + Math.max(...moving.slice(0, 1000).map(i => model.bodyRadius[i])) : Infinity;
  return { moving, fixed: fixed.filter(i => model.bodyRadius[i] < 1.5 * size) };
}

/** Box around everything in the first frame and around the middle 99 % of many bodies later on. */
function boundsOf(model, frames) {
  const { moving, fixed } = measuredBodies(model, frames);
  const box = new THREE.Box3(), point = new THREE.Vector3();
  const include = p => box.expandByPoint(point.fromArray(p));
  const shapesOf = new Map();
  for (let s = 0; s < model.shapes; s++) {
    const list = shapesOf.get(model.shape_body[s]);
    if (list) list.push(s); else shapesOf.set(model.shape_body[s], [s]);
  }
  const includeBody = (body, frame) => {
    const pose = poseOf(body, frame, frame, 0);
    for (const s of shapesOf.get(body) ?? []) boundingPoints(model, s, pose, include);
  };
  for (const i of fixed) includeBody(i, frames[0]);
  for (const frame of frames) {
    const limits = [0, 1, 2].map(k => {
      const x = moving.map(i => frame.position[3 * i + k]);
      return moving.length > 100 && frame !== frames[0] ? [percentile(x, 0.005), percentile(x, 0.995)] : [-Infinity, Infinity];
    });
    for (const i of moving)
      if (limits.every(([low, high], k) => frame.position[3 * i + k] >= low && frame.position[3 * i + k] <= high)) includeBody(i, frame);
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  const sphere = box.getBoundingSphere(new THREE.Sphere());
  return { box, centre: sphere.center, radius: Math.max(sphere.radius, 1e-6) };
}

/** What the stress of most bodies stays below, Pa, over the frames; computed when somebody asks. */
function stressRangeOf(model, frames) {
  const known = {};
  return kind => known[kind] ??= percentile(frames.flatMap(frame =>
    [...stressValues(model, frame, kind)].filter((value, body) => value > 0 && model.body_kind[body] === Kind.dynamic)), 0.95) || 1;
}

export function survey(model, frames) {
  const speeds = [], forces = [], ofJoints = [];
  for (const frame of frames) {
    const all = speedsOf(frame);
    for (let i = 0; i < model.bodies; i++) if (model.body_kind[i] === Kind.dynamic) speeds.push(all[i]);
    const c = frame.contacts;
    if (c) for (const impulse of lengthsOf(c.impulse, c.count)) forces.push(impulse / model.stepLength);
    if (frame.joints) for (const force of lengthsOf(frame.joints.force, frame.joints.force.length / 3)) ofJoints.push(force);
  }
  const efforts = { turn: 0, slide: 0 };
  for (const frame of frames) frame.joints?.effort?.forEach((effort, j) => {
    const way = model.jointKinds[j] === 'prismatic' ? 'slide' : 'turn';
    efforts[way] = Math.max(efforts[way], Math.abs(effort));
  });
  const jointed = [...model.joint_bodies].filter(body => body >= 0).map(body => model.bodyRadius[body]).filter(r => r > 0);
  const radii = [...model.bodyRadius].filter((r, i) => r > 0 && model.body_kind[i] === Kind.dynamic);
  const bounds = boundsOf(model, frames);
  const up = new THREE.Vector3(...model.up);
  const fast = 0.05 * percentile(speeds, 0.995); // what rests would make the scale useless for the rest
  const lowest = Math.min(...[bounds.box.min, bounds.box.max].map(p => p.dot(up)));
  return {
    bounds, lowest, efforts, stressRange: stressRangeOf(model, frames), jointedRadius: percentile(jointed, 0.5) || bounds.radius, bodyRadius: percentile(radii, 0.5) || 0.1 * bounds.radius,
    speedRange: percentile(speeds.filter(speed => speed > fast), 0.9) || 1, forceRange: percentile(forces.filter(f => f > 0), 0.95) || percentile(ofJoints.filter(f => f > 0), 0.8) || 1,
  };
}
