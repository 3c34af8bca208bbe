// Measures k8snet against its yardsticks, side by side. Usage: node scripts/bench.mjs [--runs N] [--size full|tiny] [--json FILE]
//
// Inputs are made with a seeded generator. Whole processes take turns and every ratio is the median of the ratios of the turns, so that
// a busy machine harms both sides alike. Of Node processes that read large inputs CPU time is compared, elsewhere wall time.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { jsonList, yamlList } from './bench/inputs.mjs';
import { median, runOnce, sideBySide } from './bench/measure.mjs';
import { tableText } from './bench/table.mjs';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '9' }, size: { type: 'string', default: 'full' }, json: { type: 'string' } },
});
const runs = Number(values.runs);
const full = values.size === 'full';
const SEED = 7;

const root = fileURLToPath(new URL('..', import.meta.url));
const executable = join(root, 'bin/k8snet.js');
const folder = mkdtempSync(join(tmpdir(), 'k8snet-bench-'));

/** What is measured: Kubernetes' own limits, or a hundredth of them, which shows only that the benchmark works. */
const scale = full ? 1 : 100;
const SIZES = {
  rules: { nodes: 50, services: 10_000 / scale, endpoints: 5, withPods: false },
  limits: { nodes: 5_000 / scale, services: 10_000 / scale, endpoints: 15, withPods: true },
  yaml: { nodes: 500 / scale, services: 1_000 / scale, endpoints: 15, withPods: true },
  dump: { nodes: 50, services: 5_682 / scale, endpoints: 5, withPods: false },
  many: { nodes: 20, services: 100 / Math.sqrt(scale), endpoints: 10 },
  growth: [10, 100, 1_000, 10_000].map((services) => ({ nodes: 200, services: services / Math.sqrt(scale), endpoints: 3 })),
};

function made(name, pieces) {
  const file = join(folder, name);
  const descriptor = openSync(file, 'w');
  for (const piece of pieces) writeSync(descriptor, piece);
  closeSync(descriptor);
  return file;
}

const node = (name, args, more = {}) => ({ name, command: process.execPath, args, node: true, ...more });
const k8snet = (name, args) => node(name, [executable, ...args]);
const jsonParse = (file) => node('JSON.parse', ['-e', `JSON.parse(require('fs').readFileSync(${JSON.stringify(file)},'utf8'))`]);
const megabytes = (file) => `${(statSync(file).size / 1e6).toFixed(0)} MB`;

/** A row of the table: what was measured, against what, and what is asked for. */
const rows = [];
function row(item, what, yardstick, unit, { value, base, ratio }, target) {
  rows.push({ item, what, yardstick, unit, value, base, ratio, target });
  console.error(`${what}: ${ratio?.toFixed(2) ?? value.toFixed(0)}`);
}
const compared = (base, own, figure) => ({ value: own[figure], base: base[figure], ratio: own.ratios[figure] });

function measureStart() {
  // Nothing is loaded into these beside the program itself: here a millisecond counts.
  const plain = (name, args) => ({ name, command: process.execPath, args });
  const [empty, version, trace] = sideBySide(
    [plain('node', ['-e', '0']), plain('version', [executable, '--version']), plain('trace', [executable, 'trace'])],
    runs * 3,
  );
  row(1, 'k8snet --version', 'node -e 0', 'ms', compared(empty, version, 'wall'), 1.2);
  row(1, 'k8snet trace (the tutorial)', 'node -e 0', 'ms', compared(empty, trace, 'wall'), 1.5);
}

function measureRules() {
  const file = made('rules.json', jsonList(SIZES.rules, SEED));
  const [parse, rules] = sideBySide([jsonParse(file), k8snet('rules', ['rules', file, '--node', 'node-1'])], runs);
  const what = `k8snet rules, ${SIZES.rules.services} services`;
  row(2, what, `JSON.parse, ${megabytes(file)}`, 'ms', compared(parse, rules, 'cpu'), 4);
}

const TRACE = ['--from', 'node/node-1', '--to', 'svc/svc-1', '-n', 'team-1'];

function measureLimits() {
  const file = made('limits.json', jsonList(SIZES.limits, SEED));
  const [parse, trace] = sideBySide([jsonParse(file), k8snet('trace', ['trace', file, ...TRACE])], runs);
  const pods = SIZES.limits.services * SIZES.limits.endpoints;
  const what = `k8snet trace, ${SIZES.limits.nodes} nodes, ${pods} pods`;
  row(3, what, `JSON.parse, ${megabytes(file)}`, 'ms', compared(parse, trace, 'cpu'), 2);
  row(3, `${what}: peak memory`, 'JSON.parse', 'bytes', compared(parse, trace, 'peak'), 2);
  rmSync(file);
}

