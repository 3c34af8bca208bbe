import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareWithNftDump } from '../../../../src/usecase/rules-text.ts';
import { loadCluster } from '../../../support/load-cluster.ts';
import type { RulesDiff } from '../../../../src/trace/rules-diff.ts';

const GOLDEN = new URL('../../../golden/kube-proxy/', import.meta.url);
const MIXED = new URL('93-mixed-cluster/', GOLDEN);

function compared(folder: URL, edit: (text: string) => string = (text) => text): RulesDiff {
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  const dump = { file: 'nft.txt', text: edit(read('nft.txt')) };
  const question = { node: read('node').trim(), component: 'kube-proxy', proxyMode: 'nftables' } as const;
  const result = compareWithNftDump(loadCluster(read('input.yaml')), question, dump);
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

describe('what nft listed for a real kube-proxy is what the cluster asks for', () => {
  const cases = readdirSync(GOLDEN).filter((name) => existsSync(new URL(`${name}/nft.txt`, GOLDEN)));
  test.each(cases)('%s', (name) => expect(compared(new URL(`${name}/`, GOLDEN))).toMatchObject({ same: true, foreign: [] }));
});

/** The first node port of the map that leads to services is not there. */
const withoutNodePort = (text: string): string => text.replace(/\n\s*elements = \{ tcp \. \d+ : goto external-[^\n]*/, '');

describe('what differs is named', () => {
  test.each<[string, (text: string) => string, Partial<Record<keyof RulesDiff, number>>]>([
    ['a rule that is gone', (text) => text.replace(/\n.*vmap @service-ips/, ''), { missing: 1 }],
    ['a rule more', (text) => text.replace('chain services {', 'chain services {\n\t\tdrop'), { extra: 1 }],
    ['another rule', (text) => text.replace('jump masquerading', 'jump elsewhere'), { changed: 1 }],
    ['an element that is gone', withoutNodePort, { missing: 1 }],
    [
      'a chain on another hook',
      (text) => text.replace('priority srcnat; policy accept', 'priority srcnat; policy drop'),
      { policies: 1 },
    ],
    ['a table of others', (text) => `${text}table inet x {\n\tchain y {\n\t\tdrop\n\t}\n}\n`, { foreign: 1 }],
    [
      'a rule that counts now',
      (text) => text.replace('jump services', 'counter packets 3 bytes 180 jump services'),
      { changed: 1 },
    ],
    [
      'nothing: another order of endpoints',
      (text) => text.replace(/\{ 0 : goto (endpoint-\S+), 1 : goto (endpoint-\S+?)([ ,])/, '{ 0 : goto $2, 1 : goto $1$3'),
      {},
    ],
  ])('%s', (_, edit, counts) => {
    const { missing, extra, changed, moved, policies, foreign } = compared(MIXED, edit);
    const found = { missing, extra, changed, moved, policies, foreign };
    const expected = Object.fromEntries(Object.keys(found).map((key) => [key, counts[key as keyof RulesDiff] ?? 0]));
    expect(Object.fromEntries(Object.entries(found).map(([key, list]) => [key, list.length]))).toEqual(expected);
  });

  test('a service is named, from the name of its chain', () => {
    const { missing } = compared(MIXED, withoutNodePort);
    expect(missing[0]).toMatchObject({
      table: 'ip kube-proxy',
      chain: 'service-nodeports',
      origin: { by: 'kube-proxy', role: 'node-port' },
    });
  });
});

test('in another mode there is nothing to compare', () => {
  const cluster = loadCluster('nodes: [{ name: node-1, ip: 192.168.0.11 }]\n');
  expect(compareWithNftDump(cluster, { node: 'node-1', component: 'all' }, { file: 'n', text: '' })).toMatchObject({ ok: false });
});
