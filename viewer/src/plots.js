// The strip of plots under the scene: energy, contacts, error and penetration over time, with a cursor at the present.

import { shortNumber } from './numbers.js';

const palette = { light: ['#1d63b8', '#d9822b', '#5b6570'], dark: ['#7ab3f5', '#f0a55f', '#b3bdc7'] };

/** What each panel shows; values are functions of a step's row. */
const panels = [
  { title: 'Energy', unit: 'J', curves: [{ name: 'kinetic', of: 'kinetic_energy' }, { name: 'potential', of: 'potential_energy', shifted: true }] },
  { title: 'Contacts', unit: '', curves: [{ name: '', of: 'contacts' }] },
  { title: 'Error of the solve', unit: '', logarithmic: true, curves: [{ name: '', of: 'error' }] },
  { title: 'Penetration', unit: 'm', curves: [{ name: '', of: 'max_penetration' }] },
];

export class Plots {
  /** `onSeek(time)` when somebody points at a time. */
  constructor(canvas, onSeek) {
    this.canvas = canvas;
    this.series = { time: [] };
    this.range = [0, 1];
    this.theme = 'light';
    this.paths = null;
    let dragging = false;
    const seek = event => {
      const box = canvas.getBoundingClientRect();
      const frame = this.frames().find(f => event.clientX - box.left <= f.left + f.width + 12) ?? this.frames().at(-1);
      const fraction = (event.clientX - box.left - frame.left) / frame.width;
      onSeek(this.range[0] + Math.min(1, Math.max(0, fraction)) * (this.range[1] - this.range[0]));
    };
    canvas.addEventListener('pointerdown', event => { dragging = true; canvas.setPointerCapture(event.pointerId); seek(event); });
    canvas.addEventListener('pointermove', event => { if (dragging) seek(event); });
    canvas.addEventListener('pointerup', () => { dragging = false; });
  }

  add(rows) {
    for (const [name, values] of Object.entries(rows)) {
      this.series[name] ??= [];
      for (const value of values) this.series[name].push(value);
    }
    this.paths = null;
  }

  setRange(start, end) {
    if (this.range[0] === start && this.range[1] === end) return;
    this.range = [start, Math.max(end, start + 1e-9)];
    this.paths = null;
  }
  setTheme(theme) { this.theme = theme; this.paths = null; }
  resize() { this.paths = null; }

  frames() {
    const gap = 34, width = (this.canvas.clientWidth - gap * (panels.length - 1) - 2) / panels.length;
    return panels.map((_, i) => ({ left: 1 + i * (width + gap), width, top: 21, height: this.canvas.clientHeight - 22 }));
  }

  /** The row at or before a time, -1 before the first. */
  rowAt(time) {
    const times = this.series.time;
    let low = -1, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time + 1e-9) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** Lowest and highest value in every column of pixels: fast, and no peak is lost. */
  columns(values, width, height) {
    const [start, end] = this.range;
    const low = new Float64Array(Math.ceil(width) + 1).fill(Infinity), high = new Float64Array(Math.ceil(width) + 1).fill(-Infinity);
    for (let i = 0; i < values.length; i++) {
      const column = Math.floor(((this.series.time[i] - start) / (end - start)) * width);
      if (column < 0 || column >= low.length || !Number.isFinite(values[i])) continue;
      low[column] = Math.min(low[column], values[i]);
      high[column] = Math.max(high[column], values[i]);
    }
    return { low, high };
  }

  path(columns, scale) {
    const path = new Path2D();
    let begun = false;
    for (let x = 0; x < columns.low.length; x++) {
      if (columns.low[x] === Infinity) continue;
      const ends = [scale(columns.low[x]), scale(columns.high[x])];
      for (const y of ends[0] === ends[1] ? [ends[0]] : ends) {
        if (begun) path.lineTo(x, y); else path.moveTo(x, y);
        begun = true;
      }
    }
    return path;
  }

