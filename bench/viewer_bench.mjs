#!/usr/bin/env node
// What playing a large run costs the page itself: fetching, decoding, laying out and uploading frames, everything but
// the drawing calls, which are the graphics card's work (and on a machine without one would hide the rest). For 100 000 spheres, from the server of
// `talus view` and from a page of `--html`: load time, and processor time of the page's main thread per picture while it plays.
// Every picture is 1/60 s after the one before, however busy the machine is. 1000 spheres tell what a picture costs
// the browser anyway.
//
// Then whole pictures, drawn by the processor: 2000 convex stones and the many spheres, as multiples of what 1000 spheres take.
//
//     ./talus bench viewer_bench                   # or build/bench/viewer_bench SPHERES
//
// Needs node, chromium and the Python package; says what is missing.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const build = dirname(dirname(resolve(process.argv[1])));
const spheres = Number(process.argv[2] ?? 100_000), frames = 25;
const browserPath = [process.env.TALUS_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find(path => path && existsSync(path));
const packageFolder = join(build, 'python/talus');
const hasPackage = existsSync(packageFolder) && readdirSync(packageFolder).some(name => name.startsWith('_talus'));
if (!browserPath || !existsSync(join(build, 'viewer/index.html')) || !hasPackage) {
  console.log('skipped: this needs chromium, the viewer page (node, npm) and the Python package');
  process.exit(0);
}
const began = performance.now();
const progress = what => console.error(`  [${((performance.now() - began) / 1000).toFixed(0)} s] ${what}`);
const patience = 400_000; // ms for every part

const { chromium } = createRequire(join(build, 'viewer/package.json'))('playwright-core');

/** Spheres that fly through each other, every one its own way: as hard to compress as a flow, but made in seconds. */
const makeRun = `
import sys
import numpy as np
import talus
count, frames, folder, shape = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
random = np.random.default_rng(1)
world = talus.World()
for position, velocity, spin in zip(*random.uniform(-1, 1, (3, count, 3))):
    world.add_body("", eval(shape), position=position, velocity=velocity, angular_velocity=spin, mask=0)
simulation = talus.Simulation(world, step=1 / 50)
with talus.Recorder(folder, simulation, title="spheres", every=1, formats=["trajectory"]) as recorder:
    simulation.run(until=frames / 50, each=lambda report: recorder.record())
`;

const folder = mkdtempSync(join(tmpdir(), 'talus-viewer-'));
const program = join(build, 'talus');

/** Processor time of the page's main thread in ms, whatever else the machine does: all of it, and that of scripts. */
async function clockOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const value = name => 1000 * metrics.find(each => each.name === name).value;
    return { all: value('TaskDuration'), scripts: value('ScriptDuration') };
  };
}

async function measure(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(patience);
  await page.addInitScript(() => {
    for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced']) WebGL2RenderingContext.prototype[name] = () => {};
  });
  const used = await clockOf(page);
  await page.goto(address, { timeout: patience });
  await page.waitForSelector('html[data-ready=true]');
  const load = await used();
  await page.evaluate(() => {
    const { viewer, player } = window.talus, draw = viewer.draw.bind(viewer);
    window.pictures = 0;
    viewer.draw = () => { window.pictures++; draw(); };
    const advance = player.advance.bind(player);
    let ticks = 0;
    player.advance = (now, ready) => advance(++ticks * 1000 / 60, ready);
    player.last = null;
    player.loop = false;
    player.seek(0);
  });
  await page.waitForTimeout(500);
  const before = await used();
  await page.evaluate(() => { window.pictures = 0; window.talus.player.toggle(); });
  await page.waitForFunction(() => !window.talus.player.playing, null, { polling: 500 });
  const after = await used(), pictures = await page.evaluate(() => window.pictures);
  await page.close();
  return { load: load.all / 1000, pictures, scripts: (after.scripts - before.scripts) / pictures, all: (after.all - before.all) / pictures };
}

/** Wall-clock time of a picture that is really drawn, in ms, the least of some; every one at a later time. */
async function drawn(browser, address) {
  const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
  page.setDefaultTimeout(patience);
  await page.goto(address, { timeout: patience });
  await page.waitForSelector('html[data-ready=true]');
  const time = await page.evaluate(async () => {
    const { viewer, frames } = window.talus, context = viewer.stage.renderer.getContext(), pixel = new Uint8Array(4);
    window.requestAnimationFrame = () => 0; // nobody else draws
    let least = Infinity;
    for (let k = 0; k < 8; k++) {
      const at = frames.start + ((k + 0.5) / 8) * (frames.end - frames.start);
      while (!viewer.around(at)) await new Promise(resolve => setTimeout(resolve, 20));
      const start = performance.now();
      viewer.show(at);
      viewer.draw();
      context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, pixel); // waits until it is done
      least = Math.min(least, performance.now() - start);
    }
    return least;
  });
  await page.close();
  return time;
}

function make(count, name, shape = 'talus.sphere(0.01)') {
  progress(`making a run of ${count} bodies`);
  const run = join(folder, name);
  execFileSync('/usr/bin/python3', ['-c', makeRun, String(count), String(frames), run, shape],
    { timeout: patience, env: { ...process.env, PYTHONPATH: join(build, 'python') } });
  return run;
}

async function serve(run) {
  const server = spawn(program, ['view', run]);
  servers.push(server);
  return new Promise((found, failed) => {
    server.stdout.on('data', text => { const match = /http:\S+/.exec(String(text)); if (match) found(match[0]); });
    server.on('exit', () => failed(new Error('the server ended')));
  });
}

const servers = [];
let browser;
try {
  const few = make(1000, 'few'), many = make(spheres, 'many'), html = join(folder, 'many.html');
  progress('writing the page');
  const start = performance.now();
  execFileSync(program, ['view', many, '--html', html], { timeout: patience, stdio: 'ignore' });
  const size = statSync(html).size;
  console.log(`${spheres} spheres, ${frames + 1} frames; --html: ${(size / 1e6).toFixed(0)} MB ` +
    `(${(size / spheres / (frames + 1)).toFixed(1)} bytes per sphere and frame), written in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  browser = await chromium.launch({ executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  console.log('Processor time of the main thread:');
  const places = { '1000 spheres from talus view': await serve(few), [`${spheres} from talus view`]: await serve(many), [`${spheres} from --html`]: `file://${html}` };
  for (const [name, place] of Object.entries(places)) {
    progress(`playing ${name}`);
    const { load, pictures, scripts, all } = await measure(browser, place);
    console.log(`  ${name.padEnd(28)} ${load.toFixed(1)} s to load; ${all.toFixed(1)} ms per picture, ${scripts.toFixed(1)} of them in scripts (${pictures} pictures)`);
  }
  const stones = make(2000, 'stones', 'talus.convex_hull(random.normal(size=(16, 3)) * 0.02)');
  const base = await drawn(browser, places['1000 spheres from talus view']);
  console.log('Whole pictures without a graphics card, 1000 spheres = 1:');
  for (const [name, place] of [['2000 convex stones', await serve(stones)], [`${spheres} spheres`, places[`${spheres} from talus view`]]]) {
    progress(`drawing ${name}`);
    console.log(`  ${name.padEnd(28)} ${((await drawn(browser, place)) / base).toFixed(1)}`);
  }
} finally {
  await browser?.close();
  for (const server of servers) server.kill();
  rmSync(folder, { recursive: true, force: true });
}
