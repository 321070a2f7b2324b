// What the tests of the page share: a browser, a server, and a way to run tests one after another.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const patience = 240_000; // software rendering on a busy machine

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export const browserPath = [process.env.TALUS_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(path => path && existsSync(path));

/** Ends the test as skipped where something is missing. */
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

/** Runs all tests; the number of those that failed, or left something in the console. */
export async function runAll(tests, page) {
  let failures = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page);
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
