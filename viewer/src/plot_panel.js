// One plot over time: a choice of quantity, its values now, curves with axes, and a cursor at the present.

import { tickLabel, ticks } from './axes.js';
import { shortNumber } from './numbers.js';

export const curveColours = { light: ['#0b62a8', '#a8500a', '#0b7457'], dark: ['#7ab3f5', '#f0a55f', '#63d1a9'] };
const margin = { left: 46, right: 8, top: 6, bottom: 17 };

/** Lowest and highest value in every column of pixels: fast, and no peak is lost. */
function columnsOf(times, values, range, width) {
  const low = new Float64Array(Math.ceil(width) + 1).fill(Infinity), high = new Float64Array(Math.ceil(width) + 1).fill(-Infinity);
  const scale = width / (range[1] - range[0]);
  for (let i = 0; i < values.length; i++) {
    const column = Math.floor((times[i] - range[0]) * scale), value = values[i];
    if (column < 0 || column >= low.length || !Number.isFinite(value)) continue;
    if (value < low[column]) low[column] = value;
    if (value > high[column]) high[column] = value;
  }
  return { low, high };
}

function pathThrough(columns, scale) {
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

const least = values => values.reduce((a, b) => (b < a ? b : a), Infinity);
const most = values => values.reduce((a, b) => (b > a ? b : a), -Infinity);

export class PlotPanel {
  constructor(parent, onSeek, onChoice) {
    this.element = Object.assign(document.createElement('div'), { className: 'plot' });
    this.head = Object.assign(document.createElement('div'), { className: 'plot-head' });
    this.select = document.createElement('select');
    this.select.setAttribute('aria-label', 'Quantity of the plot');
    this.values = Object.assign(document.createElement('span'), { className: 'plot-values' });
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('role', 'img');
    this.head.append(this.select, this.values);
    this.element.append(this.head, this.canvas);
    parent.append(this.element);
    this.built = null;
    this.select.addEventListener('change', () => onChoice(this.select.value));
    let dragging = false;
    const seek = event => onSeek((event.clientX - this.canvas.getBoundingClientRect().left - margin.left) / this.width);
    this.canvas.addEventListener('pointerdown', event => { dragging = true; this.canvas.setPointerCapture(event.pointerId); seek(event); });
    this.canvas.addEventListener('pointermove', event => { if (dragging) seek(event); });
    for (const end of ['pointerup', 'pointercancel']) this.canvas.addEventListener(end, () => { dragging = false; });
  }

  get width() { return Math.max(10, this.canvas.clientWidth - margin.left - margin.right); }
  get height() { return Math.max(10, this.canvas.clientHeight - margin.top - margin.bottom); }

  /** Entries of the choice, in groups, and the one chosen. */
  offer(quantities, chosen) {
    this.quantity = chosen;
    this.built = null;
    const options = which => quantities.filter(which).map(q => Object.assign(document.createElement('option'), { value: q.name, textContent: q.unit ? `${q.name}, ${q.unit}` : q.name }));
    const group = (label, entries) => { const g = Object.assign(document.createElement('optgroup'), { label }); g.append(...entries); return g; };
    const sensors = options(q => q.sensor), others = options(q => !q.sensor);
    this.select.replaceChildren(...(sensors.length ? [group('sensors', sensors)] : []), ...(others.length ? [group('run', others)] : []));
    this.select.value = chosen.name;
    this.canvas.setAttribute('aria-label', `${chosen.name} over time`);
  }

  build(series, range) {
    const { quantity, width, height } = this, bases = [];
    const data = quantity.curves.map(curve => {
      let values = series[curve.of] ?? [];
      const base = curve.shifted && values.length > 0 ? least(values) : 0;
      bases.push(base);
      if (base !== 0) values = values.map(v => v - base);
      if (quantity.logarithmic) values = values.map(v => v > 0 ? Math.log10(v) : NaN);
      return columnsOf(series.time, values, range, width);
    });
    let low = Math.min(...data.map(d => least(d.low))), high = Math.max(...data.map(d => most(d.high)));
    const hasData = high >= low;
    if (!hasData) [low, high] = [0, 1];
    if (quantity.logarithmic) low = Math.max(low, Math.min(-17, high - 1));
    else {
      // From 0, unless that would flatten what happens.
      if (!(low > 0.6 * high)) low = Math.min(low, 0);
      if (!(high < 0.6 * low)) high = Math.max(high, 0);
      // Rounding noise of a constant is not worth a picture.
      const largest = Math.max(Math.abs(low), Math.abs(high));
      if (!(high - low > 1e-6 * largest)) [low, high] = low < 0 ? [low, 0] : high > 0 ? [0, high] : [0, 1];
    }
    if (!(high > low)) high = low + 1;
    const pad = 0.05 * (high - low);
    if (high !== 0) high += pad;
    if (low !== 0) low -= pad;
    const y = value => height * (1 - (value - low) / (high - low));
    this.built = { low, high, y, hasData, bases, curves: data.map(columns => pathThrough(columns, y)) };
  }

  /** Values at a row of the series, as the curves show them, each in the colour of its curve. After draw(). */
  tell(series, row, theme) {
    const { quantity } = this, colours = curveColours[theme];
    const noise = this.built && !quantity.logarithmic ? 2e-5 * Math.max(Math.abs(this.built.low), Math.abs(this.built.high)) : 0;
    this.values.replaceChildren(...quantity.curves.map((curve, k) => {
      const given = row >= 0 ? series[curve.of]?.[row] : undefined, value = given - (this.built?.bases[k] ?? 0);
      const text = `${curve.name} ${given === undefined ? '–' : shortNumber(Math.abs(value) < noise ? 0 : value)}`.trim();
      const label = Object.assign(document.createElement('span'), { textContent: text, title: curve.shifted ? 'above its smallest value in the run' : '' });
      label.style.color = colours[k % colours.length];
      return label;
    }));
  }

  draw(series, range, time, theme, style) {
    const { canvas, width, height } = this, ratio = window.devicePixelRatio || 1;
    const wide = Math.round(canvas.clientWidth * ratio), tall = Math.round(canvas.clientHeight * ratio);
    if (wide === 0 || tall === 0) return;
    if (canvas.width !== wide || canvas.height !== tall) { canvas.width = wide; canvas.height = tall; this.built = null; }
    if (!this.built) this.build(series, range);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    context.translate(margin.left, margin.top);
    this.drawAxes(context, range, style);
    context.save();
    context.beginPath();
    context.rect(0, -1, width, height + 2);
    context.clip();
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    const colours = curveColours[theme];
    this.built.curves.forEach((path, k) => { context.strokeStyle = colours[k % colours.length]; context.stroke(path); });
    const x = ((time - range[0]) / (range[1] - range[0])) * width;
    context.strokeStyle = style.text;
    context.lineWidth = 1;
    context.globalAlpha = 0.75;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
    context.restore();
  }

  drawAxes(context, range, style) {
    const { width, height, quantity } = this, { low, high, y } = this.built;
    context.font = `11px ${style.font}`;
    context.fillStyle = style.soft;
    context.strokeStyle = style.line;
    context.lineWidth = 1;
    const line = (x1, y1, x2, y2) => { context.beginPath(); context.moveTo(x1, y1); context.lineTo(x2, y2); context.stroke(); };
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const values = ticks(low, high, Math.max(3, height / 26)), valueStep = values.length > 1 ? values[1] - values[0] : 1;
    for (const value of values) {
      if (quantity.logarithmic && value !== Math.round(value)) continue;
      line(0, Math.round(y(value)) + 0.5, width, Math.round(y(value)) + 0.5);
      context.fillText(quantity.logarithmic ? `1e${value}` : tickLabel(value, valueStep), -5, y(value));
    }
    context.textAlign = 'center';
    context.textBaseline = 'top';
    const times = ticks(range[0], range[1], width / 62), timeStep = times.length > 1 ? times[1] - times[0] : 1;
    times.forEach((time, i) => {
      const x = ((time - range[0]) / (range[1] - range[0])) * width;
      line(Math.round(x) + 0.5, height, Math.round(x) + 0.5, height + 3);
      const label = `${tickLabel(time, timeStep)}${i === times.length - 1 ? ' s' : ''}`;
      context.textAlign = x > width - 12 ? 'right' : 'center';
      context.fillText(label, Math.min(x, width + margin.right), height + 5);
    });
  }
}
