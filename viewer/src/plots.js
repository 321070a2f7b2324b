// The strip of plots under the scene. Each shows a quantity of the run or of a sensor; as many as the page is wide.

import { PlotPanel } from './plot_panel.js';
import { available, chosenFirst } from './quantities.js';

const panelsFor = width => width >= 1150 ? 4 : width >= 820 ? 3 : width >= 520 ? 2 : 1;

export class Plots {
  /** `onSeek(time)` when somebody points at a time; `wanted`: names of quantities to show first. */
  constructor(container, model, onSeek, wanted = []) {
    Object.assign(this, { container, model, onSeek, wanted, series: { time: [] }, range: [0, 1], theme: 'light', panels: [], stale: true });
    this.choices = []; // what somebody chose, by panel
  }

  add(rows) {
    for (const [name, values] of Object.entries(rows)) {
      const series = this.series[name] ??= [];
      for (const value of values) series.push(value);
    }
    this.stale = true;
  }

  /** Time has gone back: what came after is no longer true. */
  cutAfter(time) {
    const rows = this.rowAt(time - 1e-6) + 1;
    for (const series of Object.values(this.series)) series.length = Math.min(series.length, rows);
    this.stale = true;
  }

  setRange(start, end) {
    if (this.range[0] === start && this.range[1] === end) return;
    this.range = [start, Math.max(end, start + 1e-9)];
    for (const panel of this.panels) panel.built = null;
  }
  setTheme(theme) { this.theme = theme; }
  resize() { this.stale = true; }

  /** Makes panels for what there is to show. */
  arrange() {
    this.stale = false;
    const quantities = available(this.model, this.series);
    const count = Math.min(panelsFor(this.container.clientWidth), quantities.length);
    const named = this.wanted.map(name => quantities.find(q => q.name === name)).filter(Boolean);
    const first = [...new Set([...named, ...chosenFirst(quantities, quantities.length)])].slice(0, count);
    while (this.panels.length > count) this.panels.pop().element.remove();
    while (this.panels.length < count) {
      const i = this.panels.length;
      const seek = fraction => this.onSeek(this.range[0] + Math.min(1, Math.max(0, fraction)) * (this.range[1] - this.range[0]));
      const choose = name => { this.choices[i] = name; this.stale = true; this.onSeek(null); };
      this.panels.push(new PlotPanel(this.container, seek, choose));
    }
    this.panels.forEach((panel, i) => {
      const quantity = quantities.find(q => q.name === this.choices[i]) ?? first[i];
      const offered = quantities.map(q => q.name).join('\n');
      if (panel.offered !== offered || panel.quantity?.name !== quantity.name) panel.offer(quantities, quantity);
      panel.offered = offered;
      panel.quantity = quantity;
      panel.built = null;
    });
    this.container.hidden = count === 0 && !this.expectsMore; // room for what is to come, so that nothing jumps
    this.container.style.gridTemplateColumns = `repeat(${Math.max(1, count)}, minmax(0, 1fr))`;
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

  draw(time) {
    if (this.stale) this.arrange();
    const page = getComputedStyle(document.documentElement), of = name => page.getPropertyValue(name);
    const style = { text: of('--text'), soft: of('--soft'), line: of('--line'), font: getComputedStyle(document.body).fontFamily };
    const row = this.rowAt(time);
    for (const panel of this.panels) {
      panel.draw(this.series, this.range, time, this.theme, style);
      panel.tell(this.series, row, this.theme);
    }
  }
}
