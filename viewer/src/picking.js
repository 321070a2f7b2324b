// Which body a ray meets first, tested against the shapes themselves.

import { Shape, turned } from './model.js';
import { shapeFrame } from './bodies.js';

const turnedBack = ([x, y, z, w], v) => turned([-x, -y, -z, w], v);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Smallest t >= 0 with |from + t along| = 1 (in the first `dimensions` coordinates), and accepted. */
function roundHit(from, along, dimensions, accept = () => true) {
  let a = 0, b = 0, c = -1;
  for (let k = 0; k < dimensions; k++) { a += along[k] ** 2; b += from[k] * along[k]; c += from[k] ** 2; }
  const root = b * b - a * c;
  if (a === 0 || root < 0) return Infinity;
  for (const t of [(-b - Math.sqrt(root)) / a, (-b + Math.sqrt(root)) / a]) if (t >= 0 && accept(t)) return t;
  return Infinity;
}

function boxHit(from, along) {
  let enter = -Infinity, leave = Infinity;
  for (let k = 0; k < 3; k++) {
    if (along[k] === 0) { if (Math.abs(from[k]) > 1) return Infinity; continue; }
    const ends = [(-1 - from[k]) / along[k], (1 - from[k]) / along[k]].sort((p, q) => p - q);
    enter = Math.max(enter, ends[0]);
    leave = Math.min(leave, ends[1]);
  }
  return enter > leave || leave < 0 ? Infinity : Math.max(enter, 0);
}

/** Unit circle in x, y; z from -1 to 1. */
function cylinderHit(from, along, withLids) {
  let t = roundHit(from, along, 2, at => Math.abs(from[2] + at * along[2]) <= 1);
  if (!withLids || along[2] === 0) return t;
  for (const lid of [-1, 1]) {
    const at = (lid - from[2]) / along[2];
    if (at >= 0 && (from[0] + at * along[0]) ** 2 + (from[1] + at * along[1]) ** 2 <= 1) t = Math.min(t, at);
  }
  return t;
}

function capsuleHit(from, along, radius, half) {
  const scaled = v => [v[0] / radius, v[1] / radius, v[2] / half];
  let t = half > 0 ? cylinderHit(scaled(from), scaled(along), false) : Infinity;
  for (const end of [-half, half]) {
    const local = [from[0] / radius, from[1] / radius, (from[2] - end) / radius];
    t = Math.min(t, roundHit(local, along.map(x => x / radius), 3));
  }
  return t;
}

function triangleHit(from, along, a, b, c) {
  const ab = minus(b, a), ac = minus(c, a), p = cross(along, ac), determinant = dot(ab, p);
  if (determinant === 0) return Infinity;
  const offset = minus(from, a), u = dot(offset, p) / determinant;
  if (u < 0 || u > 1) return Infinity;
  const q = cross(offset, ab), v = dot(along, q) / determinant, t = dot(ac, q) / determinant;
  return v < 0 || u + v > 1 || t < 0 ? Infinity : t;
}

function meshHit(model, s, from, along) {
  let t = Infinity;
  const corner = i => { const p = 3 * model.mesh_triangles[i]; return model.mesh_points.subarray(p, p + 3); };
  const first = 3 * model.shape_first_triangle[s], end = first + 3 * model.shape_triangles[s];
  for (let i = first; i < end; i += 3) t = Math.min(t, triangleHit(from, along, corner(i), corner(i + 1), corner(i + 2)));
  return t;
}

/** Distance along the ray, in the frame of the body, to shape s. */
function shapeHit(model, s, from, along) {
  const kind = model.shape_kind[s];
  if (kind >= Shape.hull) return meshHit(model, s, from, along);
  const frame = shapeFrame(model, s);
  const localFrom = turnedBack(frame.rotation, minus(from, frame.position)), localAlong = turnedBack(frame.rotation, along);
  const size = model.shape_size.subarray(3 * s, 3 * s + 3);
  const scaled = v => v.map((x, k) => x / size[k]);
  if (kind === Shape.sphere || kind === Shape.ellipsoid) return roundHit(scaled(localFrom), scaled(localAlong), 3);
  if (kind === Shape.box) return boxHit(scaled(localFrom), scaled(localAlong));
  if (kind === Shape.cylinder) return cylinderHit(scaled(localFrom), scaled(localAlong), true);
  if (kind === Shape.capsule) return capsuleHit(localFrom, localAlong, size[0], size[2]);
  const t = -localFrom[2] / localAlong[2]; // half-space: the plane z = 0 of its frame
  return t >= 0 ? t : Infinity;
}

/** The body that a ray meets first and how far along the ray: {body, distance}; body -1 for none. `skip`: bodies one looks through. */
export function pick(model, poseOf, from, along, skip = new Set()) {
  let best = Infinity, body = -1, posedBody = -1, localFrom, localAlong;
  for (let s = 0; s < model.shapes; s++) {
    const candidate = model.shape_body[s];
    if (skip.has(candidate)) continue;
    if (candidate !== posedBody) {
      const { position, rotation } = poseOf(candidate);
      localFrom = turnedBack(rotation, minus(from, position));
      localAlong = turnedBack(rotation, along);
      posedBody = candidate;
    }
    // The ray passes the centre of mass at this distance; most bodies are out of reach.
    if (model.shape_kind[s] !== Shape.halfSpace) {
      const away = cross(localFrom, localAlong);
      if (dot(away, away) > model.bodyRadius[candidate] ** 2 * dot(localAlong, localAlong)) continue;
    }
    const t = shapeHit(model, s, localFrom, localAlong);
    if (t < best) { best = t; body = candidate; }
  }
  return { body, distance: best };
}
