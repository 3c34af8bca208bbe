import { formatCidr, cidrOf } from '../net/cidr.ts';
import { familyOf } from '../net/ip.ts';
import { printIpsetSave } from '../kernel/ipset/save-format.ts';
import { printIpvsadmSave } from '../kernel/ipvs/save-format.ts';
import { printSave } from '../kernel/netfilter/iptables/save-format/print.ts';
import { compileNodeIptables, compileNodeIpvs } from '../kubernetes/compile.ts';
import { kubeProxyIpvsSysctls, IPVS_DEVICE } from '../kubernetes/kube-proxy/ipvs/index.ts';
import { proxyFamilies } from '../kubernetes/services/proxy-families.ts';
import type { IpSet } from '../kernel/ipset/ipset.ts';
import type { Cluster, Node } from '../kubernetes/model/cluster.ts';
import type { RulesComponent } from './rules.ts';

/** What `ipvsadm -Sn` prints on a node, both families. */
export function ipvsadmText(cluster: Cluster, node: Node, component: RulesComponent): string {
  return printIpvsadmSave(compileNodeIpvs(cluster, node, component).flatMap(({ virtualServers }) => virtualServers));
}

/** What `ipset save` prints on a node, both families; sorted by name. */
export function ipsetText(cluster: Cluster, node: Node, component: RulesComponent): string {
  const sets = compileNodeIpvs(cluster, node, component).flatMap(({ ipsets }) => ipsets);
  return printIpsetSave(new Map(sets.sort(byName).map((set) => [set.name, set])));
}

/** All that kube-proxy in IPVS mode makes on a node, part by part under headings: `# ipvsadm -Sn`, `# ipset save` ... */
export function ipvsText(cluster: Cluster, node: Node, component: RulesComponent): string {
  const addresses = compileNodeIpvs(cluster, node, component)
    .flatMap(({ boundAddresses }) => boundAddresses)
    .map((address) => `${formatCidr(cidrOf(address, familyOf(address) === 4 ? 32 : 128))}\n`);
  const sysctls = Object.entries(kubeProxyIpvsSysctls(cluster)).map(([name, value]) => `${name} = ${value}\n`);
  const tables = proxyFamilies(cluster, node).map((family) =>
    printSave(compileNodeIptables(cluster, node, component, family), family),
  );
  return [
    `# ipvsadm -Sn\n${ipvsadmText(cluster, node, component)}`,
    `# ipset save\n${ipsetText(cluster, node, component)}`,
    `# ${IPVS_DEVICE}\n${addresses.join('')}`,
    `# sysctl\n${sysctls.join('')}`,
    ...tables,
  ].join('');
}

function byName(a: IpSet, b: IpSet): number {
  return a.name < b.name ? -1 : 1;
}
