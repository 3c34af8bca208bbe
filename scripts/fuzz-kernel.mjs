// Random clusters, commands and connections: the simulation against this machine's kernel. Needs root on Linux.
// Usage: npm run fuzz:kernel -- --seeds A-B [--probes N] [--no-shrink]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'k8snet-fuzz-'));
try {
  const outfile = join(folder, 'main.mjs');
  await build({
    entryPoints: [join(root, 'test/kernel/fuzz/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const { main } = await import(pathToFileURL(outfile).href);
  process.exitCode = await main(process.argv.slice(2), root);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
