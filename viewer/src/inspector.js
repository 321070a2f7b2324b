// What the panel says of the selected body: its state in the frame shown, and its contacts.

import { Kind, kindNames } from './model.js';
import { shortNumber, shortVector } from './numbers.js';
import { pressureOf, shearOf, stressTensors } from './stress.js';
import { contactResultant } from './vectors.js';

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

function noteRow(text, columns) {
  const line = row(text);
  line.firstChild.colSpan = columns;
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

const mostRows = 60;

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

/** "friction 0.5, restitution 0.1, 1e7 N/m". */
function materialFacts(model, m) {
  const parts = [];
  if (model.material_friction?.[m] !== undefined) parts.push(`friction ${shortNumber(model.material_friction[m])}`);
  if (model.material_restitution?.[m] > 0) parts.push(`restitution ${shortNumber(model.material_restitution[m])}`);
  if (model.material_rolling?.[m] > 0) parts.push(`rolling ${shortNumber(model.material_rolling[m])} m`);
  return parts.join(', ');
}
const stiffnessOf = (model, m) => {
  const value = model.material_stiffness?.[m];
  return value === undefined ? null : !Number.isFinite(value) ? 'not given' : value > 0 ? `${shortNumber(value)} N/m` : 'automatic';
};
const resultantRows = (force, torque) => [
  row('force, N', listed(force)), row('size', `${shortNumber(length(force))} N`), ...(torque ? [row('torque, N m', listed(torque))] : [])];

export class Inspector {
  constructor(model) { this.model = model; }

  /** Of the picked body or joint; -1 for none. */
  show(body, joint, frame) {
    element('inspector').hidden = body < 0 && joint < 0;
    element('hint').hidden = body >= 0 || joint >= 0;
    for (const id of ['follow', 'trail', 'resultant-title']) element(id).hidden = body < 0;
    if (!frame) return;
    if (body >= 0) this.showBody(body, frame);
    else if (joint >= 0) this.showJoint(joint, frame);
  }

  showJoint(joint, frame) {
    const { model } = this, kind = model.jointKinds[joint], slides = kind === 'prismatic';
    const name = body => body < 0 ? 'ground' : model.names[body];
    const facts = [row('joint', kind.replaceAll('_', ' ')), row('between', `${name(model.joint_bodies[2 * joint])}, ${name(model.joint_bodies[2 * joint + 1])}`),
      row('time', `${frame.time.toFixed(4)} s`)];
    const numbers = frame.joints;
    if (numbers && ['revolute', 'cylindrical', 'prismatic'].includes(kind)) facts.push(
      row('position', `${shortNumber(numbers.position[joint])} ${slides ? 'm' : 'rad'}`),
      row('velocity', `${shortNumber(numbers.velocity[joint])} ${slides ? 'm/s' : 'rad/s'}`),
      row('motor', `${shortNumber(numbers.effort[joint])} ${slides ? 'N' : 'N m'}`));
    element('body-name').textContent = model.joints[joint];
    element('body-facts').replaceChildren(...facts);
    element('contact-title').textContent = numbers ? 'on the second body, in the joint frame' : 'forces of joints are not in this run';
    element('contact-table').replaceChildren(...(numbers ? resultantRows(vector(numbers.force, joint), vector(numbers.torque, joint)) : []));
    element('resultant').replaceChildren();
  }

  showBody(body, frame) {
    const { model } = this;
    const velocity = vector(frame.velocity, body);
    element('body-name').textContent = model.names[body];
    element('body-facts').replaceChildren(
      row('motion', kindNames[model.body_kind[body]]),
      ...(model.materials.length ? [row('material', model.materials[model.bodyMaterial[body]] || 'default')] : []),
      ...(materialFacts(model, model.bodyMaterial[body]) ? [row('', materialFacts(model, model.bodyMaterial[body]))] : []),
      ...(stiffnessOf(model, model.bodyMaterial[body]) ? [row('stiffness', stiffnessOf(model, model.bodyMaterial[body]))] : []),
      row('mass', `${shortNumber(model.body_mass[body])} kg`),
      row('time', `${frame.time.toFixed(4)} s`),
      row('position, m', listed(vector(frame.position, body))),
      row('velocity, m/s', listed(velocity)),
      row('speed', `${shortNumber(length(velocity))} m/s`),
      row('turning', `${shortNumber(length(vector(frame.angular, body)))} rad/s`),
      row('kinetic energy', `${shortNumber(kineticEnergy(model, frame, body))} J`));
    const resultant = contactResultant(frame, body, model.stepLength);
    element('resultant').replaceChildren(...(resultant ? resultantRows(resultant, frame.contactTorque && vector(frame.contactTorque, body)) : []));
    if (frame.contacts && model.body_kind[body] === Kind.dynamic) {
      const stress = stressTensors(model, frame);
      element('resultant').append(row('pressure inside', `${shortNumber(pressureOf(stress, body))} Pa`), row('shear stress', `${shortNumber(shearOf(stress, body))} Pa`));
    }
    const contacts = contactsOf(frame, body, model.stepLength);
    element('contact-title').textContent = frame.contacts
      ? `${contacts.length} contact${contacts.length === 1 ? '' : 's'}, forces in N` : 'contacts are not in this page';
    element('contact-table').replaceChildren(
      ...(contacts.length ? [headRow('with', 'normal', 'friction', 'gap, m')] : []),
      ...contacts.slice(0, mostRows).map(c => row(model.names[c.other], shortNumber(c.normalForce), shortNumber(c.tangential), shortNumber(c.gap))),
      ...(contacts.length > mostRows ? [noteRow(`and ${contacts.length - mostRows} weaker ones`, 4)] : []));
  }
}
