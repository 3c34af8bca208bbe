// Puts a report of the benchmark into docs/performance.md and draws its plot. Usage: node scripts/bench-publish.mjs REPORT.json [FOLDER]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plotSvg } from './bench/plot.mjs';
import { tableMarkdown } from './bench/table.mjs';

const [file, folder = fileURLToPath(new URL('../docs', import.meta.url))] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const page = join(folder, 'performance.md');
const table = `<!-- table -->\n\n${report.machine}; ${report.date}; medians of ${report.runs} turns.\n\n${tableMarkdown(report)}\n\n<!-- end of table -->`;
const text = readFileSync(page, 'utf8').replace(/<!-- table -->[\s\S]*<!-- end of table -->/, () => table);
writeFileSync(page, text);
writeFileSync(join(folder, 'performance.svg'), plotSvg(report));
