// The part of the panel that `talus play` adds: pause, step, start again, drop, friction.

import { shortNumber } from './numbers.js';

const element = id => document.getElementById(id);
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
const pressed = (button, on) => button.setAttribute('aria-pressed', String(on));

export class PlayPanel {
  constructor(model, session, grab, bodyRadius) {
    Object.assign(this, { session, grab, shown: {}, frictions: [] });
    const section = element('play-panel');
    section.hidden = false;
    section.append(make('h2', { textContent: 'Play' }), this.buttons(), this.drops(bodyRadius), this.sliders(model),
      make('p', { id: 'play-facts' }), make('p', { id: 'play-trouble', hidden: true }));
    element('play-trouble').setAttribute('role', 'status');
    element('hint').textContent = 'Drag a body to pull it (Shift turns the camera instead), click it to see its forces.';
  }

  buttons() {
    const row = make('div', { className: 'buttons' });
    const add = (id, textContent, title, what) => {
      const button = make('button', { id, textContent, title });
      button.addEventListener('click', () => this.session.ask(what()));
      row.append(button);
      return button;
    };
    this.pause = add('play-pause', 'pause', 'Pause or go on (space)', () => ({ do: 'pause', on: !this.shown.paused }));
    add('play-step', 'step', 'One step, then pause (→)', () => ({ do: 'step' }));
    add('play-reset', 'start again', 'Back to the start of the scene', () => ({ do: 'reset' }));
    return row;
  }

  drops(bodyRadius) {
    const row = make('div', { className: 'buttons' });
    const scale = make('input', { type: 'range', id: 'drop-size', min: -2, max: 2, step: 0.1, value: 0 });
    const set = shape => {
      const on = shape !== null && this.grab.dropping?.shape !== shape;
      this.grab.dropping = on ? { shape, size: bodyRadius * 2 ** Number(scale.value) } : null;
      for (const [name, button] of Object.entries(this.dropButtons)) pressed(button, on && name === shape);
      element('scene').classList.toggle('measuring', on);
    };
    this.dropButtons = {};
    for (const shape of ['ball', 'box']) {
      const button = this.dropButtons[shape] = make('button', { id: `drop-${shape}`, textContent: `drop ${shape}`, title: 'Then click where it shall fall; Esc ends it' });
      pressed(button, false);
      button.addEventListener('click', () => set(shape));
      row.append(button);
    }
    scale.addEventListener('input', () => { if (this.grab.dropping) this.grab.dropping.size = bodyRadius * 2 ** Number(scale.value); });
    this.stopDropping = () => set(null);
    const label = make('label', { className: 'slider', textContent: 'size ' });
    label.append(scale);
    const both = make('div', {});
    both.append(row, label);
    return both;
  }

  sliders(model) {
    const box = make('div', {});
    model.materials.forEach((name, m) => {
      const label = make('label', { className: 'slider', textContent: `friction${model.materials.length > 1 ? ` of ${name}` : ''} ` });
      const slider = make('input', { type: 'range', min: 0, max: 1.2, step: 0.01 }), value = make('output', {});
      slider.dataset.material = m;
      slider.addEventListener('input', () => { value.textContent = slider.value; this.session.ask({ do: 'friction', material: m, value: Number(slider.value) }); });
      label.append(slider, value);
      box.append(label);
      this.frictions.push({ slider, value });
    });
    return box;
  }

  update(info) {
    this.shown = info;
    this.pause.textContent = info.paused ? 'go on' : 'pause';
    info.friction.forEach((friction, m) => {
      const { slider, value } = this.frictions[m];
      if (document.activeElement === slider) return;
      slider.max = Math.max(1.2, friction);
      slider.value = friction;
      value.textContent = shortNumber(friction);
    });
    element('play-facts').textContent = info.paused ? `step ${info.step}, paused` : `step ${info.step}, ${shortNumber(Number(info.achieved.toPrecision(2)))} × real time`;
    this.say(info.trouble);
  }
  say(text) {
    element('play-trouble').textContent = text ?? '';
    element('play-trouble').hidden = !text;
  }
}
