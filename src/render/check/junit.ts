import { printableDeep } from '../printable.ts';
import { failureText, fullName } from './text.ts';
import type { CheckReport, CheckResult } from '../../trace/check-report.ts';

/** A check report as JUnit XML, as Jenkins and GitLab read it: a test suite for each file. No times: the same input gives the same bytes. */
export function checkJunit(report: CheckReport): string {
  const { checks, passed, failed } = printableDeep(report);
  const errors = checks.filter((check) => check.error !== undefined).length;
  const files = [...new Set(checks.map((check) => check.file))];
  const suites = files.flatMap((file) =>
    suite(
      file,
      checks.filter((check) => check.file === file),
    ),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="k8snet" tests="${passed + failed}" failures="${failed - errors}" errors="${errors}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(file: string, checks: readonly CheckResult[]): readonly string[] {
  const errors = checks.filter((check) => check.error !== undefined).length;
  const failures = checks.filter((check) => !check.ok).length - errors;
  return [
    `  <testsuite name="${escapeXml(file)}" tests="${checks.length}" failures="${failures}" errors="${errors}">`,
    ...checks.flatMap(testCase),
    '  </testsuite>',
  ];
}

function testCase(check: CheckResult): readonly string[] {
  const line = check.line > 0 ? ` line="${check.line}"` : '';
  const head = `    <testcase name="${escapeXml(fullName(check))}" classname="${escapeXml(check.file)}" file="${escapeXml(check.file)}"${line}`;
  if (check.ok) return [`${head}/>`];
  const kind = check.error === undefined ? 'failure' : 'error';
  const [message, ...more] =
    check.error === undefined
      ? check.expectations.filter((e) => !e.ok).map((e) => `${e.name}: expected ${e.expected}, found ${e.actual}`)
      : [check.error];
  const title = [message ?? 'failed', ...(more.length > 0 ? [`and ${more.length} more`] : [])].join(' ');
  return [
    `${head}>`,
    `      <${kind} message="${escapeXml(title)}">${escapeXml(failureText(check))}</${kind}>`,
    '    </testcase>',
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Control characters, which XML 1.0 forbids, are gone before; noncharacters U+FFFE and U+FFFF are forbidden too. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!).replace(/[\ufffe\uffff]/g, '\ufffd');
}
