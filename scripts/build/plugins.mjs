// What the bundler is told to leave out, or to load only when it is first called.

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

/** What every bundle of k8snet has in common. */
export const bundleOptions = (root) => ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // They stand in THIRD-PARTY-LICENSES.txt.
  legalComments: 'none',
  charset: 'ascii',
  plugins: [leaveOutUnused, loadLate],
  write: false,
  metafile: true,
  logLevel: 'warning',
});
