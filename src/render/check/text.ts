import { printableDeep } from '../printable.ts';
import { finish } from '../style.ts';
import { shortName } from '../text/names.ts';
import type { CheckReport, CheckResult } from '../../trace/check-report.ts';
import type { Style } from '../style.ts';

/** A check report for people: the name of each file where there are several, a line for each check, below it what was expected and found where it failed, and the count. */
export function checkText(report: CheckReport, style: Style): string {
  const { checks, passed, failed } = printableDeep(report);
  const widths = new Map<string, number>();
  for (const { file, name } of checks) widths.set(file, Math.max(widths.get(file) ?? 0, name.length));
  const severalFiles = checks.some(({ file }) => file !== checks[0]?.file);
  const lines = checks.flatMap((check, i) => [
    ...(severalFiles && check.file !== checks[i - 1]?.file ? [...(i > 0 ? [''] : []), style.chalk.bold(check.file)] : []),
    ...(check.step !== checks[i - 1]?.step ? stepLine(check, style) : []),
    ...(check.ok ? [passLine(check, widths.get(check.file) ?? 0, style)] : failLines(check, widths.get(check.file) ?? 0, style)),
  ]);
  const count = `${passed} passed, ${failed} failed`;
  const { chalk } = style;
  return finish(`${[...lines, '', failed > 0 ? chalk.red.bold(count) : chalk.green.bold(count)].join('\n')}\n`, style);
}

/** The name of a step stands above its checks. */
function stepLine({ step }: CheckResult, { chalk }: Style): readonly string[] {
  return step === undefined ? [] : ['', chalk.dim(`── ${step} ──`)];
}

function passLine(check: CheckResult, width: number, { chalk }: Style): string {
  return `${chalk.green('✓')} ${check.name.padEnd(width)}   ${chalk.dim(`${way(check)}   ${found(check)}`)}`;
}

function failLines(check: CheckResult, width: number, { chalk }: Style): readonly string[] {
  return [
    `${chalk.red('✗')} ${chalk.bold(check.name.padEnd(width))}   ${[way(check), found(check)].join('   ').trimEnd()}`,
    `    ${chalk.dim(place(check))}`,
    ...(check.error === undefined ? [] : [`    ${chalk.red(check.error)}`]),
    ...check.expectations
      .filter((expectation) => !expectation.ok)
      .map((e) => `    ${e.name.padEnd(12)} expected ${chalk.green(e.expected)}, found ${chalk.red(e.actual)}`),
    ...causes(check).map((cause) => `    ${chalk.dim('cause'.padEnd(12))} ${cause}`),
  ];
}

/** "file:line:column", or what is known of it. */
export function place({ file, line, column }: CheckResult): string {
  return line > 0 ? `${file}:${line}:${column}` : file;
}

/** Why connections failed, each reason once. */
export function causes(check: CheckResult): readonly string[] {
  return [
    ...new Set(check.outcomes.flatMap((outcome) => (outcome.cause ? [`${outcome.cause.text} (${outcome.cause.code})`] : []))),
  ];
}

/** The check's name behind that of its step. */
export function fullName({ step, name }: CheckResult): string {
  return step === undefined ? name : `${step}: ${name}`;
}

/** What a failed check says in one piece of plain text. */
export function failureText(check: CheckResult): string {
  return [
    `${check.from} -> ${check.to}`,
    ...(check.error === undefined ? [] : [check.error]),
    ...check.expectations.filter((e) => !e.ok).map((e) => `${e.name}: expected ${e.expected}, found ${e.actual}`),
    ...causes(check).map((cause) => `cause: ${cause}`),
  ].join('\n');
}

function way(check: CheckResult): string {
  return `${shortName(check.from)} → ${shortName(check.to)}`;
}

function found(check: CheckResult): string {
  return [...new Set(check.outcomes.map(ending))].join(' or ');
}

/** "connected", "connected, HTTP 503". */
function ending({ verdict, status }: CheckResult['outcomes'][number]): string {
  return status === undefined ? verdict : `${verdict}, HTTP ${status}`;
}
