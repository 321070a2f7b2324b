// `talus play` in a real browser: node play_test.mjs TALUS_PROGRAM PAGE_FOLDER
// Exit code 77 says that something it needs is not installed.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, open, runAll, serve } from './browser.mjs';

const [program, pageFolder] = process.argv.slice(2).map(path => resolve(path));

const scene = `
title: play
step: 1/100
materials: {wood: {friction: 0.5}}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}, material: wood}
  - {name: ball, shape: {type: sphere, radius: 0.2}, position: [0, 0, 0.2], mass: 1}
  - {name: box, shape: {type: box, size: [0.4, 0.4, 0.4]}, position: [1, 0, 0.2], material: wood}
sensors:
  - {name: scale, type: contact_force, body: floor}
`;

const info = page => page.evaluate(() => window.talus.controls.playing.panel.shown);
const place = (page, name) => page.evaluate(wanted => {
  const { viewer, frames } = window.talus;
  viewer.show(frames.end);
  return { ...viewer.screenPoint(viewer.model.names.indexOf(wanted)), at: viewer.poseNow(viewer.model.names.indexOf(wanted)).position };
}, name);

const tests = {
  async 'the session runs and its sensors are plotted'(page) {
    await page.waitForFunction(() => window.talus.controls.playing.panel.shown.step > 20);
    await page.waitForFunction(() => (window.talus.plots.series['sensor:scale.force_z'] ?? []).at(-1) < -100);
    await page.waitForSelector('.plot-head select');
    assert.equal(await page.$eval('.plot-head select', select => select.value), 'scale: force');
  },

  async 'space pauses, the arrow makes a step'(page) {
    await page.focus('#scene');
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.talus.controls.playing.panel.shown.paused === true);
    const { step } = await info(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(s => window.talus.controls.playing.panel.shown.step === s + 1, step);
    await page.waitForTimeout(400);
    assert.equal((await info(page)).step, step + 1);
    await page.keyboard.press(' ');
    await page.waitForFunction(s => window.talus.controls.playing.panel.shown.step > s + 3, step);
  },

  async 'dropped bodies appear and can be picked'(page) {
    await page.click('#drop-box');
    const { x, y } = await place(page, 'box');
    await page.mouse.click(x, y);
    await page.waitForFunction(() => window.talus.viewer.model.names.includes('dropped 1') && window.talus.frames.get(window.talus.frames.count - 1)?.position.length === 12);
    await page.keyboard.press('Escape');
    await page.evaluate(() => { window.talus.viewer.select(3); });
    await page.waitForFunction(() => document.getElementById('body-name').textContent === 'dropped 1');
    await page.click('#play-reset');
    await page.waitForFunction(() => window.talus.viewer.model.names.length === 3);
  },

  async 'the slider changes friction'(page) {
    await page.$eval('#play-panel input[data-material="1"]', slider => { slider.value = '0.1'; slider.dispatchEvent(new Event('input')); });
    await page.waitForFunction(() => window.talus.controls.playing.panel.shown.friction[1] === 0.1);
  },

  async 'what is refused is said'(page) {
    // The page shows it until the next state: look at what it is told.
    const said = await page.evaluate(async () => {
      const { session } = window.talus, show = session.onTrouble;
      let heard = '';
      session.onTrouble = text => { heard = text; show(text); };
      await session.ask({ do: 'drag', body: 99, point: [0, 0, 0], target: [0, 0, 0] });
      session.onTrouble = show;
      return heard;
    });
    assert.ok(said.includes('there is no body 99'), said);
    assert.equal(page.problems.filter(text => !text.includes('400')).length, 0);
    page.problems.length = 0; // the browser itself reports the answer 400
  },
};

const folder = mkdtempSync(join(tmpdir(), 'talus-play-'));
let server, browser, failures = 0;
try {
  writeFileSync(join(folder, 'scene.yaml'), scene);
  browser = await launch(pageFolder);
  const started = await serve(program, ['play', join(folder, 'scene.yaml')]);
  server = started.server;
  failures = await runAll(tests, await open(browser, started.address));
} catch (error) {
  failures++;
  console.log(error.stack);
} finally {
  await browser?.close();
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
