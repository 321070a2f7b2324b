// What the panel says of the selected body: its state in the frame shown, and its contacts.

import { kindNames } from './model.js';
import { shortNumber, shortVector } from './numbers.js';

const element = id => document.getElementById(id);
const vector = (array, i) => [0, 1, 2].map(k => array[3 * i + k]);
const length = v => Math.hypot(...v);
const listed = v => shortVector(v).join(', ');

function row(...cells) {
  const line = document.createElement('tr');
  for (const cell of cells) line.append(Object.assign(document.createElement('td'), { textContent: cell }));
  return line;
}

function headRow(...cells) {
  const line = document.createElement('tr');
  for (const cell of cells) line.append(Object.assign(document.createElement('th'), { textContent: cell }));
  return line;
}

/** Kinetic energy ½ m v² + ½ ω·I ω, with ω in the body frame, whose axes are the principal ones. */
function kineticEnergy(model, frame, body) {
  const [w, x, y, z] = [0, 1, 2, 3].map(k => frame.orientation[4 * body + k] / 32767);
  const [a, b, c] = vector(frame.angular, body);
  const tx = 2 * (-y * c + z * b), ty = 2 * (-z * a + x * c), tz = 2 * (-x * b + y * a);
  const local = [a + w * tx - y * tz + z * ty, b + w * ty - z * tx + x * tz, c + w * tz - x * ty + y * tx];
  const turning = local.reduce((sum, rate, k) => sum + model.body_moments[3 * body + k] * rate * rate, 0);
  return 0.5 * model.body_mass[body] * length(vector(frame.velocity, body)) ** 2 + 0.5 * turning;
}

/** Contacts of a body with normal and tangential force, strongest first. */
export function contactsOf(frame, body, stepLength) {
  const contacts = frame.contacts, found = [];
  for (let c = 0; c < (contacts?.count ?? 0); c++) {
    const [a, b] = [contacts.bodies[2 * c], contacts.bodies[2 * c + 1]];
    if (a !== body && b !== body) continue;
    const force = vector(contacts.impulse, c).map(x => x / stepLength), normal = vector(contacts.normal, c);
    const normalForce = force.reduce((sum, x, k) => sum + x * normal[k], 0);
    const tangential = length(force.map((x, k) => x - normalForce * normal[k]));
    found.push({ other: a === body ? b : a, gap: contacts.gap[c], normalForce, tangential });
  }
  return found.sort((p, q) => q.normalForce - p.normalForce);
}

export class Inspector {
  constructor(model) { this.model = model; }

  show(body, frame) {
    const { model } = this;
    element('inspector').hidden = body < 0;
    element('hint').hidden = body >= 0;
    if (body < 0 || !frame) return;
    const velocity = vector(frame.velocity, body);
    element('body-name').textContent = model.names[body];
    element('body-facts').replaceChildren(
      row('motion', kindNames[model.body_kind[body]]),
      ...(model.materials.length ? [row('material', model.materials[model.bodyMaterial[body]] || 'default')] : []),
      row('mass', `${shortNumber(model.body_mass[body])} kg`),
      row('time', `${frame.time.toFixed(4)} s`),
      row('position, m', listed(vector(frame.position, body))),
      row('velocity, m/s', listed(velocity)),
      row('speed', `${shortNumber(length(velocity))} m/s`),
      row('turning', `${shortNumber(length(vector(frame.angular, body)))} rad/s`),
      row('kinetic energy', `${shortNumber(kineticEnergy(model, frame, body))} J`));
    const contacts = contactsOf(frame, body, model.stepLength);
    element('contact-title').textContent = frame.contacts
      ? `${contacts.length} contact${contacts.length === 1 ? '' : 's'}, forces in N` : 'contacts are not in this page';
    element('contact-table').replaceChildren(
      ...(contacts.length ? [headRow('with', 'normal', 'friction', 'gap, m')] : []),
      ...contacts.slice(0, 60).map(c => row(model.names[c.other], shortNumber(c.normalForce), shortNumber(c.tangential), shortNumber(c.gap))));
  }
}