  build() {
    this.paths = this.frames().map((frame, i) => {
      const panel = panels[i];
      const data = panel.curves.map(curve => {
        let values = this.series[curve.of] ?? [];
        if (curve.shifted) { const least = values.reduce((a, b) => Math.min(a, b), Infinity); values = values.map(v => v - least); }
        if (panel.logarithmic) values = values.map(v => v > 0 ? Math.log10(v) : NaN);
        return this.columns(values, frame.width, frame.height);
      });
      let low = Math.min(...data.map(d => d.low.reduce((a, b) => Math.min(a, b), Infinity)));
      let high = Math.max(...data.map(d => d.high.reduce((a, b) => Math.max(a, b), -Infinity)));
      // Errors below rounding would take all the room.
      low = panel.logarithmic ? Math.max(low, Math.min(-17, high - 1)) : Math.min(low, 0);
      // Rounding noise of a constant is not worth a picture.
      const largest = Math.max(...panel.curves.map(curve => (this.series[curve.of] ?? []).reduce((a, b) => Math.max(a, Math.abs(b)), 0)));
      if (!panel.logarithmic) high = Math.max(high, low + 1e-6 * largest);
      if (!(high > low)) high = low + 1;
      const scale = value => frame.height - 2 - ((value - low) / (high - low)) * (frame.height - 6);
      return { hasData: largest > 0, high: panel.logarithmic ? 10 ** high : high, low: panel.logarithmic ? 10 ** low : low, curves: data.map(d => this.path(d, scale)) };
    });
  }

  draw(time) {
    const { canvas } = this, ratio = window.devicePixelRatio;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; this.paths = null; }
    if (width === 0 || height === 0) return;
    if (!this.paths) this.build();
    const context = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
    const text = style.getPropertyValue('--text'), soft = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line'), bar = style.getPropertyValue('--bar');
    const font = getComputedStyle(document.body).fontFamily;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const row = this.rowAt(time);
    this.frames().forEach((frame, i) => this.drawPanel(context, frame, i, row, time, { text, soft, line, bar, font }));
  }

  drawPanel(context, frame, i, row, time, style) {
    const panel = panels[i], built = this.paths[i], colours = palette[this.theme];
    context.strokeStyle = style.line;
    context.lineWidth = 1;
    context.strokeRect(frame.left - 0.5, frame.top - 0.5, frame.width + 1, frame.height + 1);
    context.save();
    context.beginPath();
    context.rect(frame.left, frame.top, frame.width, frame.height);
    context.clip();
    context.translate(frame.left, frame.top);
    context.lineWidth = 1.4;
    context.lineJoin = 'round';
    built.curves.forEach((path, k) => { context.strokeStyle = colours[k]; context.stroke(path); });
    const x = ((time - this.range[0]) / (this.range[1] - this.range[0])) * frame.width;
    context.strokeStyle = style.text;
    context.lineWidth = 1;
    context.globalAlpha = 0.75;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, frame.height);
    context.stroke();
    context.restore();

    context.textBaseline = 'middle';
    context.font = `600 12px ${style.font}`;
    context.fillStyle = style.text;
    context.textAlign = 'left';
    context.fillText(panel.title, frame.left, 9);
    const titleEnd = frame.left + context.measureText(panel.title).width + 8;
    let right = frame.left + frame.width;
    context.textAlign = 'right';
    for (const [k, curve] of [...panel.curves.entries()].reverse()) {
      const value = row >= 0 ? this.series[curve.of]?.[row] : undefined;
      const label = `${curve.name} ${value === undefined ? '–' : shortNumber(value)}${panel.unit && value !== undefined ? ` ${panel.unit}` : ''}`.trim();
      context.font = `12px ${style.font}`;
      context.fillStyle = panel.curves.length > 1 ? colours[k] : style.soft;
      if (right - context.measureText(label).width < titleEnd) break;
      context.fillText(label, right, 9);
      right -= context.measureText(label).width + 12;
    }
    context.font = `10.5px ${style.font}`;
    context.fillStyle = style.soft;
    context.textAlign = 'left';
    if (this.series.time.length === 0) { context.fillText('no steps.csv beside the trajectory', frame.left + 8, frame.top + frame.height / 2); return; }
    const scaleLabel = (value, y) => {
      const label = shortNumber(value);
      context.fillStyle = style.bar;
      context.globalAlpha = 0.8;
      context.fillRect(frame.left + 2, y - 7, context.measureText(label).width + 5, 14);
      context.globalAlpha = 1;
      context.fillStyle = style.soft;
      context.fillText(label, frame.left + 4, y);
    };
    if (built.hasData) scaleLabel(built.high, frame.top + 8);
    if (built.hasData && panel.logarithmic) scaleLabel(built.low, frame.top + frame.height - 8);
  }
}
