import type { LabCheck } from '../../../src/trace/lab-report.ts';

/** A difference for a log: what differs and the lines around the first one that does. */
export function describeDifference({ name, verdict, server, source, difference, before, error }: LabCheck): string {
  const head = `  ✗ ${name}: the kernel says ${verdict ?? '-'}, ${server ?? 'no server'}, ${source ?? 'no source'}`;
  if (error !== undefined || difference === null) return `${head}\n    ${error ?? 'no branch of the simulation'}`;
  const { what, where, simulated, observed, at } = difference;
  const around = (lines: readonly string[]): string =>
    lines
      .slice(Math.max(0, at - 2), at + 3)
      .map((line, i) => `\n      ${i + Math.max(0, at - 2) === at ? '>' : ' '} ${line}`)
      .join('');
  return `${head}\n    ${what}${where === null ? '' : `, ${where}`}${before === null ? '' : `, connection ${before} of before`}\n    simulated${around(simulated)}\n    observed${around(observed)}`;
}
