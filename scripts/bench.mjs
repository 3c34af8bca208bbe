// Start-up time of the whole process against an empty Node: node scripts/bench.mjs [--runs N] [--json FILE]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '21' }, json: { type: 'string' } } });
const runs = Number(values.runs);
const executable = fileURLToPath(new URL('../bin/k8snet.js', import.meta.url));

const cases = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'k8snet --version', args: [executable, '--version'] },
  { name: 'k8snet trace', args: [executable, 'trace'] },
  { name: 'k8snet rules --node node-1', args: [executable, 'rules', '--node', 'node-1'] },
  { name: 'k8snet check', args: [executable, 'check'] },
];

function milliseconds(args) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0 && status !== 1) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// Interleaved, so that a busy moment of the machine hits all alike; one run of each first, to warm the file cache.
for (const { args } of cases) milliseconds(args);
const times = cases.map(() => []);
for (let run = 0; run < runs; run++) {
  for (const [i, { args }] of cases.entries()) times[i].push(milliseconds(args));
}

const base = median(times[0]);
const results = cases.map(({ name }, i) => ({
  name,
  median: Number(median(times[i]).toFixed(1)),
  min: Number(Math.min(...times[i]).toFixed(1)),
  ratio: Number((median(times[i]) / base).toFixed(2)),
}));

const report = { node: process.version, runs, unit: 'ms', results };
console.log(`${'whole process, ms'.padEnd(30)}${'median'.padStart(8)}${'min'.padStart(8)}${'ratio'.padStart(8)}`);
for (const { name, median, min, ratio } of results) {
  console.log(`${name.padEnd(30)}${median.toFixed(1).padStart(8)}${min.toFixed(1).padStart(8)}${ratio.toFixed(2).padStart(8)}`);
}
console.log(`\n${JSON.stringify(report)}`);
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
