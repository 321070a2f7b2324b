// The documentation site in a real browser, from a folder, without a server: node site_test.mjs TALUS_PROGRAM PAGE_FOLDER SOURCE
// Exit code 77 says that something it needs is not installed.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, runAll, weakTexts } from '../viewer/browser.mjs';

const [program, pageFolder, source] = process.argv.slice(2).map(path => resolve(path));
const pages = ['index.html', 'gallery.html', 'scene.html', 'reference/solvers/nsgs.html'];
/** Looked at as well, but not walked through by keyboard. */
const longPages = ['faq.html', 'performance.html', 'howto/python.html', 'reference/python.html', 'reference/commands.html', 'reference/cpp/world.html', 'notebooks/motor_control.html'];

if (spawnSync('/usr/bin/python3', ['-c', 'import mkdocs']).status !== 0) {
  console.log('skipped: mkdocs is not installed');
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), 'talus-site-'));
const open = (page, name) => page.goto(`file://${join(folder, 'site', name)}`);

/** Pages of notebooks are made where nbconvert is. */
const isThere = name => !name.startsWith('notebooks/') || existsSync(join(folder, 'site', name));

/** What the keyboard should reach: every link, button and field that is shown. */
const wanted = page => page.$$eval('a[href], button, input, summary, select', all => all.filter(e => e.checkVisibility()).length);

/** Notes every element that gets the focus, and those that do not show it. */
const noteFocus = page => page.evaluate(() => {
  window.seen = new Set();
  window.unmarked = [];
  document.addEventListener('focusin', ({ target }) => {
    window.seen.add(target);
    const { outlineStyle, boxShadow } = getComputedStyle(target);
    if (target.matches(':focus-visible') && outlineStyle === 'none' && boxShadow === 'none') window.unmarked.push(target.outerHTML.slice(0, 80));
  });
});

const tests = {
  async 'pages load nothing from elsewhere and complain of nothing'(page) {
    const asked = [];
    page.on('request', request => { if (!/^(file|data|blob):/.test(request.url())) asked.push(request.url()); });
    for (const name of [...pages, ...longPages.filter(isThere)]) {
      await open(page, name);
      assert.ok((await page.textContent('h1')).length > 3, name);
    }
    assert.deepEqual(asked, []);
  },

  async 'texts have a contrast of at least 4.5'(page) {
    for (const name of [...pages, ...longPages.filter(isThere)]) {
      await open(page, name);
      for (const theme of ['light', 'dark']) {
        await page.evaluate(value => { document.documentElement.dataset.theme = value; for (const part of document.querySelectorAll('details')) part.open = true; }, theme);
        const poor = await page.evaluate(weakTexts);
        assert.deepEqual(poor.slice(0, 10), [], `${name}, ${theme}`);
      }
    }
  },

  async 'everything is reached by keyboard, and shows that it is'(page) {
    for (const name of pages) {
      await open(page, name);
      const count = await wanted(page);
      await noteFocus(page);
      for (let i = 0; i < count + 5; i++) await page.keyboard.press('Tab');
      const { seen, unmarked, missing } = await page.evaluate(() => ({
        seen: window.seen.size, unmarked: window.unmarked,
        missing: [...document.querySelectorAll('a[href], button, input, summary, select')].filter(e => e.checkVisibility() && !window.seen.has(e)).map(e => e.outerHTML.slice(0, 90)),
      }));
      assert.deepEqual(missing, [], `${name}: ${seen} of ${count} reached`);
      assert.deepEqual(unmarked, [], name);
    }
  },

  async 'the search works offline and by keyboard'(page) {
    await open(page, 'scene.html');
    await page.keyboard.press('/');
    await page.keyboard.type('error measure');
    await page.waitForSelector('#hits a');
    assert.deepEqual((await page.evaluate(weakTexts)).slice(0, 5), []);
    await page.keyboard.press('ArrowDown');
    const [place, text] = await page.evaluate(() => [document.activeElement.href, document.activeElement.textContent]);
    assert.match(text, /error/i);
    await page.keyboard.press('Enter');
    await page.waitForURL(address => address.href === place);
  },

  async 'pages fit a phone, whose menu opens'(page) {
    await page.setViewportSize({ width: 390, height: 780 });
    for (const name of [...pages, ...longPages.filter(isThere)]) {
      await open(page, name);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${name} is ${wide} pixels wide`);
    }
    await page.click('#menu');
    await page.waitForSelector('#contents a >> visible=true');
    await page.setViewportSize({ width: 1200, height: 800 });
  },
};

let browser, failures = 0;
try {
  browser = await launch(pageFolder);
  execFileSync('/usr/bin/python3', [join(source, 'docs/build_site.py'), folder, '--quick'], { env: { ...process.env, TALUS_PROGRAM: program }, stdio: ['ignore', 'ignore', 'inherit'] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(60_000);
  page.problems = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) page.problems.push(message.text()); });
  page.on('pageerror', error => page.problems.push(String(error)));
  failures = await runAll(tests, page);
} catch (error) {
  failures++;
  console.log(error.stack);
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
