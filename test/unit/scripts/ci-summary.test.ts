import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/ci-summary.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'k8snet-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface File {
  readonly name?: string;
  readonly status?: string;
  readonly tests: readonly string[];
}

function summary(
  files: readonly File[] | null,
  steps: readonly string[] = [],
  ci = 'false',
): { readonly last: string | undefined; readonly status: number | null } {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  if (files !== null) {
    const testResults = files.map(({ name = '/x/test/unit/a.test.ts', status = 'passed', tests }) => ({
      name,
      status,
      assertionResults: tests.map((result) => ({ status: result })),
    }));
    writeFileSync(report, JSON.stringify({ testResults }));
  }
  const { stdout, status } = spawnSync(process.execPath, [script, report, ...steps], {
    encoding: 'utf8',
    env: { ...process.env, CI: ci },
  });
  return { last: stdout.trimEnd().split('\n').at(-1), status };
}

const kernel = { name: '/x/test/kernel/a.test.ts', tests: ['skipped'] };

test.each([
  ['all well', [{ tests: ['passed', 'passed'] }], [], 'false', '2 passed, 0 failed', 0],
  ['a failed test', [{ status: 'failed', tests: ['passed', 'failed'] }], ['test'], 'false', '1 passed, 1 failed', 1],
  ['a skipped test', [{ tests: ['passed', 'skipped'] }], [], 'false', '1 passed, 0 failed, 1 skipped', 0],
  [
    'a file that does not load',
    [{ tests: ['passed'] }, { status: 'failed', tests: [] }],
    ['test'],
    'false',
    '1 passed, 1 failed',
    1,
  ],
  ['a failed step', [{ tests: ['passed'] }], ['lint'], 'false', '1 passed, 1 failed', 1],
  ['a test run that broke otherwise', [{ tests: ['passed'] }], ['test'], 'false', '1 passed, 1 failed', 1],
  ['no report', null, ['test'], 'false', '0 passed, 1 failed', 1],
  ['no tests', [], [], 'false', '0 passed, 0 failed', 1],
  ['kernel tests skipped at home', [{ tests: ['passed'] }, kernel], [], 'false', '1 passed, 0 failed, 1 skipped', 0],
  ['kernel tests skipped in CI', [{ tests: ['passed'] }, kernel], [], 'true', '1 passed, 1 failed', 1],
] as const)('%s', (_, files, steps, ci, last, status) => {
  expect(summary(files, steps, ci)).toEqual({ last, status });
});
