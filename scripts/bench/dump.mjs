// Reads and prints a dump of iptables-save in this process. Built by bench.mjs; usage: node dump.js FILE ROUNDS
import { readFileSync } from 'node:fs';
import { parseSave } from '../../src/kernel/netfilter/iptables/save-format/parse.ts';
import { printSave } from '../../src/kernel/netfilter/iptables/save-format/print.ts';
import { median } from './measure.mjs';

const [file, rounds] = [process.argv[2], Number(process.argv[3])];

function timed(work) {
  const start = process.hrtime.bigint();
  const result = work();
  return { result, milliseconds: Number(process.hrtime.bigint() - start) / 1e6 };
}

// From the file to the rules as a command line does it, cold: once a process would be too few to tell, so the first run counts too.
const turns = Array.from({ length: rounds }, () => {
  const parsed = timed(() => parseSave(readFileSync(file, 'utf8'), file));
  const checked = timed(() => parsed.result.diagnostics.length);
  const printed = timed(() => printSave(parsed.result.tables, 4).length);
  return { parse: parsed.milliseconds, check: checked.milliseconds, print: printed.milliseconds };
});
const medianOf = (key) => median(turns.map((turn) => turn[key]));
console.log(JSON.stringify({ parse: medianOf('parse'), check: medianOf('check'), print: medianOf('print') }));
