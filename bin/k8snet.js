#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as module from 'node:module';

// Node 22.8 and newer keep compiled code between runs.
module.enableCompileCache?.();

const bundle = new URL('../dist/k8snet.js', import.meta.url);
if (existsSync(bundle)) {
  const { main } = await import(bundle.href);
  await main(new URL('..', import.meta.url));
} else {
  console.error('k8snet: dist/k8snet.js is missing. Build it first: npm install (or npm run build)');
  process.exitCode = 3;
}
