import { describe, expect, test } from 'vitest';
import { checksOf, commentOf, FILES, FOLDER, reportOf, scenarioOf, textOf } from './gallery.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCHEMA_LINE = '# yaml-language-server: $schema=../schema/scenario.schema.json';

describe.each(FILES)('%s', (name) => {
  const text = textOf(name);
  const comment = commentOf(text);

  test('tells editors its schema, and people what it is about', () => {
    expect(text.split('\n', 1)).toEqual([SCHEMA_LINE]);
    expect(comment.length).toBeGreaterThanOrEqual(6);
    expect(comment.length).toBeLessThanOrEqual(25);
    expect(comment[0]).toMatch(/^\S.{20,}[.?:]"?/);
    expect(comment.slice(1, 3)).toContain('');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(145);
  });

  test('loads, and says nothing about the file that is not meant', () => {
    const { diagnostics } = scenarioOf(name);
    const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
    if (!name.endsWith('-broken.yaml')) expect(warnings.map(({ message }) => message)).toEqual([]);
  });

  test('names a command to try, which exists', () => {
    const own = comment.flatMap((line) => [...line.matchAll(/k8snet \w+ (scenarios\/\S+\.yaml)/g)].map(([, file]) => file));
    if (name !== 'tutorial.yaml') expect(own.length).toBeGreaterThan(0);
    for (const file of own) expect(FILES.map((other) => `scenarios/${other}`)).toContain(file);
    const checks = checksOf(scenarioOf(name));
    const tried = comment.flatMap((line) => [...line.matchAll(/--check (?:'([^']+)'|(\d+))/g)]);
    for (const [, called, number] of tried) {
      if (called !== undefined) expect(checks.map((check) => check.name)).toContain(called);
      else expect(Number(number)).toBeLessThanOrEqual(checks.length);
    }
  });

  test('mentions only scenarios that there are', () => {
    const mentioned = comment.flatMap((line) =>
      [...line.matchAll(/(?<![\w-])((?:\d\d|basics-\d\d)-[a-z-]+[a-z])\b/g)].map(([, other]) => other!),
    );
    const known = FILES.map((other) => other.replace('.yaml', ''));
    for (const other of mentioned)
      expect(
        known.some((file) => file === other || file.startsWith(`${other}-`)),
        other,
      ).toBe(true);
  });

  test('its checks hold', () => {
    const { checks } = reportOf(name);
    const problems = checks.flatMap(({ name: check, error, expectations }) => [
      ...(error === undefined ? [] : [`${check}: ${error}`]),
      ...expectations
        .filter(({ ok }) => !ok)
        .map(({ name: what, expected, actual }) => `${check}: ${what} expected ${expected}, found ${actual}`),
    ]);
    expect(problems).toEqual([]);
    expect(checks.length).toBeGreaterThan(0);
  });

  test('its checks have names of their own, and say how each connection ends', () => {
    const checks = checksOf(scenarioOf(name));
    const names = checks.map((check) => check.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name: check, expect: expected } of checks) expect(expected.verdict, check).toBeDefined();
  });

  test('what does not connect has a cause, which its check expects', () => {
    for (const [i, { name: check, outcomes }] of reportOf(name).checks.entries()) {
      for (const outcome of outcomes) {
        if (outcome.verdict === 'connected' && outcome.server !== null) continue;
        expect(outcome.cause, check).not.toBeNull();
        expect(checksOf(scenarioOf(name))[i]?.expect.cause, check).toBe(outcome.cause?.code);
      }
    }
  });
});

describe('pairs', () => {
  const names = FILES.flatMap((file) => /^(.*)-broken\.yaml$/.exec(file)?.[1] ?? []);

  test('every broken scenario has a mended one, and the other way round', () => {
    expect(FILES.flatMap((file) => /^(.*)-mended\.yaml$/.exec(file)?.[1] ?? [])).toEqual(names);
  });

  /** Nothing fails there: the answer is not the one that was wanted. */
  const SURPRISES = [
    '07-client-address',
    '19-masquerade-all',
    '19-vpc-masquerade',
    '29-host-port',
    '30-affinity',
    '30-zone',
    '38-node-port-firewall',
    'ingress-4-class',
  ];
  /** What was meant to be: the packet is dropped, or the truth is told at once. */
  const MEANT = ['35-routing-loop', '38-node-port-firewall'];

  test.each(names)('%s: something goes wrong in the one, and the first check well in the other', (name) => {
    const causes = reportOf(`${name}-broken.yaml`).checks.flatMap(({ outcomes }) => outcomes.map(({ cause }) => cause));
    const mended = reportOf(`${name}-mended.yaml`).checks[0]!;
    expect(causes.some((cause) => cause !== null)).toBe(!SURPRISES.includes(name));
    if (!MEANT.includes(name))
      for (const outcome of mended.outcomes) expect(outcome).toMatchObject({ verdict: 'connected', cause: null });
  });

  test('the lists of exceptions are not out of date', () => {
    for (const name of [...SURPRISES, ...MEANT]) expect(names).toContain(name);
  });
});

describe('README', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');

  test('lists every scenario once, and no other', () => {
    const listed = [...readme.matchAll(/\]\(([^)]+\.yaml)\)/g)].map(([, file]) => file!);
    expect([...listed].sort()).toEqual(FILES);
  });
});
