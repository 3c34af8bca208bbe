#!/usr/bin/env node
'use strict';

// Starts the bundle with code that V8 has compiled before: compiling takes longer than a whole trace. From Node 22.8 on, Node keeps
// such code itself; for older ones `npm run build` has put it beside the bundle, named after the bundle's build.

const { readFileSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');

const root = dirname(__dirname);
const bundle = join(root, 'dist', 'k8snet.cjs');

function load() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 8)) {
    require('node:module').enableCompileCache();
    return require(bundle);
  }
  // The bundle is plain ASCII, and this is the quickest way to read such a file.
  const source = readFileSync(bundle, 'latin1');
  const build = /^\/\/ build (\w+)/.exec(source)?.[1];
  const { Script } = require('node:vm');
  const script = new Script(module.constructor.wrap(source), {
    filename: bundle,
    cachedData: readOptional(`${bundle}.${build}.cache`),
  });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, require, loaded, bundle, dirname(bundle));
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
  if (!printVersion(process.argv.slice(2))) load().main(root);
} catch (error) {
  if (error.code !== 'ENOENT' && error.code !== 'MODULE_NOT_FOUND') throw error;
  console.error('k8snet: dist/k8snet.cjs is missing. Build it first: npm install (or npm run build)');
  process.exitCode = 3;
}
