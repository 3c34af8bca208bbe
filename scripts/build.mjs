// Bundles src/cli/main.ts into the one file that the executable loads, and compiles it ahead. Usage: node scripts/build.mjs [--quiet]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Parts of libraries that k8snet never uses, and that cost a good part of the start: each is replaced by an empty module. */
const UNUSED = [
  // Commander can start subcommands as programs of their own; k8snet starts nothing.
  { importer: /node_modules.commander./, path: /^node:child_process$/ },
  // Chalk looks at the terminal; src/cli/terminal.ts does that, for stdout and stderr apart.
  { importer: /node_modules.chalk./, path: /^#supports-color$/, contents: 'export default { stdout: false, stderr: false };' },
];

const leaveOutUnused = {
  name: 'leave-out-unused',
  setup({ onResolve, onLoad }) {
    UNUSED.forEach(({ importer, path, contents }, i) => {
      onResolve({ filter: path }, (args) =>
        importer.test(args.importer) ? { path: args.path, namespace: `unused-${i}` } : undefined,
      );
      onLoad({ filter: /.*/, namespace: `unused-${i}` }, () => ({ contents: contents ?? '' }));
    });
  },
};

/** Parts of Node that few commands need and that take milliseconds to load: the bundle loads each when it is first called. */
const CALLED_LATE = {
  'node:child_process': ['spawn', 'spawnSync'],
  'node:crypto': ['createHash', 'hash'],
  'node:readline': ['createInterface'],
};

const loadLate = {
  name: 'load-late',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      path in CALLED_LATE && namespace !== 'late' ? { path, namespace: 'late' } : { path, external: true },
    );
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => {
      const calls = CALLED_LATE[path].map(
        (name) => `export const ${name} = (...args) => (loaded ??= require('${path}')).${name}(...args);`,
      );
      return { contents: ['let loaded;', ...calls].join('\n') };
    });
  },
};

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

const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Names stay readable: a stack trace that a user reports must say something.
  minifySyntax: true,
  minifyWhitespace: true,
  // They stand in THIRD-PARTY-LICENSES.txt.
  legalComments: 'none',
  charset: 'ascii',
  plugins: [leaveOutUnused, loadLate],
  outfile: join(dist, 'k8snet.cjs'),
  write: false,
  metafile: true,
  logLevel: 'warning',
});

const code = result.outputFiles[0].text;
// V8 tells sources apart by their length alone, so the build's name ties the compiled code to its bundle.
const name = createHash('sha256').update(code).digest('hex').slice(0, 12);
const bundle = join(dist, 'k8snet.cjs');
const cache = `${bundle}.${name}.cache`;

mkdirSync(dist, { recursive: true });
// Put in place in one step: a process that starts meanwhile never reads half a file.
writeFileSync(`${bundle}.${process.pid}.tmp`, `// build ${name}\n${code}`);
renameSync(`${bundle}.${process.pid}.tmp`, bundle);
execFileSync(process.execPath, [join(root, 'scripts/compile-ahead.cjs'), bundle, cache]);
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(Object.keys(result.metafile.inputs)));
for (const file of readdirSync(dist)) {
  if (file.endsWith('.cache') && !cache.endsWith(file)) rmSync(join(dist, file), { force: true });
}

if (!process.argv.includes('--quiet')) console.log(`dist/k8snet.cjs  ${(code.length / 1024).toFixed(0)} KiB`);
