import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, test } from 'vitest';
import { cluster, doing, sound } from './run-cli.ts';

/** More of it: FUZZ=20 npx vitest run test/robustness/fuzz.test.ts, with other seeds: SEED=7. */
const TIMES = Number(process.env.FUZZ ?? 1);
const SEED = Number(process.env.SEED ?? 20_260_101);
const TIMEOUT = 120_000 * TIMES;

function runs(count: number): fc.Parameters<unknown> {
  return { seed: SEED, numRuns: count * TIMES, endOnFailure: true };
}

const folder = mkdtempSync(join(tmpdir(), 'k8snet-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const GOLDEN = new URL('../golden/', import.meta.url);

function goldenFiles(set: string, name: string): readonly string[] {
  const root = new URL(`${set}/`, GOLDEN);
  const files = readdirSync(root)
    .toSorted()
    .map((entry) => new URL(`${entry}${name}`, root));
  return files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()).map((file) => readFileSync(file, 'utf8'));
}

const SCENARIOS = [
  ...goldenFiles('kernel', '/scenario.yaml'),
  ...goldenFiles('kernel-random', '/scenario.yaml'),
  ...goldenFiles('../../scenarios', '').filter((text) => text.includes('nodes:')),
];
const DUMPS = goldenFiles('iptables-save', '');
const COMMANDS = [
  ...readFileSync(new URL('iptables-commands.txt', GOLDEN), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('iptables ')),
  'ip route replace 10.244.1.0/24 via 10.244.1.0 dev flannel.1 onlink',
  'ip route add blackhole 10.0.0.0/8',
  'ip route flush table main',
  'ip addr add 1.2.3.4/32 dev lo',
  'ip addr flush dev eth0',
  'ip rule add from 10.244.0.0/16 fwmark 0x1/0x3 lookup 100',
  'ip link set dev eth0 mtu 1400 down',
  'ip link set eth0 master cni0',
  'ip link del cni0',
  'ip neigh replace 10.244.0.2 lladdr 02:00:00:00:00:01 dev cni0',
  'bridge fdb append 02:00:00:00:00:01 dev flannel.1 dst 192.168.0.12',
  'sysctl -w net.ipv4.ip_forward=0',
  'ipset create names hash:ip,port timeout 5',
  'ipset add names 10.0.0.1,tcp:80',
];

const WEIRD = [
  '',
  ' ',
  '-',
  '--',
  '!',
  '""',
  "'",
  '\\',
  '0',
  '-1',
  '99999999999999999999',
  '0x',
  '1e999',
  '.inf',
  'null',
  'true',
  '\0',
  '\u001b[31m',
  '\u202e',
  '\ud800',
  '𝕏',
  '__proto__',
  'constructor',
  '255.255.255.255',
  '0.0.0.0/0',
  '1.1.1.1/33',
  '::',
  'fd00::/64',
  '65535',
  '65536',
  '4294967296',
  '68',
  '*a',
  '&a ',
  '<<: *x',
  '!!js/function x',
  '- ',
  '? ',
  ': ',
  '|',
  '>',
  '%',
  '@',
  '`',
  '~',
  '{',
  '}',
  '[',
  ']',
  ',',
  '#',
  '---\n',
  '\t',
  '\r',
  'a'.repeat(300),
];

/** One change of a text. Positions and choices are shares of what there is, so that shrinking keeps their meaning. */
type Change = readonly [kind: number, at: number, choice: number];

const change: fc.Arbitrary<Change> = fc.tuple(fc.nat(7), fc.double({ min: 0, max: 0.9999, noNaN: true }), fc.nat(100_000));

function pick<T>(all: readonly T[], choice: number): T {
  return all[choice % all.length]!;
}

/** `words`: what a word may become beside what is weird. */
function changed(text: string, [kind, share, choice]: Change, words: readonly string[]): string {
  const lines = text.split('\n');
  const line = Math.floor(share * lines.length);
  const at = Math.floor(share * text.length);
  switch (kind) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << (choice % 7))) + text.slice(at + 1);
    case 2:
      return lines.toSpliced(line, 0, ...lines.slice(line, line + 1 + (choice % 5))).join('\n');
    case 3:
      return lines.toSpliced(line, 1 + (choice % 3)).join('\n');
    case 4:
      return lines.with(line, lines[choice % lines.length]!).join('\n');
    default: {
      const found = [...text.matchAll(/[^\s,{}[\]:]+/g)];
      const word = found[Math.floor(share * found.length)];
      if (word === undefined) return text;
      const other = kind === 5 ? pick(WEIRD, choice) : pick(words, choice);
      return text.slice(0, word.index) + other + text.slice(word.index + word[0].length);
    }
  }
}

