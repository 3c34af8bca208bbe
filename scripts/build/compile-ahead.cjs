// Runs the bundle and keeps what V8 compiled for it. Usage: node compile-ahead.cjs DIST FIRST_CACHE REST_CACHE
'use strict';

const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { quietIo } = require('./quiet-io.cjs');

const [dist, ...caches] = process.argv.slice(2);
const scripts = new Map();

/** As bin/k8snet.js does it, but without code that was compiled before. */
function load(name) {
  const known = scripts.get(name);
  if (known) return known.loaded.exports;
  const file = join(dist, name);
  const script = new Script(module.constructor.wrap(readFileSync(file, 'latin1')), { filename: file });
  const loaded = { exports: {} };
  scripts.set(name, { script, loaded });
  const requireBeside = (id) => (id.startsWith('./') ? load(basename(id)) : require(id));
  script.runInThisContext()(loaded.exports, requireBeside, loaded, file, dist);
  return loaded.exports;
}

function keep(cache) {
  const { script } = scripts.get(cache.replace(/\.\w+\.cache$/, ''));
  writeFileSync(join(dist, `${cache}.${process.pid}.tmp`), script.createCachedData());
  renameSync(join(dist, `${cache}.${process.pid}.tmp`), join(dist, cache));
}

async function main() {
  const io = quietIo(dirname(dist));
  const { run } = load('k8snet.cjs');
  await run(['trace'], io);
  if (scripts.size > 1) throw new Error('tracing the tutorial needs more than the first file');
  // Before anything else runs: what a first trace does not need takes time to read.
  keep(caches[0]);
  for (const argv of [['check'], ['rules', '--node', 'node-1'], ['topology'], ['explain', 'KUBE-SERVICES']]) await run(argv, io);
  keep(caches[1]);
}

main();
