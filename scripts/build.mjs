// Bundles src/cli/main.ts into the one file the executable loads: dist/k8snet.js. Usage: node scripts/build.mjs [--quiet]
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

// Commander is CommonJS and calls require('node:events'); an ES module has no require of its own.
const banner = "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** Builds the bundle and puts it in place in one step, so that a process that starts meanwhile never reads half a file. */
export async function buildBundle(outfile = join(root, 'dist/k8snet.js')) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Names stay readable: a stack trace that a user reports must say something.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'eof',
    banner: { js: banner },
    outfile,
    write: false,
    logLevel: 'warning',
  });
  const [bundle] = result.outputFiles;
  const temporary = `${outfile}.${process.pid}.tmp`;
  await mkdir(dirname(outfile), { recursive: true });
  await writeFile(temporary, bundle.contents);
  await rename(temporary, outfile);
  return { outfile, bytes: bundle.contents.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { bytes } = await buildBundle();
  if (!process.argv.includes('--quiet')) console.log(`dist/k8snet.js  ${(bytes / 1024).toFixed(0)} KiB`);
}
