// Buttons, keys and pointer.

import { drawScale } from './colours.js';
import { addHelp } from './help.js';
import { shortNumber } from './numbers.js';
import { presets } from './stage.js';
import { Tools } from './tools.js';

const element = id => document.getElementById(id);
/** Titles of the scale of colours. */
const colourings = { speed: 'speed, m/s', force: 'largest contact force, N', pressure: 'pressure in the body, Pa', shear: 'shear stress in the body (von Mises), Pa' };
const pressed = (button, on) => button.setAttribute('aria-pressed', String(on));

export class Controls {
  constructor(viewer, player, plots, inspector, options) {
    Object.assign(this, { viewer, player, plots, inspector });
    const { model } = viewer;
    element('title').textContent = model.title;
    document.title = `${model.title} – Talus`;
    this.addPresets(options.get('camera'));
    this.addTransport(options);
    this.addColours(options.get('colour') ?? (model.bodies > 200 ? 'speed' : 'id'));
    this.addSwitches(options);
    this.tools = new Tools(viewer, player, options, time => this.labels(time));
    this.addSelection(options);
    this.addKeys();
    addHelp();
    // On a phone the panel would hide the scene.
    this.showPanel(!matchMedia('(max-width: 720px)').matches);
    this.setTheme(options.get('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
    document.body.classList.toggle('bare', options.has('bare'));
    const resize = () => {
      const stage = element('stage'), panel = element('panel');
      const shown = !panel.hidden && !options.has('bare'), beside = panel.offsetWidth < 0.45 * stage.clientWidth;
      const foot = Math.min(panel.offsetHeight + 8, 0.7 * stage.clientHeight); // of a phone
      viewer.stage.resize(stage.clientWidth, stage.clientHeight, undefined, { right: shown && beside ? panel.offsetWidth + 14 : 0, foot: shown && !beside ? foot : 0 });
      plots.resize();
      viewer.changed = true;
    };
    this.resize = resize;
    if (!options.has('render')) new ResizeObserver(resize).observe(element('stage')); // those pictures have a size of their own
    resize();
    this.setPreset(options.get('camera') ?? 'iso');
  }

  addPresets() {
    for (const name of presets) {
      const button = Object.assign(document.createElement('button'), { textContent: name });
      button.addEventListener('click', () => this.setPreset(name));
      element('presets').append(button);
    }
  }
  setPreset(name) {
    this.viewer.stage.setPreset(presets.includes(name) ? name : 'iso');
    this.viewer.changed = true;
  }

  addTransport(options) {
    const { player, viewer } = this;
    const act = (id, what) => element(id).addEventListener('click', () => { what(); viewer.changed = true; });
    act('play', () => { player.live = false; player.toggle(); });
    act('back', () => { player.live = false; player.step(-1); });
    act('forth', () => { player.live = false; player.step(1); });
    act('loop', () => { player.loop = !player.loop; pressed(element('loop'), player.loop); });
    act('live', () => { player.live = !player.live; });
    element('scrubber').addEventListener('input', event => { player.live = false; player.seek(Number(event.target.value)); viewer.changed = true; });
    element('speed').addEventListener('change', event => { player.speed = Number(event.target.value); });
    if (options.has('time')) { player.live = false; player.seek(Number(options.get('time'))); }
    if (options.has('play')) player.playing = true;
  }

  addColours(by) {
    const select = element('colour');
    element('grid-size').textContent = `squares of ${shortNumber(this.viewer.stage.floor.cell)} m`;
    drawScale(element('legend-bar'));
    const apply = () => {
      const range = this.viewer.setColours(select.value);
      element('legend').hidden = range === 0;
      this.legend = range === 0 ? null : { title: colourings[select.value], high: `≥ ${shortNumber(range)}` };
      element('legend-title').textContent = this.legend?.title ?? '';
      element('legend-low').textContent = '0';
      element('legend-high').textContent = this.legend?.high ?? '';
    };
    select.value = by;
    if (!select.value) select.value = 'id';
    select.addEventListener('change', apply);
    apply();
  }

  addSwitches(options) {
    const { viewer } = this, { marks, joints, stage, bodies } = viewer;
    const connect = (id, on, apply) => {
      const box = element(id);
      box.checked = options.has(id) ? options.get(id) !== '0' : on;
      box.addEventListener('change', () => { apply(box.checked); viewer.changed = true; });
      apply(box.checked);
    };
    connect('show-contacts', false, on => marks.points.show(on));
    connect('show-forces', false, on => marks.arrows.show(on));
    connect('show-chains', false, on => viewer.chains.show(on));
    connect('show-thrust', false, on => viewer.thrust.show(on));
    connect('show-velocities', false, on => viewer.velocities.show(on));
    connect('show-joints', viewer.model.joints.length > 0 && viewer.model.joints.length <= 200, on => joints.show(on));
    connect('show-floor', true, on => { stage.floor.group.visible = on; element('grid-size').hidden = !on; });
    connect('show-shade', stage.shaded || options.has('render'), on => { stage.shaded = on; });
    connect('see-through', false, on => bodies.setSeeThrough(on));
    for (const id of ['show-joints']) element(id).closest('label').hidden = viewer.model.joints.length === 0;
    element('force-scale').addEventListener('input', event => {
      for (const arrows of [marks, viewer.velocities, viewer.resultant]) arrows.factor = 2 ** Number(event.target.value);
      viewer.changed = true;
    });
  }

  addSelection(options) {
    const { viewer } = this, canvas = viewer.stage.canvas;
    let down = null;
    canvas.addEventListener('pointerdown', event => { down = [event.clientX, event.clientY]; });
    canvas.addEventListener('pointerup', event => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4 && viewer.shown) this.pick(event.clientX, event.clientY);
      down = null;
    });
    element('deselect').addEventListener('click', () => viewer.select(-1));
    element('follow').addEventListener('click', () => this.follow(!viewer.following));
    if (options.has('body')) viewer.select(viewer.model.names.indexOf(options.get('body')));
    if (options.has('joint')) viewer.selectJoint(viewer.model.joints.indexOf(options.get('joint')));
    if (options.has('follow')) this.follow(true);
  }
  /** A point to measure from, a joint, or a body. */
  pick(x, y) {
    const { viewer } = this;
    if (viewer.measure.on) {
      const { body, local } = viewer.placeAt(x, y);
      if (body >= 0) viewer.measure.add(body, local);
      viewer.changed = true;
      return;
    }
    const joint = viewer.jointAt(x, y);
    if (joint >= 0) viewer.selectJoint(joint); else viewer.select(viewer.bodyAt(x, y));
  }

