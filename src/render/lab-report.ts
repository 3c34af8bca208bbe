import { printableDeep } from './printable.ts';
import { finish, percent } from './style.ts';
import { shortName } from './text/names.ts';
import type { LabCheck, LabDifference, LabReport } from '../trace/lab-report.ts';
import type { Style } from './style.ts';

/** Lines shown around the first one that differs. */
const CONTEXT = 3;

/** What a real kernel did beside what the simulation says: a line for each check, and the first difference side by side. */
export function labReportText(report: LabReport, style: Style): string {
  const { checks, agreed, differing, kernel } = printableDeep(report);
  const width = checks.reduce((max, check) => Math.max(max, check.name.length), 0);
  const { chalk } = style;
  const count = `Linux ${kernel}: ${agreed} agree, ${differing} ${differing === 1 ? 'differs' : 'differ'}`;
  const lines = checks.flatMap((check) => checkLines(check, width, kernel, style));
  return finish(`${[...lines, '', differing > 0 ? chalk.red.bold(count) : chalk.green.bold(count)].join('\n')}\n`, style);
}

function checkLines(check: LabCheck, width: number, kernel: string, style: Style): readonly string[] {
  const { chalk } = style;
  if (check.agrees) return [`${chalk.green('✓')} ${check.name.padEnd(width)}   ${chalk.dim(ending(check))}`];
  const head = `${chalk.red('✗')} ${chalk.bold(check.name.padEnd(width))}   ${ending(check)}`.trimEnd();
  if (check.error !== undefined) return [head, ...check.error.split('\n').map((line) => `    ${chalk.red(line)}`)];
  return check.difference === null ? [head] : [head, ...differenceLines(check, check.difference, kernel, style)];
}

function ending({ verdict, server, source, probability }: LabCheck): string {
  if (verdict === null) return '';
  const who = server === null ? '' : `, ${shortName(server)}`;
  const seen = source === null ? '' : ` saw ${source}`;
  return `${verdict}${who}${seen}${probability < 0.9995 && probability > 0 ? `   (${percent(probability)})` : ''}`;
}

function differenceLines(
  check: LabCheck,
  { what, where, simulated, observed, at }: LabDifference,
  kernel: string,
  { chalk }: Style,
): readonly string[] {
  const place = [check.before === null ? null : `connection ${check.before} of \`before\``, where]
    .filter((part) => part !== null)
    .join(', ');
  const first = Math.max(0, at - CONTEXT);
  const last = Math.min(Math.max(simulated.length, observed.length), at + CONTEXT + 1);
  const left = simulated.slice(first, last);
  const width = Math.max('simulated'.length, ...left.map((line) => line.length));
  const rows = Array.from({ length: last - first }, (_, i) => {
    const index = first + i;
    const pair = [(simulated[index] ?? '').padEnd(width), observed[index] ?? ''] as const;
    const line = `${String(index + 1).padStart(7)}  ${pair[0]} │ ${pair[1]}`.trimEnd();
    return index === at ? chalk.red(line) : chalk.dim(line);
  });
  return [
    `    ${what} differ${what === 'rules' || what === 'devices' ? '' : 's'}${place === '' ? '' : `: ${place}`}`,
    `         ${'simulated'.padEnd(width)} │ Linux ${kernel}`,
    ...rows,
  ];
}
