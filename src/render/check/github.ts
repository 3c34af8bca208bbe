import { printableDeep } from '../printable.ts';
import { failureText, fullName } from './text.ts';
import type { CheckReport, CheckResult } from '../../trace/check-report.ts';

/**
 * A check report as workflow commands of GitHub Actions: an annotation for each failed check at its place in the file, then the count.
 * Escaping: actions/toolkit, command.ts.
 */
export function checkGithub(report: CheckReport): string {
  const { checks, passed, failed } = printableDeep(report);
  const lines = checks.filter((check) => !check.ok).map(annotation);
  return [...lines, `${passed} passed, ${failed} failed`, ''].join('\n');
}

function annotation(check: CheckResult): string {
  const place = check.file.startsWith('<')
    ? []
    : [
        ['file', check.file],
        ...(check.line > 0
          ? [
              ['line', String(check.line)],
              ['col', String(check.column)],
            ]
          : []),
      ];
  const properties = [...place, ['title', `k8snet: ${fullName(check)}`]].map(
    ([key, value]) => `${key}=${escapeProperty(value!)}`,
  );
  return `::error ${properties.join(',')}::${escapeData(failureText(check))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