  follow(on) {
    const { viewer } = this;
    viewer.following = on && viewer.selected >= 0;
    viewer.changed = true;
  }

  addKeys() {
    const playing = (id, otherwise) => () => element(this.playing ? id : otherwise).click();
    const keys = {
      ' ': playing('play-pause', 'play'), ArrowLeft: () => element('back').click(), ArrowRight: playing('play-step', 'forth'),
      l: () => element('loop').click(), d: () => element('theme').click(), p: () => element('toggle-panel').click(),
      Escape: () => { this.tools.setMeasuring(false); this.playing?.panel.stopDropping(); this.viewer.select(-1); }, '?': () => element('help').showModal(),
      m: () => element('measure').click(), t: () => this.tools.toggleTrail(), c: () => element('show-chains').click(), v: () => element('show-velocities').click(),
      '/': () => { this.showPanel(true); element('finder').open = true; element('search').focus(); }, f: () => this.follow(!this.viewer.following),
      Home: () => this.player.seek(this.player.frames.start), End: () => this.player.seek(this.player.frames.end),
    };
    presets.forEach((name, i) => { keys[String(i + 1)] = () => this.setPreset(name); });
    window.addEventListener('keydown', event => {
      const { tagName, type } = event.target;
      if (element('help').open || (tagName === 'INPUT' && ['search', 'number', 'text'].includes(type))) return;
      if (event.ctrlKey || event.metaKey || event.altKey || tagName === 'SELECT' || type === 'range') return;
      if ((tagName === 'BUTTON' || type === 'checkbox') && event.key === ' ') return; // presses it
      const action = keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
      this.viewer.changed = true;
    });
    element('theme').addEventListener('click', () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'));
    element('toggle-panel').addEventListener('click', () => this.showPanel(element('panel').hidden));
  }
  showPanel(on) {
    element('panel').hidden = !on;
    this.resize?.();
    element('toggle-panel').setAttribute('aria-expanded', String(on));
  }

  /** After viewer.setModel(). */
  renew() {
    const { viewer } = this;
    this.inspector.model = viewer.model;
    this.tools.renew();
    viewer.bodies.setSeeThrough(element('see-through').checked);
    this.setTheme(this.theme);
  }

  setTheme(name) {
    this.theme = name === 'dark' ? 'dark' : 'light';
    document.documentElement.dataset.theme = this.theme;
    this.viewer.stage.setTheme(this.theme, this.viewer.bodies, this.viewer.joints);
    this.plots.setTheme(this.theme);
    this.viewer.changed = true;
  }

  /** What labelled() writes on a picture. */
  labels(time) {
    return { time, legend: this.legend, scalesFor: height => this.tools.scales(height), grid: element('grid-size').hidden ? '' : element('grid-size').textContent, theme: this.theme };
  }

  facts() {
    const { model, frames } = this.viewer;
    const counted = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : word.endsWith('y') ? '' : 's'}`;
    const parts = [`${model.bodies.toLocaleString('en')} ${model.bodies === 1 ? 'body' : 'bodies'}`];
    if (model.joints.length) parts.push(counted(model.joints.length, 'joint'));
    parts.push(counted(frames.count, 'frame'));
    return parts.join(' · ');
  }

  /** Brings everything outside the scene up to date with the frame shown. */
  update(frame) {
    const { player, viewer } = this, { frames } = viewer;
    const scrubber = element('scrubber');
    scrubber.min = frames.start;
    scrubber.max = frames.end;
    if (Number(scrubber.value) !== player.time) scrubber.value = player.time;
    element('clock').textContent = `${player.time.toFixed(3)} / ${frames.end.toFixed(3)} s`;
    element('play').classList.toggle('playing', player.playing);
    element('play').setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    pressed(element('live'), player.live);
    pressed(element('follow'), viewer.following);
    element('facts').textContent = this.facts();
    this.tools.update();
    this.inspector.show(viewer.selected, viewer.selectedJoint, frame);
  }
}
