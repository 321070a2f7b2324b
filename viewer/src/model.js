// The part of a run that does not move, with what follows from it.

export const Shape = { sphere: 0, box: 1, capsule: 2, cylinder: 3, ellipsoid: 4, halfSpace: 5, hull: 6, mesh: 7, heightField: 8 };
export const Kind = { dynamic: 0, fixed: 1, kinematic: 2 };
export const kindNames = ['dynamic', 'fixed', 'kinematic'];

const lines = text => text.split('\n').slice(0, -1);

export function makeModel(sections) {
  const model = { ...sections };
  model.names = lines(sections.body_names);
  model.materials = lines(sections.material_names);
  model.joints = lines(sections.joint_names);
  model.jointKinds = lines(sections.joint_kinds);
  model.bodies = sections.body_kind.length;
  model.shapes = sections.shape_kind.length;
  model.stepLength = sections.step[0];
  model.bodyMaterial = new Int32Array(model.bodies);
  model.bodyRadius = new Float32Array(model.bodies); // about the centre of mass; planes do not count
  for (let s = 0; s < model.shapes; s++) {
    const body = sections.shape_body[s];
    model.bodyMaterial[body] = sections.shape_material[s];
    model.bodyRadius[body] = Math.max(model.bodyRadius[body], reachOf(sections, s));
  }
  model.up = upFrom(sections.gravity);
  return model;
}

/** The world axis most opposed to gravity. */
function upFrom(gravity) {
  if (!gravity || gravity.length < 3 || gravity.every(g => g === 0)) return [0, 0, 1];
  const k = [0, 1, 2].reduce((best, i) => Math.abs(gravity[i]) > Math.abs(gravity[best]) ? i : best, 0);
  return [0, 1, 2].map(i => i === k ? -Math.sign(gravity[k]) : 0);
}

/** How far from the centre of mass a shape reaches at most. */
export function reachOf(model, s) {
  const kind = model.shape_kind[s];
  if (kind === Shape.halfSpace) return 0;
  const at = model.shape_frame.subarray(7 * s, 7 * s + 3), size = model.shape_size.subarray(3 * s, 3 * s + 3);
  const offset = Math.hypot(...at);
  if (kind === Shape.sphere) return offset + size[0];
  if (kind === Shape.ellipsoid) return offset + Math.max(...size);
  if (kind === Shape.capsule) return offset + size[0] + size[2];
  if (kind === Shape.box) return offset + Math.hypot(...size);
  if (kind === Shape.cylinder) return offset + Math.hypot(size[0], size[2]);
  let reach = 0;
  const first = model.shape_first_triangle[s], end = first + model.shape_triangles[s];
  for (let i = 3 * first; i < 3 * end; i++) {
    const p = 3 * model.mesh_triangles[i];
    reach = Math.max(reach, Math.hypot(model.mesh_points[p], model.mesh_points[p + 1], model.mesh_points[p + 2]));
  }
  return reach;
}

/** Pose of a body between two frames, as the shaders blend it: [x, y, z] and quaternion [x, y, z, w]. */
export function poseOf(body, a, b, blend) {
  const position = [0, 1, 2].map(k => a.position[3 * body + k] * (1 - blend) + b.position[3 * body + k] * blend);
  const qa = [1, 2, 3, 0].map(k => a.orientation[4 * body + k]), qb = [1, 2, 3, 0].map(k => b.orientation[4 * body + k]);
  const sign = qa.reduce((sum, x, k) => sum + x * qb[k], 0) < 0 ? -1 : 1;
  const q = qa.map((x, k) => x * (1 - blend) + sign * qb[k] * blend), size = Math.hypot(...q) || 1;
  return { position, rotation: q.map(x => x / size) };
}

/** Vector v turned by the quaternion [x, y, z, w]. */
export const turned = ([x, y, z, w], [a, b, c]) => {
  const tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
};
const corners = [-1, 1].flatMap(x => [-1, 1].flatMap(y => [-1, 1].map(z => [x, y, z])));

/** Hands points to `include` whose box, in the world, holds shape s of a body at a pose; none for half-spaces. */
export function boundingPoints(model, s, pose, include) {
  const kind = model.shape_kind[s];
  const toWorld = point => turned(pose.rotation, point).map((x, k) => x + pose.position[k]);
  if (kind === Shape.halfSpace) return;
  if (kind >= Shape.hull) {
    const first = 3 * model.shape_first_triangle[s], end = first + 3 * model.shape_triangles[s];
    for (let i = first; i < end; i++) {
      const p = 3 * model.mesh_triangles[i];
      include(toWorld([...model.mesh_points.subarray(p, p + 3)]));
    }
    return;
  }
  const f = model.shape_frame.subarray(7 * s, 7 * s + 7), size = [...model.shape_size.subarray(3 * s, 3 * s + 3)];
  const centre = [f[0], f[1], f[2]], rotation = [f[4], f[5], f[6], f[3]];
  if (kind === Shape.sphere) {
    const at = toWorld(centre);
    for (const sign of [-1, 1]) include(at.map(x => x + sign * size[0]));
    return;
  }
  if (kind === Shape.capsule) size[2] += size[0];
  for (const corner of corners) include(toWorld(turned(rotation, corner.map((c, k) => c * size[k])).map((x, k) => x + centre[k])));
}
