import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { printRuleset } from '../../src/kernel/netfilter/nftables/print.ts';
import { kubeProxyNftables } from '../../src/kubernetes/kube-proxy/nftables/index.ts';
import { proxyFamilies } from '../../src/kubernetes/services/proxy-families.ts';
import { compareNft } from '../support/compare-nft.ts';
import { loadCluster } from '../support/load-cluster.ts';

/** What real kube-proxy 1.30.5 in nftables mode left in a fresh namespace, as nft 1.0.6 listed it. */
const ROOT = new URL('.', import.meta.url);

describe.each(['kube-proxy', 'kube-proxy-random'])('%s', (set) => {
  const names = readdirSync(new URL(set, ROOT)).filter((name) => existsSync(new URL(`${set}/${name}/nft.txt`, ROOT)));

  test.each(names)('%s', (name) => {
    const read = (file: string): string => readFileSync(new URL(`${set}/${name}/${file}`, ROOT), 'utf8');
    const cluster = loadCluster(read('input.yaml'));
    const node = cluster.nodes.find((candidate) => candidate.name === read('node').trim())!;
    const ruleset = kubeProxyNftables(cluster, node, proxyFamilies(cluster, node));
    expect(compareNft(read('nft.txt'), printRuleset(ruleset))).toEqual([]);
  });
});
