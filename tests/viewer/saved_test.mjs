// What leaves the viewer: pictures, films, pages that carry their run, and `talus render`: node saved_test.mjs TALUS_PROGRAM PAGE_FOLDER
// Exit code 77 says that something it needs is not installed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectPicture, folder, program, recorded, run, testPage } from './all_shapes.mjs';
import { browserPath, open, patience } from './browser.mjs';

const tests = {
  async 'pictures and films are saved'(page) {
    const [picture] = await Promise.all([page.waitForEvent('download'), page.click('#save-png')]);
    assert.equal(picture.suggestedFilename(), 'all_shapes.png');
    assert.equal(readFileSync(await picture.path()).toString('latin1', 1, 4), 'PNG');
    const [animation] = await Promise.all([page.waitForEvent('download'), page.click('#save-gif')]);
    assert.equal(animation.suggestedFilename(), 'all_shapes.gif');
    const bytes = readFileSync(await animation.path());
    assert.equal(bytes.toString('latin1', 0, 6), 'GIF89a');
    const { pictures, apart } = await page.evaluate(async numbers => {
      const decoder = new ImageDecoder({ data: new Uint8Array(numbers), type: 'image/gif' });
      await decoder.tracks.ready;
      await decoder.completed;
      const count = decoder.tracks.selectedTrack.frameCount, { image } = await decoder.decode({ frameIndex: count - 1 });
      const pixels = source => {
        const copy = Object.assign(document.createElement('canvas'), { width: 64, height: 40 });
        copy.getContext('2d').drawImage(source, 0, 0, 64, 40);
        return copy.getContext('2d').getImageData(0, 0, 64, 40).data;
      };
      const { viewer, player, controls } = window.talus, time = 0.06 * (count - 1);
      viewer.show(time);
      viewer.draw();
      const seen = pixels(image), truth = pixels(viewer.stage.canvas);
      image.close();
      decoder.close();
      return { pictures: count, apart: seen.reduce((sum, value, i) => sum + Math.abs(value - truth[i]), 0) / seen.length };
    }, [...bytes]);
    assert.equal(pictures, 6); // 0.3 s in steps of 0.06 s
    assert.ok(apart < 6, `the last picture of the GIF differs from the scene by ${apart} of 255`);
    const [film] = await Promise.all([page.waitForEvent('download'), page.click('#save-webm')]);
    assert.equal(film.suggestedFilename(), 'all_shapes.webm');
    assert.equal(readFileSync(await film.path()).readUInt32BE(0), 0x1a45dfa3); // EBML
    const types = ['avc1.640028', 'avc1.42E01E', 'vp9', 'av01'].map(codec => `video/mp4;codecs=${codec}`);
    const able = await page.evaluate(all => all.some(type => MediaRecorder.isTypeSupported(type)), types);
    assert.equal(await page.isEnabled('#save-mp4'), able);
    if (able) {
      const [mp4] = await Promise.all([page.waitForEvent('download'), page.click('#save-mp4')]);
      assert.equal(mp4.suggestedFilename(), 'all_shapes.mp4');
      assert.equal(readFileSync(await mp4.path()).toString('latin1', 4, 8), 'ftyp');
    } else {
      assert.match(await page.getAttribute('#save-mp4', 'title'), /cannot/);
    }
  },

  async 'the page that carries the run plays without a server'(_, { browser }) {
    execFileSync(program, ['view', run, '--html', join(folder, 'run.html')]);
    const page = await open(browser, `file://${join(folder, 'run.html')}`);
    await expectPicture(page);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.talus.player.time > 0.05);
    const position = await page.evaluate(() => { const { frames, model } = window.talus; const f = frames.get(15), i = model.names.indexOf('ball'); return [...f.position.subarray(3 * i, 3 * i + 3)]; });
    const truth = recorded(15, 'ball');
    position.forEach((x, k) => assert.ok(Math.abs(x - truth.position[k]) < 1e-6));
    assert.deepEqual(page.problems, []);
    await page.close();
  },

  async 'talus render draws a picture'() {
    const path = join(folder, 'picture.png');
    execFileSync(program, ['render', run, '--out', path, '--size', '320x200', '--time', '0.1'], { env: { ...process.env, TALUS_BROWSER: browserPath } });
    const png = readFileSync(path);
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [320, 200]);
    assert.ok(png.length > 5000, `${png.length} bytes`);
  },

  async 'pictures of a film all have the size that was asked for'(_, { browser, address }) {
    const page = await browser.newPage({ viewport: { width: 800, height: 560 } }), sizes = [];
    await page.route('**/picture?number=*', route => {
      const png = route.request().postDataBuffer();
      sizes.push([png.readUInt32BE(16), png.readUInt32BE(20)]);
      return route.fulfill({ status: 200, body: '' });
    });
    await page.goto(`${address}?render=4&width=200&height=160&from=0&to=0.3&camera=iso&theme=light&label=0`);
    for (const begin = Date.now(); Date.now() - begin < patience && sizes.length < 4;) await page.waitForTimeout(100);
    assert.deepEqual(sizes, Array(4).fill([200, 160]));
    await page.close();
  },
};

await testPage(tests);
