// Bundles src/cli/main.ts into the two files that the executable loads, the second of them only when it is needed, and compiles them
// ahead. Usage: node scripts/build.mjs [--quiet]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { firstUse } from './build/first-use.mjs';
import { bundleOptions } from './build/plugins.mjs';
import { REST, restLater } from './build/rest.mjs';
import { moduleBody } from './build/script.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const [FIRST_FILE, REST_FILE] = ['k8snet.cjs', 'k8snet-rest.cjs'];

/** The licence texts of the libraries inside the bundle, which must go with it. */
function licences(inputs) {
  const packages = new Set(inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []));
  const texts = [...packages].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
  });
  return texts.join('\n----\n\n');
}

/** The program in three parts: what only the first file needs, what only the rest needs, and what both do. */
async function bundle() {
  const options = bundleOptions(root);
  const later = restLater({ root, ...(await firstUse(root)), file: REST_FILE });
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [
      { in: 'src/cli/main.ts', out: 'main' },
      { in: REST, out: 'rest' },
    ],
    plugins: [later, ...options.plugins],
    splitting: true,
    format: 'esm',
    outdir: dist,
    chunkNames: 'shared',
    // Names stay readable: a stack trace that a user reports must say something.
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const part = (name) => outputFiles.find(({ path }) => path === join(dist, `${name}.js`)).text;
  if (outputFiles.length !== 3) throw new Error(`the bundler made ${outputFiles.length} parts instead of 3`);
  const body = (name, shared) => moduleBody(part(name), (path) => (path === './shared.js' ? shared : `require("${path}")`));
  return {
    inputs: Object.keys(metafile.inputs),
    files: {
      [FIRST_FILE]: `exports.shared=(()=>{${body('shared')}})();Object.assign(exports,(()=>{${body('main', 'exports.shared')}})());`,
      [REST_FILE]: `module.exports=(()=>{${body('rest', `require("./${FIRST_FILE}").shared`)}})();`,
    },
  };
}

const { files, inputs } = await bundle();
mkdirSync(dist, { recursive: true });
const caches = Object.entries(files).map(([file, code]) => {
  // V8 tells sources apart by their length alone, so the build's name ties the compiled code to its bundle.
  const name = createHash('sha256').update(code).digest('hex').slice(0, 12);
  // Put in place in one step: a process that starts meanwhile never reads half a file.
  writeFileSync(join(dist, `${file}.${process.pid}.tmp`), `// build ${name}\n"use strict";${code}`);
  renameSync(join(dist, `${file}.${process.pid}.tmp`), join(dist, file));
  return `${file}.${name}.cache`;
});
execFileSync(process.execPath, [join(root, 'scripts/build/compile-ahead.cjs'), dist, ...caches]);
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(inputs));
for (const file of readdirSync(dist)) {
  if (file.endsWith('.cache') && !caches.includes(file)) rmSync(join(dist, file), { force: true });
}

if (!process.argv.includes('--quiet')) {
  for (const [file, code] of Object.entries(files)) console.log(`dist/${file}  ${(code.length / 1024).toFixed(0)} KiB`);
}
