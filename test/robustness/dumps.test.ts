import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cluster, sound } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'k8snet-dumps-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A filter table of these lines. */
function filter(...lines: readonly string[]): string {
  return ['*filter', ...lines, 'COMMIT', ''].join('\n');
}

function lines(count: number, line: (i: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, i) => line(i));
}

const MEGABYTE = 1_000_000;

const DUMPS: readonly (readonly [name: string, text: string])[] = [
  ['10,000 rules', filter(...lines(10_000, (i) => `-A FORWARD -s 10.${i >> 8}.${i & 255}.0/24 -j ACCEPT`))],
  ['10,000 rules that all match', filter(...lines(10_000, () => '-A FORWARD -j LOG'))],
  [
    '10,000 rules with unknown modules',
    filter(...lines(10_000, (i) => `-A FORWARD -m weird${i} --foo ${i} -j ${i % 2 ? 'DROP' : 'NOPE'}`)),
  ],
  ['20,000 inserted rules', filter(...lines(20_000, () => '-I FORWARD -s 1.2.3.4 -j DROP'))],
  [
    'chains of jumps, 10,000 deep',
    filter(...lines(10_000, (i) => `:C${i} -`), '-A FORWARD -j C0', ...lines(9_999, (i) => `-A C${i} -j C${i + 1}`)),
  ],
  [
    'chains of gotos, 10,000 deep',
    filter(...lines(10_000, (i) => `:C${i} -`), '-A FORWARD -j C0', ...lines(9_999, (i) => `-A C${i} -g C${i + 1}`)),
  ],
  [
    'jumps that multiply, 100 ways at each of 15 levels',
    filter(
      ...lines(16, (i) => `:C${i} -`),
      '-A FORWARD -j C0',
      ...lines(1_500, (i) => `-A C${Math.floor(i / 100)} -p tcp -j C${Math.floor(i / 100) + 1}`),
    ),
  ],
  ['a loop of jumps', filter(':A -', ':B -', '-A FORWARD -j A', '-A A -j B', '-A B -j A')],
  ['a loop of gotos', filter(':A -', ':B -', '-A FORWARD -g A', '-A A -g B', '-A B -g A')],
  ['jumps to itself, to a base chain, to nowhere', filter(':A -', '-A A -j A', '-A FORWARD -j FORWARD', '-A FORWARD -j NOWHERE')],
  [
    '100 tables that there are not, 100 times one that there is',
    lines(100, (i) => `*t${i}\n:X -\n-A X -j Y\nCOMMIT`).join('\n') +
      lines(100, () => filter(':X -', '-A FORWARD -j X')).join(''),
  ],
  ['an open quote, 1 MB of escaped quotes', filter(`-A FORWARD -m comment --comment "${'\\"'.repeat(MEGABYTE / 2)}`)],
  ['the same with counters', filter(`-A FORWARD -c 1 1 -m comment --comment "${'\\"'.repeat(MEGABYTE / 2)}`)],
  ['1 MB of quotes', filter(`-A FORWARD ${'"'.repeat(MEGABYTE + 1)} -j ACCEPT`)],
  ['1 MB of blanks', filter(`-A FORWARD -c 1 1 ${' '.repeat(MEGABYTE)}x -j ACCEPT`)],
  ['1 MB of tabs', filter(`-A FORWARD -s 1.1.1.1,${'\t'.repeat(MEGABYTE)}-j ACCEPT`)],
  ['1 MB of addresses', filter(`-A FORWARD -s ${'1.1.1.1,'.repeat(MEGABYTE / 8)}2.2.2.2 -j ACCEPT`)],
  ['addresses times addresses', filter(`-A FORWARD -s ${'1.1.1.1,'.repeat(5_000)}2.2.2.2 -d ${'1.1.1.1,'.repeat(5_000)}2.2.2.2`)],
  ['1 MB of one option', filter(`-A FORWARD ${'-s x '.repeat(MEGABYTE / 5)}`)],
  ['1 MB of negated matches', filter(`-A FORWARD ${'! -m foo '.repeat(MEGABYTE / 9)}-j ACCEPT`)],
  ['1 MB of ports', filter(`-A FORWARD -p tcp -m multiport --dports ${'1,'.repeat(MEGABYTE / 2)}2 -j ACCEPT`)],
  ['1 MB of comment', filter(`-A FORWARD -m comment --comment "${'a'.repeat(MEGABYTE)}" -j DROP`)],
  ['1 MB of counters', filter(`${'[1:1] '.repeat(MEGABYTE / 6)}-A FORWARD -j DROP`)],
  ['a mark of 100,000 digits', filter(`-A FORWARD -j MARK --set-xmark 0x${'f'.repeat(100_000)}`)],
  [
    'names of JavaScript',
    filter(
      ':__proto__ ACCEPT',
      ':constructor -',
      ':toString DROP',
      '-A FORWARD -j __proto__',
      '-A __proto__ -m constructor -j toString',
    ),
  ],
  ['NULs and control characters', filter('-A FORWARD -m comment --comment "a\0b\u001b[31m\u202e" -j DROP\0', 'x\0')],
  ['line ends of Windows', filter('-A FORWARD -j DROP').replaceAll('\n', '\r\n')],
  [
    'numbers beyond all',
    filter(
      '-I FORWARD 999999999999999999999 -j DROP',
      '-I FORWARD 0 -j DROP',
      '-I FORWARD -1 -j DROP',
      '-A FORWARD -p tcp --dport 99999999999:-1 -j DROP',
    ),
  ],
  [
    'ranges upside down',
    [
      '*nat',
      '-A PREROUTING -p tcp -j DNAT --to-destination 1.2.3.4-1.2.3.3:9-1',
      '-A POSTROUTING -j SNAT --to-source 0.0.0.0-255.255.255.255',
      '-A PREROUTING -p tcp -j REDIRECT --to-ports 0',
      'COMMIT',
      '',
    ].join('\n'),
  ],
  [
    'rejects of everything',
    filter('-A INPUT -j REJECT', '-A OUTPUT -j REJECT', '-A FORWARD -p tcp -j REJECT --reject-with tcp-reset'),
  ],
  ['no dump', 'root:x:0:0:root:/root:/bin/bash\n'],
  ['nothing', ''],
];

describe('hostile dumps', () => {
  test.each(DUMPS)('%s', { timeout: 60_000 }, async (_, text) => {
    const file = join(folder, 'dump');
    writeFileSync(file, text);
    const scenario = cluster({ node: `, iptablesSave: ${JSON.stringify(file)}` });
    await sound(['trace', '-', '--from', 'pod/client', '--to', 'pod/web-1:8080', '--detail', 'rules'], scenario);
    await sound(['rules', '-', '--node', 'node-1', '--diff', file], cluster());
  });

  test.each(['/dev/zero', '/proc/self/mem', '/', 'http://example.com/rules', 'a\0b', '-', '../'.repeat(5000)])(
    'a dump named %j is an error',
    async (path) => {
      const { code } = await sound(['check', '-'], cluster({ node: `, iptablesSave: ${JSON.stringify(path)}` }));
      expect(code).toBe(2);
    },
  );
});
