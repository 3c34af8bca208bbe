// Runs the bundle on the tutorial and keeps what V8 compiled for it. Usage: node scripts/compile-ahead.cjs BUNDLE CACHE
'use strict';

const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

const [bundle, cache] = process.argv.slice(2);
const root = dirname(dirname(bundle));

async function main() {
  const script = new Script(nodeModule.wrap(readFileSync(bundle, 'latin1')), { filename: bundle });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, require, loaded, bundle, dirname(bundle));
  const io = {
    out: () => {},
    err: () => {},
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: undefined,
    env: {},
    readStdin: async () => '',
    packageRoot: root,
  };
  for (const argv of [['trace'], ['check'], ['rules', '--node', 'node-1'], ['--version']]) await loaded.exports.run(argv, io);
  writeFileSync(`${cache}.${process.pid}.tmp`, script.createCachedData());
  renameSync(`${cache}.${process.pid}.tmp`, cache);
}

main();