function mutated(texts: readonly string[], max: number): fc.Arbitrary<string> {
  const words = [...new Set(texts.join('\n').match(/[^\s,{}[\]:]+/g))];
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: max }))
    .map(([text, changes]) => changes.reduce((result, one) => changed(result, one, words), text));
}

const QUESTIONS: readonly (readonly string[])[] = [
  ['check', '-'],
  ['check', '-', '-o', 'junit'],
  ['check', '-', '-o', 'github'],
  ['trace', '-'],
  ['trace', '-', '--detail', 'rules'],
  ['trace', '-', '-o', 'json'],
  ['trace', '-', '-o', 'mermaid'],
  ['trace', '-', '--proxy-mode', 'nftables'],
  ['rules', '-', '--node', 'node1', '-o', 'all', '--proxy-mode', 'ipvs'],
  ['lab', 'script', '-'],
];

describe('fuzzing through the whole command line', () => {
  test('mutated scenarios', { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(mutated(SCENARIOS, 3), fc.constantFrom(...QUESTIONS), async (text, argv) => {
        await sound(argv, text);
      }),
      runs(150),
    );
  });

  test('mutated dumps', { timeout: TIMEOUT }, async () => {
    const file = join(folder, 'dump');
    const scenario = cluster({ node: `, iptablesSave: ${JSON.stringify(file)}` });
    await fc.assert(
      fc.asyncProperty(mutated(DUMPS, 6), fc.boolean(), async (text, asDiff) => {
        writeFileSync(file, text);
        if (asDiff) await sound(['rules', '-', '--node', 'node-1', '--diff', file], cluster());
        else await sound(['trace', '-', '--detail', 'rules'], scenario);
      }),
      runs(80),
    );
  });

  test('mutated commands', { timeout: TIMEOUT }, async () => {
    const command = fc
      .tuple(fc.constantFrom('node-1', 'node-2', 'pod/client', 'underlay'), mutated(COMMANDS, 2))
      .map(([host, line]) => `${host}: ${line}`);
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 3 }), async (commands) => {
        await sound(['trace', '-', ...doing(commands)], cluster());
      }),
      runs(150),
    );
  });

  test('random values as YAML and JSON', { timeout: TIMEOUT }, async () => {
    const key = fc.constantFrom(
      'nodes',
      'pods',
      'services',
      'checks',
      'steps',
      'underlay',
      'cni',
      'kubeProxy',
      'name',
      'ip',
      'kind',
      'items',
      'ports',
      '__proto__',
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(...WEIRD, null, true, 0, -1, 1e300, 'v1', 'Pod', 'Node', 'List', 'Service', '10.0.0.1'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 5 }), async (document) => {
        await sound(['check', '-'], JSON.stringify(document));
      }),
      runs(300),
    );
  });

  test('random references', { timeout: TIMEOUT }, async () => {
    const ref = fc
      .array(
        fc.constantFrom(
          'pod',
          'node',
          'svc',
          'external',
          'deploy',
          '/',
          ':',
          '.',
          '[',
          ']',
          'web',
          'client',
          'default',
          'node-1',
          '80',
          '10.96.0.1',
          'svc.cluster.local',
          '::1',
          ...WEIRD.slice(0, 30),
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(ref, ref, async (from, to) => {
        await sound(['trace', '-', '--from', from, '--to', to], cluster());
        await sound(['trace', '-', '--from', 'pod/client', '--to', to, '--backend', from], cluster());
      }),
      runs(150),
    );
  });
});
