// Mean stress in each body, from the forces on its surface: σ = −1/V Σ f ⊗ (x − c), compression positive. Contacts and
// joints count. Weight adds nothing, since it acts at the centre of mass c; the stress of a body's own spin is left out.

import { Shape, turned } from './model.js';

function meshVolume(model, s) {
  const first = 3 * model.shape_first_triangle[s], end = first + 3 * model.shape_triangles[s];
  const corner = i => model.mesh_points.subarray(3 * model.mesh_triangles[i], 3 * model.mesh_triangles[i] + 3);
  let sum = 0;
  for (let i = first; i < end; i += 3) {
    const [a, b, c] = [corner(i), corner(i + 1), corner(i + 2)];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return Math.abs(sum) / 6;
}

export function shapeVolume(model, s) {
  const kind = model.shape_kind[s], [a, b, c] = model.shape_size.subarray(3 * s, 3 * s + 3);
  if (kind === Shape.sphere) return (4 / 3) * Math.PI * a ** 3;
  if (kind === Shape.box) return 8 * a * b * c;
  if (kind === Shape.capsule) return Math.PI * a * a * (2 * c + (4 / 3) * a);
  if (kind === Shape.cylinder) return 2 * Math.PI * a * a * c;
  if (kind === Shape.ellipsoid) return (4 / 3) * Math.PI * a * b * c;
  return kind === Shape.hull || kind === Shape.mesh ? meshVolume(model, s) : 0;
}

/** Of each body, m³: of its shapes together, where they overlap too. */
function volumes(model) {
  if (model.bodyVolume) return model.bodyVolume;
  const found = new Float64Array(model.bodies);
  for (let s = 0; s < model.shapes; s++) found[model.shape_body[s]] += shapeVolume(model, s);
  return (model.bodyVolume = found);
}

/** −f ⊗ arm, added to the six components xx, yy, zz, yz, zx, xy of a body. */
function add(tensors, body, f, arm) {
  const at = 6 * body;
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3, j = (k + 2) % 3;
    tensors[at + k] -= f[k] * arm[k];
    tensors[at + 3 + k] -= 0.5 * (f[i] * arm[j] + f[j] * arm[i]);
  }
}

function addJoints(tensors, model, frame) {
  const pose = body => {
    const [w, x, y, z] = frame.orientation.subarray(4 * body, 4 * body + 4), size = Math.hypot(w, x, y, z) || 1;
    return [x / size, y / size, z / size, w / size];
  };
  for (let j = 0; j < model.joints.length; j++) {
    const force = [...frame.joints.force.subarray(3 * j, 3 * j + 3)], [a, b] = model.joint_bodies.subarray(2 * j, 2 * j + 2);
    const frameOf = numbers => numbers.subarray(7 * j, 7 * j + 7);
    // The force on b is given in the joint frame on a.
    const ofA = frameOf(model.joint_frame_a), local = turned([ofA[4], ofA[5], ofA[6], ofA[3]], force);
    const world = a >= 0 ? turned(pose(a), local) : local;
    for (const [body, numbers, sign] of [[a, ofA, -1], [b, frameOf(model.joint_frame_b), 1]])
      if (body >= 0) add(tensors, body, world.map(x => sign * x), turned(pose(body), [...numbers.subarray(0, 3)]));
  }
}

/** Six components for every body, Pa. */
export function stressTensors(model, frame) {
  const tensors = new Float64Array(6 * model.bodies), { contacts } = frame;
  for (let c = 0; c < (contacts?.count ?? 0); c++)
    for (const [side, sign] of [[0, -1], [1, 1]]) {
      const body = contacts.bodies[2 * c + side];
      const force = [0, 1, 2].map(k => (sign * contacts.impulse[3 * c + k]) / model.stepLength);
      add(tensors, body, force, [0, 1, 2].map(k => contacts.point[3 * c + k] - frame.position[3 * body + k]));
    }
  if (frame.joints) addJoints(tensors, model, frame);
  volumes(model).forEach((volume, body) => { for (let k = 0; k < 6; k++) tensors[6 * body + k] = volume > 0 ? tensors[6 * body + k] / volume : 0; });
  return tensors;
}

/** Mean of the normal stresses; positive where a body is compressed. */
export const pressureOf = (t, body) => (t[6 * body] + t[6 * body + 1] + t[6 * body + 2]) / 3;

/** Von Mises' equivalent stress, √(3/2 s : s) with the deviator s. */
export function shearOf(t, body) {
  const [x, y, z, p, q, r] = t.subarray(6 * body, 6 * body + 6);
  return Math.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3 * (p * p + q * q + r * r));
}

/** A value for every body; tension counts as no pressure. */
export function stressValues(model, frame, kind) {
  const tensors = stressTensors(model, frame);
  return Float32Array.from({ length: model.bodies }, (_, body) => kind === 'pressure' ? Math.max(0, pressureOf(tensors, body)) : shearOf(tensors, body));
}
