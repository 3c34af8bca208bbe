import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kubeProxyNftables } from '../../../../src/kubernetes/kube-proxy/nftables/index.ts';
import { parseRuleset } from '../../../../src/kernel/netfilter/nftables/parse.ts';
import { printRuleset } from '../../../../src/kernel/netfilter/nftables/print.ts';
import { proxyFamilies } from '../../../../src/kubernetes/services/proxy-families.ts';
import { originsForNftDump } from '../../../../src/usecase/explain/index.ts';
import { loadCluster } from '../../../support/load-cluster.ts';
import type { NftRuleset } from '../../../../src/kernel/netfilter/nftables/ruleset.ts';
import type { Origin } from '../../../../src/trace/origin.ts';

/** Whose each rule and each map element is. */
function originsOf(ruleset: NftRuleset): Readonly<Record<string, Origin | undefined>> {
  const all = ruleset.flatMap((table) => [
    ...[...table.chains()].flatMap(({ name, rules }) =>
      rules.map(({ text, origin }) => [`${table.family} ${name} ${text}`, origin] as const),
    ),
    ...[...table.sets()]
      .filter(({ kind }) => kind === 'map')
      .flatMap(({ name, elements }) => elements().map(({ key, origin }) => [`${table.family} ${name} ${key}`, origin] as const)),
  ]);
  return Object.fromEntries(all);
}

describe("kube-proxy's table is recognised in a dump as it was made", () => {
  const cases = [
    '12-affinity-default',
    '21-both-local-without-local',
    '28-lb-source-ranges',
    '66-dual-stack',
    '76-masquerade-all',
    '93-mixed-cluster',
  ];
  test.each(
    cases.flatMap((name) => [
      { name, version: '1.30' },
      { name, version: '1.36' },
    ]),
  )('$name $version', ({ name, version }) => {
    const folder = new URL(`../../../golden/kube-proxy/${name}/`, import.meta.url);
    const cluster = loadCluster(readFileSync(new URL('input.yaml', folder), 'utf8').replace("'1.30'", `'${version}'`));
    const node = cluster.nodes[0]!;
    const made = kubeProxyNftables(cluster, node, proxyFamilies(cluster, node));
    const listed = parseRuleset(printRuleset(made));
    if (!listed.ok) throw new Error(listed.message);
    expect(originsOf(originsForNftDump(listed.ruleset, cluster))).toEqual(originsOf(made));
  });
});

test('chains of iptables-nft are known by their names', () => {
  const cluster = loadCluster('nodes: [{ name: node-1, ip: 192.168.0.11 }]\n');
  const listed = parseRuleset('table ip nat {\n\tchain KUBE-SERVICES {\n\t\treturn\n\t}\n\tchain MINE {\n\t\treturn\n\t}\n}\n');
  if (!listed.ok) throw new Error(listed.message);
  expect(Object.values(originsOf(originsForNftDump(listed.ruleset, cluster)))).toEqual([
    { object: null, by: 'kube-proxy' },
    undefined,
  ]);
});
