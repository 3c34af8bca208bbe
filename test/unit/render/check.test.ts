import { describe, expect, test } from 'vitest';
import { checkGithub } from '../../../src/render/check/github.ts';
import { checkJunit } from '../../../src/render/check/junit.ts';
import { checkText } from '../../../src/render/check/text.ts';
import type { CheckReport, CheckResult } from '../../../src/trace/check-report.ts';
import type { Outcome } from '../../../src/trace/outcome.ts';
import { ascii, plain } from './plain-style.ts';

const timeout: Outcome = {
  probability: 1,
  verdict: 'timeout',
  server: null,
  source: null,
  cause: { code: 'no-route', text: 'node-1 has no route', remedy: null, at: null },
  request: [],
  reply: [],
  ack: [],
  legs: [],
};
const good: CheckResult = {
  name: 'all well',
  file: 'a.yaml',
  line: 3,
  column: 5,
  from: 'pod/default/client',
  to: 'svc/default/web:80',
  ok: true,
  expectations: [{ name: 'verdict', ok: true, expected: 'connected', actual: 'connected' }],
  outcomes: [{ ...timeout, verdict: 'connected', cause: null }],
  assumptions: [],
};
const bad: CheckResult = {
  ...good,
  name: 'bad, <b>&"\u001b[31m%\n:',
  line: 9,
  ok: false,
  expectations: [
    { name: 'verdict', ok: false, expected: 'connected', actual: 'timeout' },
    { name: 'source', ok: true, expected: '10.0.0.1', actual: '10.0.0.1' },
  ],
  outcomes: [timeout],
};
const broken: CheckResult = {
  ...good,
  name: 'not run',
  file: '<stdin>',
  line: 0,
  column: 0,
  ok: false,
  expectations: [],
  outcomes: [],
  error: 'no pod "x"',
};
const report: CheckReport = { apiVersion: 'k8snet/v1', kind: 'CheckReport', passed: 1, failed: 2, checks: [good, bad, broken] };

describe('text', () => {
  test('says what was expected, found, where and why', () => {
    expect(checkText(report, plain)).toBe(
      [
        'a.yaml',
        '✓ all well                   pod/client → svc/default/web:80   connected',
        '✗ bad, <b>&"\\x1b[31m%\\x0a:   pod/client → svc/default/web:80   timeout',
        '    a.yaml:9:5',
        '    verdict      expected connected, found timeout',
        '    cause        node-1 has no route (no-route)',
        '',
        '<stdin>',
        '✗ not run   pod/client → svc/default/web:80',
        '    <stdin>',
        '    no pod "x"',
        '',
        '1 passed, 2 failed',
        '',
      ].join('\n'),
    );
  });

  test('names no file where there is one only', () => {
    expect(checkText({ ...report, checks: [good, bad] }, plain)).toMatch(/^✓ all well/);
  });

  test('can do with ASCII', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
    expect(checkText(report, ascii)).not.toMatch(/[^\x00-\x7f]/);
  });
});

test('JUnit: valid XML, failures and errors apart', () => {
  expect(checkJunit(report)).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="k8snet" tests="3" failures="1" errors="1">',
      '  <testsuite name="a.yaml" tests="2" failures="1" errors="0">',
      '    <testcase name="all well" classname="a.yaml" file="a.yaml" line="3"/>',
      '    <testcase name="bad, &lt;b&gt;&amp;&quot;\\x1b[31m%\\x0a:" classname="a.yaml" file="a.yaml" line="9">',
      '      <failure message="verdict: expected connected, found timeout">pod/default/client -&gt; svc/default/web:80',
      'verdict: expected connected, found timeout',
      'cause: node-1 has no route (no-route)</failure>',
      '    </testcase>',
      '  </testsuite>',
      '  <testsuite name="&lt;stdin&gt;" tests="1" failures="0" errors="1">',
      '    <testcase name="not run" classname="&lt;stdin&gt;" file="&lt;stdin&gt;">',
      '      <error message="no pod &quot;x&quot;">pod/default/client -&gt; svc/default/web:80',
      'no pod &quot;x&quot;</error>',
      '    </testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n'),
  );
});

test('GitHub: one annotation for each failure, escaped as the toolkit does', () => {
  expect(checkGithub(report).split('\n')).toEqual([
    '::error file=a.yaml,line=9,col=5,title=k8snet%3A bad%2C <b>&"\\x1b[31m%25\\x0a%3A::pod/default/client -> svc/default/web:80%0Averdict: expected connected, found timeout%0Acause: node-1 has no route (no-route)',
    '::error title=k8snet%3A not run::pod/default/client -> svc/default/web:80%0Ano pod "x"',
    '1 passed, 2 failed',
    '',
  ]);
});

describe('steps', () => {
  const stepped: CheckReport = {
    ...report,
    passed: 2,
    failed: 1,
    checks: [good, { ...good, step: 'a pod goes' }, { ...broken, step: 'a pod goes' }],
  };

  test('stand above their checks in text', () => {
    expect(checkText(stepped, plain).split('\n').slice(0, 5)).toEqual([
      'a.yaml',
      '✓ all well   pod/client → svc/default/web:80   connected',
      '',
      '── a pod goes ──',
      '✓ all well   pod/client → svc/default/web:80   connected',
    ]);
  });

  test('stand before the name elsewhere', () => {
    expect(checkJunit(stepped)).toContain('<testcase name="a pod goes: all well"');
    expect(checkGithub(stepped)).toContain('title=k8snet%3A a pod goes%3A not run');
  });
});
