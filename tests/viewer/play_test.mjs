// `talus play` in a real browser: node play_test.mjs TALUS_PROGRAM PAGE_FOLDER
// Exit code 77 says that something it needs is not installed.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, open, runAll, serve, weakTexts } from './browser.mjs';

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

/** Waits until the page has drawn all of itself anew. */
const drawnAgain = page => page.evaluate(() => new Promise(done => {
  const { viewer } = window.talus, draw = viewer.draw.bind(viewer);
  let left = 2;
  viewer.draw = () => { draw(); if (--left === 0) { viewer.draw = draw; done(); } };
  viewer.changed = true;
}));

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

  async 'dragging asks for a pull at the point that was grabbed'(page) {
    await page.click('#play-pause');
    await page.waitForFunction(() => window.talus.controls.playing.panel.shown.paused === true);
    const { x, y } = await place(page, 'box'), asked = [];
    const listen = request => { if (request.method() === 'POST') asked.push(JSON.parse(request.postData())); };
    page.on('request', listen);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y - 20, { steps: 4 });
    // Requests may lag behind the pointer, which the page makes up for when it draws.
    const aim = await page.evaluate(([px, py]) => { const { grab, viewer } = window.talus; return { ...grab.held, ray: viewer.rayAt(px, py) }; }, [x + 30, y - 20]);
    for (const begin = Date.now(); Date.now() - begin < 60_000 && String(asked.at(-1)?.target) !== String(aim.target);) await page.waitForTimeout(20);
    await page.mouse.up();
    await page.waitForFunction(() => window.talus.grab.held === null);
    for (const begin = Date.now(); Date.now() - begin < 60_000 && asked.at(-1)?.do !== 'release';) await page.waitForTimeout(20);
    page.off('request', listen);
    const pulls = asked.filter(each => each.do === 'drag');
    assert.ok(pulls.length >= 2, JSON.stringify(asked));
    for (const pull of pulls) {
      assert.equal(pull.body, 2);
      assert.deepEqual(pull.point, pulls[0].point, 'the point stays the one that was grabbed');
    }
    // On the surface of the box.
    assert.ok(Math.abs(Math.max(...pulls[0].point.map(Math.abs)) - 0.2) < 1e-3, String(pulls[0].point));
    // The last target lies under the pointer.
    const { origin, direction } = aim.ray, target = pulls.at(-1).target;
    const away = target.map((value, k) => value - [origin.x, origin.y, origin.z][k]), d = [direction.x, direction.y, direction.z];
    const along = away.reduce((sum, value, k) => sum + value * d[k], 0);
    assert.ok(Math.hypot(...away.map((value, k) => value - along * d[k])) < 1e-6 * along, `${target} is not under the pointer`);
    assert.equal(asked.at(-1).do, 'release');
    await page.click('#play-pause');
    await page.waitForFunction(() => window.talus.controls.playing.panel.shown.paused === false);
  },

  async 'texts have a contrast of at least 4.5'(page) {
    for (const theme of ['light', 'dark']) {
      await page.evaluate(name => {
        const { controls, viewer } = window.talus;
        controls.setTheme(name);
        viewer.select(viewer.model.names.indexOf('box'));
        controls.playing.panel.say('what went wrong');
      }, theme);
      await page.waitForFunction(() => document.getElementById('body-name').textContent === 'box');
      await drawnAgain(page);
      assert.deepEqual(await page.evaluate(weakTexts), [], theme);
    }
    await page.evaluate(() => { window.talus.viewer.select(-1); window.talus.controls.setTheme('light'); });
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
