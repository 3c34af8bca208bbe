// Which modules a first trace needs: those of which a function runs when k8snet traces its tutorial.
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { bundleOptions } from './plugins.mjs';
import { quietIo } from './quiet-io.cjs';

/**
 * Bundles src/cli/main.ts as it is, traces the tutorial, and gives the modules that ran and what each module imports; paths are
 * relative to `root`.
 */
export async function firstUse(root) {
  const { outputFiles, metafile } = await build({ ...bundleOptions(root), entryPoints: ['src/cli/main.ts'], format: 'cjs' });
  const code = outputFiles[0].text;
  const ran = new Set((await startsOfCalled(code, root)).map(moduleAt(code)));
  const imports = Object.entries(metafile.inputs).map(([file, input]) => [file, input.imports.map(({ path }) => path)]);
  return { ran, imports: new Map(imports) };
}

/** Where the functions begin that run when the tutorial is traced. */
async function startsOfCalled(code, root) {
  const [before, after] = ['(function (exports, require, module) {', '\n})'];
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const loaded = { exports: {} };
  const filename = 'first-use.cjs';
  new Script(before + code + after, { filename }).runInThisContext()(loaded.exports, createRequire(import.meta.url), loaded);
  // Taking it starts the counts anew: what only the modules' own start calls does not count.
  await session.post('Profiler.takePreciseCoverage');
  await loaded.exports.run(['trace'], quietIo(root));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .find(({ url }) => url === filename)
    .functions.map(({ ranges: [whole] }) => (whole.count > 0 ? whole.startOffset - before.length : -1))
    .filter((start) => start > 0);
}

/** The bundler writes a module's name above it. */
function moduleAt(code) {
  const modules = [...code.matchAll(/^ *\/\/ ((?:\S+:)?[^\s:]+\.\w+)$/gm)].map(({ index, 1: file }) => ({ index, file }));
  return (start) => modules.findLast(({ index }) => index < start)?.file;
}
