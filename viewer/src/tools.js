// Measuring, section, paths, export, search: what the panel offers beside settings.

import { Film, canFilm, savePicture } from './exports.js';
import { Finder } from './finder.js';
import { shortNumber } from './numbers.js';

const element = id => document.getElementById(id);
const pressed = (button, on) => button.setAttribute('aria-pressed', String(on));

export class Tools {
  constructor(viewer, player, options) {
    Object.assign(this, { viewer, player });
    this.finder = new Finder(viewer.model, (kind, index) => { if (kind === 'joint') viewer.selectJoint(index); else viewer.select(index); });
    this.addSection(options);
    this.addExports();
    element('measure').addEventListener('click', () => this.setMeasuring(!viewer.measure.on));
    element('trail').addEventListener('click', () => this.toggleTrail());
    for (const name of options.getAll('path')) this.toggleTrail(viewer.model.names.indexOf(name));
  }

  renew() { this.finder.setModel(this.viewer.model); }

  setMeasuring(on) {
    this.viewer.measure.start(on);
    pressed(element('measure'), on);
    element('scene').classList.toggle('measuring', on);
    this.viewer.changed = true;
  }
  toggleTrail(body = this.viewer.selected) {
    if (body < 0) return;
    this.viewer.trails.toggle(body);
    this.viewer.changed = true;
  }

  addSection(options) {
    const { viewer } = this, axis = element('section-axis'), place = element('section-place'), flip = element('section-flip');
    const apply = () => {
      for (const control of [place, flip]) control.disabled = axis.value === 'off';
      viewer.section.set({ axis: axis.value, place: Number(place.value), flipped: flip.getAttribute('aria-pressed') === 'true' });
      place.title = axis.value === 'off' ? '' : `${axis.value} = ${shortNumber(viewer.section.at)} m`;
      viewer.changed = true;
    };
    axis.addEventListener('change', apply);
    place.addEventListener('input', apply);
    flip.addEventListener('click', () => { pressed(flip, flip.getAttribute('aria-pressed') !== 'true'); apply(); });
    const [, letter, at] = /^([xyz])(?::([\d.]+))?$/.exec(options.get('section') ?? '') ?? [];
    if (letter) { axis.value = letter; if (at) place.value = at; }
    apply();
  }

  addExports() {
    const film = element('save-webm');
    this.film = new Film(this.viewer, this.player, blob => { pressed(film, false); this.lastFilm = blob; this.viewer.changed = true; });
    element('save-png').addEventListener('click', async () => { this.lastPicture = await savePicture(this.viewer); });
    film.hidden = !canFilm();
    film.addEventListener('click', () => {
      if (this.film.running) this.film.stop(); else this.film.start();
      pressed(film, this.film.running);
      this.viewer.changed = true;
    });
  }

  /** Lengths of arrows in words, with a bar as long as they are at the middle of the scene. */
  scales() {
    const { marks, velocities, chains, resultant, stage, selected, selectedJoint } = this.viewer;
    const height = stage.canvas.clientHeight, away = stage.camera.position.distanceTo(stage.controls.target);
    const pixels = length => (length / (2 * away * Math.tan((stage.camera.fov * Math.PI) / 360))) * height;
    const entries = [];
    const add = (on, colour, text, value, length) => {
      if (!on) return;
      // A round value whose arrow is legible.
      const power = 10 ** Math.floor(Math.log10(value)), round = [1, 2, 5, 10].find(f => f * power >= value * 0.999) * power;
      entries.push({ colour, text: `${text} ${shortNumber(round)}`, wide: Math.min(130, Math.max(4, pixels((length * round) / value))) });
    };
    add(marks.arrows.visible || selected >= 0, '#e8554d', 'force of a contact, N:', marks.unitForce, marks.factor * marks.unitLength);
    add(selected >= 0 || selectedJoint >= 0, '#8a3ffc', 'resultant, N:', resultant.unitForce, resultant.factor * resultant.unitLength);
    add(velocities.visible, '#2f7de0', 'velocity, m/s:', velocities.unitSpeed, velocities.factor * velocities.unitLength);
    if (chains.visible) entries.push({ colour: '#d8452f', text: `force chains: this width is ${shortNumber(chains.unitForce)} N`, wide: 18, tall: Math.max(2, 2 * pixels(chains.unitRadius)) });
    return entries;
  }

  update() {
    const { viewer } = this, entries = this.scales(), key = JSON.stringify(entries);
    pressed(element('trail'), viewer.trails.has(viewer.selected));
    this.film.watch();
    if (this.shownScales === key) return;
    this.shownScales = key;
    element('scales').replaceChildren(...entries.map(({ colour, text, wide, tall }) => {
      const line = Object.assign(document.createElement('div'), { className: 'scale' }), bar = document.createElement('i');
      Object.assign(bar.style, { background: colour, width: `${wide}px`, ...(tall && { height: `${Math.min(14, tall)}px` }) });
      line.append(bar, text);
      return line;
    }));
  }
}
