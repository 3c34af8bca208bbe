import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printRuleset } from '../../src/kernel/netfilter/nftables/print.ts';
import { kubeProxyNftables } from '../../src/kubernetes/kube-proxy/nftables/index.ts';
import { proxyFamilies } from '../../src/kubernetes/services/proxy-families.ts';
import { compareNft } from '../support/compare-nft.ts';
import { loadCluster } from '../support/load-cluster.ts';

/** nft in a throw-away network namespace; null: this machine can't do that. */
const NFT = ['unshare', ['-rn', 'sh', '-c', 'nft -f "$1" && nft list ruleset', 'sh']] as const;
const refusal = whyNot();

function whyNot(): string | null {
  const version = spawnSync('nft', ['--version'], { encoding: 'utf8' });
  if (version.error || !version.stdout.includes('v1.0.6')) return 'needs nft 1.0.6';
  const probe = spawnSync('unshare', ['-rn', 'nft', 'list', 'ruleset'], { encoding: 'utf8' });
  return probe.status === 0 ? null : 'needs a network namespace of its own';
}

describe.skipIf(refusal !== null)(`real nft takes the table and lists the same${refusal === null ? '' : ` (${refusal})`}`, () => {
  const cases = ['12-affinity-default', '34-lb-local-source-ranges', '66-dual-stack', '76-masquerade-all', '82-nodeport-addresses-zero', '93-mixed-cluster'];
  test.each(cases.flatMap((name) => [{ name, version: '1.30' }, { name, version: '1.36' }]))('$name $version', ({ name, version }) => {
    const folder = new URL(`kube-proxy/${name}/`, import.meta.url);
    const cluster = loadCluster(readFileSync(new URL('input.yaml', folder), 'utf8').replace("'1.30'", `'${version}'`));
    const wanted = readFileSync(new URL('node', folder), 'utf8').trim();
    const node = cluster.nodes.find((candidate) => candidate.name === wanted)!;
    const text = printRuleset(kubeProxyNftables(cluster, node, proxyFamilies(cluster, node)));
    const directory = mkdtempSync(join(tmpdir(), 'k8snet-'));
    try {
      const file = join(directory, 'ruleset.nft');
      writeFileSync(file, text);
      expect(compareNft(text, execFileSync(NFT[0], [...NFT[1], file], { encoding: 'utf8' }))).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
