// A run with one body of every shape, which the tests of the page look at.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, open, runAll, serve } from './browser.mjs';

export const [program, pageFolder] = process.argv.slice(2).map(path => resolve(path));
export const folder = mkdtempSync(join(tmpdir(), 'talus-page-'));
export const run = join(folder, 'run');

/** One body of every shape over a floor, a container, a joint: everything the page can draw. */
const scene = `
title: all shapes
step: 1/200
duration: 0.3
output: {every: 4, formats: [trajectory, csv]}
materials: {rubber: {friction: 0.8}}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: bin, motion: fixed, position: [0, 2, 0], shape: {type: open_box, inner: [1, 1, 0.6], wall: 0.1}}
  - {name: ball, shape: {type: sphere, radius: 0.2}, position: [0, 0, 0.2], velocity: [0.5, 0.25, 0]}
  - {name: box, shape: {type: box, size: [0.4, 0.3, 0.2]}, position: [0.8, 0, 0.1], material: rubber}
  - {name: capsule, shape: {type: capsule, radius: 0.1, length: 0.3}, position: [-0.8, 0, 0.3]}
  - {name: cylinder, shape: {type: cylinder, radius: 0.15, length: 0.3}, position: [-1.4, 0, 0.15]}
  - {name: egg, shape: {type: ellipsoid, radii: [0.2, 0.15, 0.1]}, position: [1.5, 0, 0.4]}
  - {name: wedge, shape: {type: convex_hull, points: [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]]}, position: [0, -0.8, 0.2]}
  - {name: pebble, shape: {type: sphere, radius: 0.1}, position: [0, 2, 0.5]}
  - name: dumbbell
    position: [0.8, -0.8, 0.3]
    shapes: [{shape: {type: sphere, radius: 0.1}, position: [-0.2, 0, 0]}, {shape: {type: sphere, radius: 0.1}, position: [0.2, 0, 0]}]
  - {name: arm, shape: {type: box, size: [0.5, 0.1, 0.1]}, position: [2.2, 0.9, 0.6]}
  - {name: slider, mass: 1, mask: 0, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [-2, 0.9, 0.6]}
  - {name: bob, mass: 1, mask: 0, shape: {type: sphere, radius: 0.1}, position: [-2, 1.6, 0.6]}
joints:
  - {name: drive, type: prismatic, between: [ground, slider], at: [-2, 0.9, 0.6], axis: [0, 0, 1], motor: {position: 0.1}}
  - {name: spring, type: spring, between: [slider, bob], at: [-2, 1, 0.6], second_at: [-2, 1.5, 0.6], spring: {stiffness: 50}}
  - {name: hinge, type: revolute, between: [ground, arm], at: [1.95, 0.9, 0.6], axis: [0, 1, 0]}
sensors:
  - {name: scale, type: contact_force, body: floor}
  - {name: hinge, type: joint_force, joint: hinge}
  - {name: height, type: position, body: ball}
`;

/** What the trajectory says, read by other code. */
export function recorded(frame, name) {
  const script = `
import h5py, json, sys
file = h5py.File(sys.argv[1], 'r', swmr=True)
names = file['bodies/names'][()].decode().split('\\n')
frame, body = int(sys.argv[2]), names.index(sys.argv[3])
first, count = file['frames/contact_start'][frame], file['frames/contact_count'][frame]
pairs = file['contacts/bodies'][first:first + count]
print(json.dumps({'time': file['frames/time'][frame], 'position': list(file['frames/position'][frame, body]),
  'velocity': list(file['frames/velocity'][frame, body]), 'mass': file['bodies/mass'][body],
  'contacts': int(sum(body in pair for pair in pairs)), 'frames': len(file['frames/time']),
  'contactForce': list(map(float, file['frames/contact_force'][frame, body])),
  'jointForce': list(map(float, file['frames/joint_force'][frame, 2]))}))`;
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', script, join(run, 'trajectory.h5'), String(frame), name]));
}

/** Drawn pixels are not all of one colour. */
export async function expectPicture(page) {
  const colours = await page.evaluate(() => {
    const scene = document.getElementById('scene');
    const copy = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
    copy.getContext('2d').drawImage(scene, 0, 0, 64, 48);
    const data = copy.getContext('2d').getImageData(0, 0, 64, 48).data, found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add(`${data[i] >> 4} ${data[i + 1] >> 4} ${data[i + 2] >> 4}`);
    return found.size;
  });
  assert.ok(colours > 12, `only ${colours} colours in the picture`);
}

/** Makes the run, serves it, runs all tests on its page, and ends with the exit code. They get the page and {browser, address}. */
export async function testPage(tests) {
  let server, browser, failures = 0;
  try {
    browser = await launch(pageFolder);
    writeFileSync(join(folder, 'scene.yaml'), scene);
    execFileSync(program, ['run', join(folder, 'scene.yaml'), '--out', run]);
    const started = await serve(program, ['view', run]);
    server = started.server;
    failures = await runAll(tests, await open(browser, started.address), { browser, address: started.address });
  } catch (error) {
    failures++;
    console.log(error.stack);
  } finally {
    await browser?.close();
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failures === 0 ? 0 : 1);
}
