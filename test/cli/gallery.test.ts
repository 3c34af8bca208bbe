import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { k8snet, ROOT } from './run-k8snet.ts';

const FOLDER = join(ROOT, 'scenarios');

/** The command lines that the comments of the gallery tell to try; those that only trace a check are like each other, and left out. */
const LINES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => readFileSync(join(FOLDER, name), 'utf8').split('\n'))
  .flatMap((line) => /^# .*?(k8snet (?:trace|rules|check|explain) .*?)(?: {3,}.*| \| .*)?$/.exec(line)?.[1] ?? [])
  .filter((line) => !/^k8snet trace \S+ --check \d+( --detail rules)?$/.test(line) && !line.includes('…'));

/** Words of a command line as a shell takes them, quotes understood. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

describe('what the gallery tells to try', () => {
  test('there is something', () => expect(LINES.length).toBeGreaterThan(5));

  test.each([...new Set(LINES)])('%s', (line) => {
    const { status, stderr } = k8snet(words(line).slice(1));
    expect(stderr).not.toContain('error:');
    expect([0, 1]).toContain(status);
  });
});
