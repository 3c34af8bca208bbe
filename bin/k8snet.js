#!/usr/bin/env node
'use strict';

// Starts the bundle with code that V8 has compiled before: compiling takes longer than a whole trace. From Node 22.8 on, Node keeps
// such code itself; for older ones `npm run build` has put it beside each file of the bundle, named after the file's build.

const { readFileSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');

const root = dirname(__dirname);
const dist = join(root, 'dist');

function start() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 8)) return load('./k8snet.cjs');
  require('node:module').enableCompileCache();
  return require(join(dist, 'k8snet.cjs'));
}

const modules = new Map();

/** As require() does it for the files of the bundle, which name each other `./NAME`. */
function load(id) {
  if (!id.startsWith('./')) return require(id);
  const known = modules.get(id);
  if (known) return known.exports;
  const file = join(dist, id);
  // The bundle is plain ASCII, and this is the quickest way to read such a file.
  const source = readFileSync(file, 'latin1');
  const build = /^\/\/ build (\w+)/.exec(source)?.[1];
  const { Script } = require('node:vm');
  const script = new Script(module.constructor.wrap(source), {
    filename: file,
    cachedData: readOptional(`${file}.${build}.cache`),
  });
  const loaded = { exports: {} };
  modules.set(id, loaded);
  script.runInThisContext()(loaded.exports, load, loaded, file, dist);
  return loaded.exports;
}

function readOptional(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The version alone, which tools ask for often, needs no bundle; false when it is not asked for, or nobody can be told. */
function printVersion([word, ...more]) {
  if (more.length > 0 || (word !== '--version' && word !== '-V')) return false;
  try {
    writeSync(1, `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
    return true;
  } catch {
    return false;
  }
}

try {
  if (!printVersion(process.argv.slice(2))) start().main(root);
} catch (error) {
  if (error.code !== 'ENOENT' && error.code !== 'MODULE_NOT_FOUND') throw error;
  console.error('k8snet: dist/k8snet.cjs is missing. Build it first: npm install (or npm run build)');
  process.exitCode = 3;
}
