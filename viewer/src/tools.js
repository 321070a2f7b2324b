// Measuring, section, paths, export, search: what the panel offers beside settings.

import { Film, GifExport, canFilm, savePicture } from './exports.js';
import { Finder } from './finder.js';
import { shortNumber } from './numbers.js';

const element = id => document.getElementById(id);
const pressed = (button, on) => button.setAttribute('aria-pressed', String(on));

export class Tools {
  /** `labels(time)`: what is written on pictures. */
  constructor(viewer, player, options, labels) {
    Object.assign(this, { viewer, player, labels });
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
    const { viewer, player, labels } = this, buttons = { webm: element('save-webm'), mp4: element('save-mp4') }, gif = element('save-gif');
    this.film = new Film(viewer, player, labels, blob => {
      for (const button of Object.values(buttons)) pressed(button, false);
      this.lastFilm = blob;
      viewer.changed = true;
    });
    element('save-png').addEventListener('click', async () => { this.lastPicture = await savePicture(viewer, () => labels(player.time)); });
    for (const [kind, button] of Object.entries(buttons)) {
      button.disabled = !canFilm(kind);
      if (button.disabled) button.title = 'This browser cannot film so; `talus render` can';
      button.addEventListener('click', () => {
        if (this.film.running) this.film.stop(); else { this.film.start(kind); pressed(button, true); }
        viewer.changed = true;
      });
    }
    const done = () => { gif.textContent = 'GIF'; pressed(gif, false); };
    this.gif = new GifExport(viewer, player, labels, share => { gif.textContent = `${Math.round(100 * share)} %`; }, blob => { this.lastGif = blob; done(); });
    gif.addEventListener('click', () => {
      if (this.gif.running) { this.gif.stop(); return; }
      pressed(gif, true);
      this.gif.start().catch(error => { done(); throw error; });
    });
  }

  /** Lengths of arrows in words, with a bar as long as they are at the middle of a picture so many pixels tall. */
  scales(height = this.viewer.stage.canvas.clientHeight) {
    const { marks, velocities, chains, resultant, joints, stage, selected, selectedJoint } = this.viewer;
    const away = stage.camera.position.distanceTo(stage.controls.target);
    const pixels = length => (length / (2 * away * Math.tan((stage.camera.fov * Math.PI) / 360))) * height;
    const entries = [];
    const roundAbove = value => { const power = 10 ** Math.floor(Math.log10(value)); return [1, 2, 5, 10].find(f => f * power >= value * 0.999) * power; };
    const add = (on, colour, text, value, length) => {
      if (!on) return;
      const round = roundAbove(value); // its arrow is legible
      entries.push({ colour, text: `${shortNumber(round)} ${text}`, wide: Math.min(130, Math.max(4, pixels((length * round) / value))) });
    };
    add(marks.arrows.visible || selected >= 0, '#e8554d', 'N  contact force', marks.unitForce, marks.factor * marks.unitLength);
    add(selected >= 0 || selectedJoint >= 0, '#8a3ffc', 'N  resultant', resultant.unitForce, resultant.factor * resultant.unitLength);
    add(velocities.visible, '#2f7de0', 'm/s  velocity', velocities.unitSpeed, velocities.factor * velocities.unitLength);
    if (chains.visible) {
      const round = roundAbove(chains.unitForce);
      entries.push({ colour: '#d8452f', text: `${shortNumber(round)} N  force chains`, wide: 18, tall: Math.max(2, (2 * pixels(chains.unitRadius) * round) / chains.unitForce) });
    }
    const { turn, slide } = joints.efforts;
    if (joints.visible && turn + slide > 0) {
      const sizes = [turn > 0 && `${shortNumber(turn)} N m`, slide > 0 && `${shortNumber(slide)} N`].filter(Boolean).join(', ');
      entries.push({ colour: joints.motorMaterial.color.getStyle(), text: `motors, up to ${sizes}`, wide: 18, tall: 4 });
    }
    return entries;
  }

  update() {
    const { viewer } = this, entries = this.scales(), key = JSON.stringify(entries);
    pressed(element('trail'), viewer.trails.has(viewer.selected));
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