function measureYaml() {
  const file = made('tenth.yaml', yamlList(SIZES.yaml, SEED));
  const bare = `require(${JSON.stringify(join(root, 'node_modules/js-yaml'))}).load(require('fs').readFileSync(${JSON.stringify(file)},'utf8'))`;
  const [load, trace] = sideBySide([node('js-yaml', ['-e', bare]), k8snet('trace', ['trace', file, ...TRACE])], runs);
  const what = `k8snet trace, ${SIZES.yaml.nodes} nodes as YAML`;
  row(3, what, `js-yaml load, ${megabytes(file)}`, 'ms', compared(load, trace, 'cpu'), 1.5);
  row(3, `${what}: peak memory`, 'js-yaml load', 'bytes', compared(load, trace, 'peak'), null);
}

async function measureWalks() {
  const script = await bundled('walks');
  const options = { many: SIZES.many, growth: SIZES.growth, seed: SEED, rounds: full ? 7 : 2, walksOfARound: full ? 4000 : 40 };
  const { many, growth } = JSON.parse(execFileSync(process.execPath, [script, JSON.stringify(options)], { encoding: 'utf8' }));
  const [small, large] = [growth[0], growth.at(-1)];
  const cost = { value: large.microseconds, base: small.microseconds, ratio: large.ratio };
  row(4, `a walk among ${large.services} services`, `among ${small.services}`, 'µs', cost, 1.3);
  row(5, 'walks, verdicts only', null, '1/s', { value: many.verdicts, base: null, ratio: null }, 20_000);
  row(5, 'walks with full events', null, '1/s', { value: many.events, base: null, ratio: null }, 2_000);
  return growth;
}

async function measureDump() {
  const script = await bundled('dump');
  const cluster = made('dump.json', jsonList(SIZES.dump, SEED));
  const { stdout } = spawnSync(process.execPath, [executable, 'rules', cluster, '--node', 'node-1'], { maxBuffer: 1 << 28 });
  const file = made('dump.save', [stdout]);
  const count = stdout.toString('latin1').match(/^-A /gm)?.length ?? 0;
  const restore = ['iptables-legacy-restore', ['--test', file]];
  const usable = spawnSync(...restore).status === 0;
  const turns = Array.from({ length: runs }, () => ({
    real: usable ? runOnce({ command: restore[0], args: restore[1] }).wall : null,
    ...JSON.parse(execFileSync(process.execPath, [script, file, '1'], { encoding: 'utf8' })),
  }));
  const against = (figure) => ({
    value: median(turns.map(figure)),
    base: usable ? median(turns.map(({ real }) => real)) : null,
    ratio: usable ? median(turns.map((turn) => figure(turn) / turn.real)) : null,
  });
  const yardstick = usable ? 'iptables-legacy-restore --test' : 'iptables-legacy-restore (not here)';
  row(
    6,
    `parse a dump of ${count} rules`,
    yardstick,
    'ms',
    against(({ parse }) => parse),
    1,
  );
  row(
    6,
    'print it back',
    yardstick,
    'ms',
    against(({ print }) => print),
    0.5,
  );
  row(
    6,
    'parse it and check every rule',
    yardstick,
    'ms',
    against(({ parse, check }) => parse + check),
    null,
  );
}

/** CPU milliseconds of whole commands by number of services, and of one walk. */
function measureGrowth(walks) {
  return SIZES.growth.map((size, i) => {
    const file = made('growth.json', jsonList({ ...size, withPods: true }, SEED));
    const [parse, rules, trace] = sideBySide(
      [
        jsonParse(file),
        k8snet('rules', ['rules', file, '--node', 'node-1']),
        k8snet('trace', ['trace', file, '--from', 'node/node-1', '--to', 'svc/svc-0', '-n', 'team-0']),
      ],
      Math.ceil(runs / 3),
    );
    const [parseCpu, rulesCpu, traceCpu] = [parse, rules, trace].map(({ cpu }) => cpu);
    return { services: size.services, parse: parseCpu, rules: rulesCpu, trace: traceCpu, walk: walks[i].microseconds / 1e3 };
  });
}

async function bundled(name) {
  const outfile = join(folder, `${name}.cjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [`scripts/bench/${name}.mjs`],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': '"file:///"' },
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

try {
  measureStart();
  measureRules();
  measureLimits();
  measureYaml();
  const walks = await measureWalks();
  await measureDump();
  const growth = measureGrowth(walks);
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Linux ${release()}, Node ${process.version}`;
  const report = { date: new Date().toISOString().slice(0, 10), machine, runs, size: values.size, rows, growth };
  console.log(tableText(report));
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
