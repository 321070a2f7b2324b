// Bundles src/ and three.js into one page: node build.mjs SOURCE_FOLDER OUTPUT_FOLDER
// Packages are those of OUTPUT_FOLDER/node_modules, so that the source tree stays clean.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [source, output] = process.argv.slice(2).map(path => resolve(path));
const esbuild = createRequire(join(output, 'package.json'))('esbuild');

/** `import text from 'worker:FILE'`: the bundled script of a worker, to be started from the page that carries it. */
const workers = {
  name: 'workers',
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, ({ path }) => ({ path: path.slice('worker:'.length), namespace: 'worker' }));
    build.onLoad({ filter: /./, namespace: 'worker' }, async ({ path }) => ({ contents: await bundle(path), loader: 'text' }));
  },
};

const bundle = async entry => {
  const result = await esbuild.build({
    entryPoints: [join(source, 'src', entry)], bundle: true, minify: true, write: false, charset: 'utf8', format: 'iife', target: 'es2022', plugins: [workers],
    legalComments: 'none', nodePaths: [join(output, 'node_modules')],
  });
  return result.outputFiles[0].text;
};

// Inside an element, a closing tag would end it early; in strings `<\/` means the same as `</`.
const script = (await bundle('main.js')).replaceAll('</script', '<\\/script');
const style = await bundle('style.css');
const template = await readFile(join(source, 'src', 'index.html'), 'utf8');
const licence = await readFile(join(output, 'node_modules/three/LICENSE'), 'utf8');
const page = template
  .replace('<!-- style -->', () => `<style>${style}</style>`)
  .replace('<!-- script -->', () => `<script>/* Contains three.js:\n${licence}*/\n${script}</script>`);
await writeFile(join(output, 'index.html.new'), page);
await rename(join(output, 'index.html.new'), join(output, 'index.html'));
