// What the tests of the page share: a browser, a server, and a way to run tests one after another.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const patience = 60_000; // software rendering on a busy machine

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export const browserPath = [process.env.TALUS_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(path => path && existsSync(path));

/** Ends the test as skipped where something is missing; `pageFolder` has playwright too. */
export async function launch(pageFolder) {
  if (!browserPath) skip('chromium is not installed (apt-get install chromium)');
  if (!existsSync(join(pageFolder, 'index.html'))) skip('the viewer page was not built (it needs node and npm)');
  const { chromium } = createRequire(join(pageFolder, 'package.json'))('playwright-core');
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
}

/** Starts the program and waits for the address it prints: {process, address}. */
export function serve(program, args) {
  const server = spawn(program, args);
  return new Promise((found, failed) => {
    server.stdout.on('data', text => { const match = /http:\S+/.exec(String(text)); if (match) found({ server, address: match[0] }); });
    server.on('exit', () => failed(new Error('the server ended')));
  });
}

/** A page that is ready; `problems` gathers what it complains about. */
export async function open(browser, address) {
  const page = await browser.newPage({ viewport: { width: 800, height: 560 }, acceptDownloads: true });
  page.setDefaultTimeout(patience);
  page.problems = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) page.problems.push(message.text()); });
  page.on('pageerror', error => page.problems.push(String(error)));
  await page.goto(address, { timeout: patience });
  await page.waitForSelector('html[data-ready=true]');
  return page;
}

/** Texts whose contrast to what is behind them is below 4.5; runs in the page. Over a scene, the page's colour counts. */
export function weakTexts() {
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (top, below) => [0, 1, 2].map(k => top[k] * top[3] + below[k] * (1 - top[3]));
  const light = rgb => { const [r, g, b] = rgb.map(c => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const poor = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.textContent.trim()).join('');
    if (!text || !element.offsetParent || ['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName) || element.matches(':disabled')) continue;
    const back = behind(element), front = over(parse(getComputedStyle(element).color), back);
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) poor.push(`${text}: ${ratio.toFixed(2)}`);
  }
  return poor;
}

/** Runs all tests, with the page and `more`; the number of those that failed, or left something in the console. */
export async function runAll(tests, page, more) {
  let failures = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page, more);
      assert.deepEqual(page.problems, []);
      console.log(`ok: ${name}`);
    } catch (error) {
      failures++;
      page.problems.length = 0;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  return failures;
}
