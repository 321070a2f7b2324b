// The viewer in a real browser: node page_test.mjs TALUS_PROGRAM PAGE_FOLDER
// Exit code 77 says that something it needs is not installed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectPicture, recorded, run, testPage } from './all_shapes.mjs';
import { weakTexts } from './browser.mjs';

const facts = page => page.$$eval('#body-facts tr', rows => Object.fromEntries(rows.map(row => [...row.cells].map(cell => cell.textContent))));
const near = (shown, value) => Math.abs(Number(shown) - value) <= 1e-3 * Math.abs(value) + 1e-6;

/** Components are shown to four digits of the largest one. */
function expectVector(text, truth, what) {
  const allowed = 1e-3 * Math.max(...truth.map(Math.abs)) + 1e-6;
  const shown = text.split(', ').map(Number);
  assert.equal(shown.length, 3, `${what}: ${text}`);
  shown.forEach((x, k) => assert.ok(Math.abs(x - truth[k]) <= allowed, `${what} ${text} is not ${truth}`));
}

const tests = {
  async 'the page shows the run'(page) {
    assert.equal(await page.textContent('#title'), 'all shapes');
    assert.match(await page.textContent('#facts'), /13 bodies · 3 joints · 16 frames/);
    await expectPicture(page);
  },

  async 'it plays and pauses'(page) {
    await page.click('#play');
    await page.waitForFunction(() => window.talus.player.time > 0.05);
    await page.click('#play');
    const time = await page.evaluate(() => window.talus.player.time);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.talus.player.time), time);
  },

  async 'it scrubs'(page) {
    await page.evaluate(() => { const s = document.getElementById('scrubber'); s.value = '0.2'; s.dispatchEvent(new Event('input')); });
    await page.waitForFunction(() => document.getElementById('clock').textContent.startsWith('0.200'));
    await page.click('#forth');
    await page.waitForFunction(() => document.getElementById('clock').textContent.startsWith('0.220'));
    const box = await (await page.$('#plots canvas')).boundingBox();
    await page.mouse.click(box.x + 2, box.y + box.height / 2);
    await page.waitForFunction(() => window.talus.player.time < 0.01);
  },

  async 'a picked body shows its numbers'(page) {
    const frame = 10;
    const showPanel = on => page.evaluate(shown => { document.getElementById('panel').hidden = !shown; }, on);
    await showPanel(false); // it would cover some bodies
    await page.evaluate(f => { const { player, frames, viewer } = window.talus; player.seek(frames.times[f]); viewer.changed = true; }, frame);
    for (const name of ['ball', 'wedge', 'arm', 'cylinder', 'capsule', 'egg', 'box']) {
      const point = await page.evaluate(wanted => {
        const { viewer, model, player } = window.talus;
        viewer.show(player.time);
        return viewer.screenPoint(model.names.indexOf(wanted));
      }, name);
      await page.mouse.click(point.x, point.y);
      await page.waitForFunction(wanted => document.getElementById('body-name').textContent === wanted, name);
      const shown = await facts(page), truth = recorded(frame, name);
      assert.ok(near(shown.time.split(' ')[0], truth.time), `time ${shown.time}`);
      assert.ok(near(shown.mass.split(' ')[0], truth.mass), `mass ${shown.mass}`);
      expectVector(shown['position, m'], truth.position, `${name}: position`);
      expectVector(shown['velocity, m/s'], truth.velocity, `${name}: velocity`);
      assert.match(await page.textContent('#contact-title'), new RegExp(`^${truth.contacts} contact`));
      const rows = await page.$$eval('#contact-table tr', lines => lines.length);
      assert.equal(rows, truth.contacts === 0 ? 0 : truth.contacts + 1);
    }
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('inspector').hidden);
    await showPanel(true);
  },

  async 'a picked body and a picked joint show their resultants'(page) {
    const table = id => page.$$eval(`#${id} tr`, rows => Object.fromEntries(rows.map(row => [...row.cells].map(cell => cell.textContent))));
    await page.evaluate(() => { const { player, frames, viewer, model } = window.talus; player.seek(frames.times[15]); viewer.select(model.names.indexOf('box')); });
    await page.waitForFunction(() => document.getElementById('resultant').rows.length > 0 && window.talus.viewer.resultant.arrows.swarm.count === 1);
    expectVector((await table('resultant'))['force, N'], recorded(15, 'box').contactForce, 'resultant');
    await page.keyboard.press('/');
    await page.keyboard.type('hinge joint');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('body-name').textContent === 'hinge' && document.getElementById('contact-table').rows.length > 0);
    expectVector((await table('contact-table'))['force, N'], recorded(15, 'box').jointForce, 'force of the joint');
    const shown = await page.evaluate(() => { const { viewer } = window.talus; return viewer.jointForce(2).force; });
    assert.ok(Math.abs(Math.hypot(...shown) - Math.hypot(...recorded(15, 'box').jointForce)) < 1e-3);
    await page.evaluate(() => { document.getElementById('finder').open = false; document.getElementById('search').value = ''; window.talus.viewer.select(-1); });
  },

  async 'sensors are plotted with axes, units and a choice'(page) {
    const text = readFileSync(join(run, 'sensors.csv'), 'utf8').trim().split('\n').map(line => line.split(','));
    const column = text[0].indexOf('scale.force_z');
    const series = await page.evaluate(() => [...window.talus.plots.series['sensor:scale.force_z']]);
    assert.deepEqual(series, text.slice(1).map(line => Number(line[column])));
    const heads = await page.$$eval('.plot-head select', all => all.map(select => select.selectedOptions[0].textContent));
    assert.equal(heads[0], 'scale: force, N');
    const offered = await page.$$eval('.plot-head select', all => [...all[0].options].map(option => option.value));
    for (const name of ['scale: torque', 'hinge: force', 'height', 'energy', 'contacts']) assert.ok(offered.includes(name), `${name} is not among ${offered}`);
    await page.selectOption('.plot-head select >> nth=0', 'height');
    await page.waitForFunction(() => window.talus.plots.panels[0].quantity.name === 'height');
    const values = await page.$$eval('.plot:first-child .plot-values span', all => all.map(each => each.textContent));
    assert.equal(values.length, 3);
    assert.ok(values[2].startsWith('z 0.'), values.join());
  },

  async 'energies are told as their curves show them'(page) {
    await page.selectOption('.plot-head select >> nth=0', 'energy');
    await page.evaluate(() => { const { player, frames, viewer } = window.talus; player.seek(frames.times[1]); viewer.changed = true; });
    await page.waitForFunction(() => window.talus.plots.panels[0].quantity.name === 'energy' && !window.talus.viewer.changed);
    const { series, row } = await page.evaluate(() => { const { plots, player } = window.talus; return { series: [...plots.series.potential_energy], row: plots.rowAt(player.time) }; });
    const spans = await page.$$eval('.plot:first-child .plot-values span', all => all.map(each => ({ text: each.textContent, title: each.title })));
    const shown = spans.find(each => each.text.startsWith('potential')), above = series[row] - Math.min(...series);
    assert.ok(near(shown.text.split(' ')[1], above), `${shown.text}, but ${series[row]} is ${above} above the smallest`);
    assert.ok(series[row] > 1.5 * above, 'otherwise this test says nothing');
    assert.match(shown.title, /smallest/);
    await page.selectOption('.plot-head select >> nth=0', 'height');
  },

  async 'a long table of contacts says what it leaves out'(page) {
    const { rows, last, title } = await page.evaluate(() => {
      const { controls, frames, model } = window.talus, frame = frames.get(15), count = 75, body = model.names.indexOf('box');
      const repeated = values => Array.from({ length: count }, () => values).flat();
      const contacts = { count, bodies: repeated([model.names.indexOf('floor'), body]), impulse: repeated([0, 0, 1]), normal: repeated([0, 0, 1]), point: repeated([0, 0, 0]), gap: repeated([0]) };
      controls.inspector.showBody(body, { ...frame, contacts });
      const table = [...document.getElementById('contact-table').rows];
      return { rows: table.length, last: table.at(-1).textContent, title: document.getElementById('contact-title').textContent };
    });
    assert.match(title, /^75 contacts/);
    assert.equal(rows, 1 + 60 + 1);
    assert.equal(last, 'and 15 weaker ones');
    await page.evaluate(() => { window.talus.viewer.select(-1); window.talus.viewer.changed = true; });
  },

  async 'chains, thrust lines, velocities, paths and sections are drawn'(page) {
    await page.evaluate(() => { const { player, frames, viewer } = window.talus; player.seek(frames.times[15]); viewer.changed = true; });
    for (const id of ['show-chains', 'show-thrust', 'show-velocities']) await page.click(`#${id}`);
    await page.waitForFunction(() => {
      const { chains, thrust, velocities } = window.talus.viewer;
      return chains.bars.swarm.count > 0 && thrust.knots.count > 0 && velocities.arrows.swarm.count > 0;
    });
    assert.match(await page.textContent('#scales'), /m\/s {2}velocity.*N {2}force chains/);
    await page.evaluate(() => { const { viewer, model } = window.talus; viewer.select(model.names.indexOf('ball')); });
    await page.keyboard.press('t');
    await page.waitForFunction(() => [...window.talus.viewer.trails.paths.values()].some(path => path.line.geometry.getAttribute('position')?.count === 16));
    await page.keyboard.press('t');
    const drawn = () => page.evaluate(() => { const { viewer } = window.talus; viewer.show(window.talus.player.time); viewer.draw(); return viewer.stage.canvas.toDataURL().length; });
    const whole = await drawn();
    await page.selectOption('#section-axis', 'x');
    await page.waitForFunction(() => window.talus.viewer.section.axis === 'x');
    assert.notEqual(await drawn(), whole);
    await page.selectOption('#section-axis', 'off');
    for (const id of ['show-chains', 'show-thrust', 'show-velocities']) await page.click(`#${id}`);
    await page.keyboard.press('Escape');
  },

  async 'motors and springs are drawn'(page) {
    await page.evaluate(() => { const { player, frames, viewer } = window.talus; player.seek(frames.times[8]); viewer.changed = true; });
    await page.waitForFunction(() => window.talus.viewer.joints.pushes.count === 1);
    // The coil, two ends and the rail.
    assert.equal(await page.evaluate(() => window.talus.viewer.joints.bars.swarm.count), 8 * 10 + 2 + 1);
    assert.match(await page.textContent('#scales'), /motors, up to [\d.e]+ N/);
  },

  async 'bodies are coloured by the stress in them'(page) {
    await page.selectOption('#colour', 'pressure');
    await page.waitForFunction(() => window.talus.viewer.shown.nearest.valueTag === 'pressure 1');
    assert.match(await page.textContent('#legend-title'), /pressure.*Pa/);
    const shown = await page.evaluate(() => {
      const { viewer, model, frames } = window.talus;
      viewer.setColours('pressure');
      return viewer.valuesOf(frames.get(15))[model.names.indexOf('box')];
    });
    // The support force acts half the height below the centre of mass, and is the only one: σ_zz = F h / (2 V), a third of it on average.
    const truth = (recorded(15, 'box').contactForce[2] * 0.1) / (0.4 * 0.3 * 0.2) / 3;
    assert.ok(Math.abs(shown - truth) < 0.02 * truth, `${shown} Pa, not ${truth}`);
    await page.selectOption('#colour', 'id');
  },

  async 'distances are measured between two points'(page) {
    await page.keyboard.press('m');
    await page.evaluate(() => { document.getElementById('panel').hidden = true; });
    const centre = name => page.evaluate(wanted => { const { viewer, model, player } = window.talus; viewer.show(player.time); return viewer.screenPoint(model.names.indexOf(wanted)); }, name);
    for (const name of ['ball', 'cylinder']) { const { x, y } = await centre(name); await page.mouse.click(x, y); }
    await page.waitForFunction(() => window.talus.viewer.measure.distance !== null);
    const { distance, apart } = await page.evaluate(() => {
      const { viewer, model } = window.talus, at = name => viewer.poseNow(model.names.indexOf(name)).position;
      return { distance: viewer.measure.distance, apart: Math.hypot(...at('ball').map((x, k) => x - at('cylinder')[k])) };
    });
    assert.ok(Math.abs(distance - apart) < 0.45, `${distance} between surfaces, ${apart} between centres`);
    assert.match(await page.textContent('#measured'), /^[\d.]+ m/);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('measured').hidden);
    await page.evaluate(() => { document.getElementById('panel').hidden = false; });
  },

  async 'everything is reached by keyboard, and keys are listed'(page) {
    await page.keyboard.press('?');
    await page.waitForFunction(() => document.getElementById('help').open);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.getElementById('help').open);
    await page.focus('#scene');
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
    }
    for (const id of ['colour', 'show-contacts', 'show-chains', 'force-scale', 'section-axis', 'measure', 'save-png', 'help-button', 'play', 'scrubber', 'speed', 'theme', 'toggle-panel'])
      assert.ok(reached.has(id), `${id} is not reached: ${[...reached]}`);
    await page.focus('#scene');
  },

  async 'texts have a contrast of at least 4.5, and fit a phone'(page) {
    for (const theme of ['light', 'dark']) {
      await page.evaluate(name => { const { controls, viewer, model } = window.talus; controls.setTheme(name); viewer.select(model.names.indexOf('box')); }, theme);
      await page.waitForFunction(() => !window.talus.viewer.changed); // it has been drawn
      const poor = await page.evaluate(weakTexts);
      assert.deepEqual(poor, [], `${theme}: ${JSON.stringify(poor)}`);
    }
    await page.evaluate(() => { window.talus.viewer.select(-1); window.talus.controls.setTheme('light'); });
    await page.setViewportSize({ width: 390, height: 780 });
    await page.waitForFunction(() => document.querySelectorAll('.plot').length === 1);
    const wide = await page.evaluate(() => [...document.querySelectorAll('body *')].filter(e => e.offsetParent && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.id || e.className));
    assert.deepEqual(wide, []);
    await page.setViewportSize({ width: 800, height: 560 });
  },

  async 'colours, marks, presets, following and themes work'(page) {
    for (const colour of ['material', 'speed', 'force', 'id']) await page.selectOption('#colour', colour);
    for (const id of ['show-contacts', 'show-forces', 'show-joints', 'show-floor', 'see-through']) await page.click(`#${id}`);
    await page.waitForFunction(() => window.talus.viewer.marks.points.count > 0 && window.talus.viewer.marks.arrows.count > 0);
    for (const key of ['1', '2', '3', '4', 'd', 'd']) await page.keyboard.press(key);
    await page.keyboard.press('Home');
    await page.waitForFunction(() => !window.talus.viewer.changed && window.talus.player.time === 0);
    await page.evaluate(() => { const { viewer, model } = window.talus; viewer.select(model.names.indexOf('ball')); viewer.following = true; });
    const before = await page.evaluate(() => window.talus.viewer.stage.controls.target.toArray());
    await page.keyboard.press('End');
    await page.waitForFunction(x => window.talus.viewer.stage.controls.target.x > x + 0.01, before[0]);
    await expectPicture(page);
  },

  async 'a page at rest draws nothing'(page) {
    await page.evaluate(() => {
      const { viewer } = window.talus, draw = viewer.draw.bind(viewer);
      viewer.following = false;
      window.drawn = 0;
      viewer.draw = () => { window.drawn++; draw(); };
    });
    const drawnIn = async time => {
      await page.evaluate(() => { window.drawn = 0; });
      await page.waitForTimeout(time);
      return page.evaluate(() => window.drawn);
    };
    for (let i = 0; i < 60 && await drawnIn(1000) > 0; i++); // the last test may have left it moving
    assert.equal(await drawnIn(5000), 0); // longer than it waits before it asks for more frames
    await page.goto('about:blank');
  },

};

await testPage(tests);
