import { chainOf, tableOf, visitChains } from '../../../kernel/netfilter/iptables/chain.ts';
import { serviceMapOf } from '../../services/service-map.ts';
import { FILTER_JUMPS, NAT_JUMPS, fixedFilterChains, fixedNatChains, nodePortJumps } from './fixed-rules.ts';
import { ownChainTable } from './own-chain-table.ts';
import { portViewOf } from './port-view.ts';
import { proxySettingsOf } from './settings.ts';
import { sharedChain } from './shared-chain.ts';
import { SHARED_CHAINS, sharedRuleCounts } from './shared-rules.ts';
import { visitPorts } from './visit-ports.ts';
import type { Chain, IptablesTables, Table, TableName } from '../../../kernel/netfilter/iptables/table.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { FixedChains } from './fixed-rules.ts';
import type { ServiceMap } from '../../services/service-map.ts';
import type { PortView } from './port-view.ts';
import type { SharedChain } from './shared-rules.ts';

/**
 * The tables that kube-proxy in iptables mode makes in a fresh network namespace (pkg/proxy/iptables), for one family. Chains of services
 * are made when asked for.
 * @param deviceAddresses addresses of devices the model does not list (a CNI's bridge or tunnel); they count for --nodeport-addresses
 */
export function kubeProxyIptables(
  cluster: Cluster,
  node: Node,
  family: IpFamily,
  deviceAddresses: readonly IpAddress[] = [],
): IptablesTables {
  const settings = proxySettingsOf(cluster, node, family, deviceAddresses);
  const services = serviceMapOf(cluster, family);
  const views: (PortView | undefined)[] = [];
  const view = (index: number): PortView =>
    (views[index] ??= portViewOf(services.ports[index]!, services.endpoints(index), settings));
  const starts = blockStarts(services, view);
  const own = ownChainTable(services.ports.length, view, family);
  const announcing = (index: number): PortView => {
    own.announce(index);
    return view(index);
  };
  const shared = (chain: SharedChain, tail: readonly RuleLine[] = []): Chain =>
    sharedChain({ chain, services, family, view: chain.startsWith('nat/') ? announcing : view, starts: starts[chain], tail });

  const filter = tableOf('filter', [
    ...chainsOf('filter', FILTER_JUMPS, 'ACCEPT', family),
    ...chainsOf('filter', fixedFilterChains(settings), null, family),
    shared('filter/KUBE-SERVICES'),
    shared('filter/KUBE-EXTERNAL-SERVICES'),
    shared('filter/KUBE-NODEPORTS'),
    shared('filter/KUBE-PROXY-FIREWALL'),
  ]);
  const natFixed = [...chainsOf('nat', NAT_JUMPS, 'ACCEPT', family), ...chainsOf('nat', fixedNatChains(settings), null, family)];
  const servicesTail = nodePortJumps(settings);
  const natBase = tableOf('nat', [...natFixed, shared('nat/KUBE-SERVICES', servicesTail), shared('nat/KUBE-NODEPORTS')]);
  const nat: Table = {
    name: 'nat',
    chain: (name) => natBase.chain(name) ?? own.chain(name),
    chainNames: () => withUserChains([...natBase.chainNames()], own.names()),
    visitChains(visit) {
      const once = (index: number): PortView =>
        views[index] ?? portViewOf(services.ports[index]!, services.endpointsOnce(index), settings);
      const bodies = visitPorts(services.ports.length, once, visit);
      visit('KUBE-SERVICES', [...bodies.services, ...servicesTail.map(({ body }) => body)]);
      visit('KUBE-NODEPORTS', bodies.nodePorts);
      visitChains(tableOf('nat', natFixed), visit);
    },
  };
  const mangle = tableOf('mangle', [chainOf('mangle', 'KUBE-PROXY-CANARY', null, [], family)]);
  return new Map<TableName, Table>([
    ['mangle', mangle],
    ['filter', filter],
    ['nat', nat],
  ]);
}

/** Sysctls that kube-proxy in iptables mode sets on a node, by name. */
export function kubeProxySysctls(cluster: Cluster, node: Node): Readonly<Record<string, string>> {
  return proxySettingsOf(cluster, node, 4).localhostNodePorts ? { 'net.ipv4.conf.all.route_localnet': '1' } : {};
}

function chainsOf(table: TableName, chains: FixedChains, policy: 'ACCEPT' | null, family: IpFamily): readonly Chain[] {
  return [...chains].map(([name, lines]) => chainOf(table, name, policy, lines, family));
}

/** For each shared chain the rule numbers at which the block of each service port begins, and the end. */
function blockStarts(services: ServiceMap, view: (index: number) => PortView): Readonly<Record<SharedChain, Int32Array>> {
  const { ports } = services;
  const empty = (): Int32Array => new Int32Array(ports.length + 1);
  const starts: Record<SharedChain, Int32Array> = {
    'nat/KUBE-SERVICES': empty(),
    'nat/KUBE-NODEPORTS': empty(),
    'filter/KUBE-SERVICES': empty(),
    'filter/KUBE-EXTERNAL-SERVICES': empty(),
    'filter/KUBE-NODEPORTS': empty(),
    'filter/KUBE-PROXY-FIREWALL': empty(),
  };
  for (let index = 0; index < ports.length; index++) {
    const counts = sharedRuleCounts(ports[index]!, services.reachability(index) ?? view(index).selection);
    for (const chain of SHARED_CHAINS) starts[chain][index + 1] = starts[chain][index]! + counts[chain];
  }
  return starts;
}

/** Puts names of user chains in their place among those of a table, whose base chains come first. */
function withUserChains(names: readonly string[], more: Iterable<string>): readonly string[] {
  const base = names.filter((name) => !name.startsWith('KUBE-'));
  return [...base, ...sortedByBuckets([...names.filter((name) => name.startsWith('KUBE-')), ...more])];
}

/** Sorts names that differ from their tenth character on, as hashed chain names do: much faster than comparing all with all. */
function sortedByBuckets(names: readonly string[]): readonly string[] {
  const buckets = new Map<string, string[]>();
  for (const name of names) {
    const key = name.slice(0, 11);
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [name]);
    else bucket.push(name);
  }
  return [...buckets.keys()].sort().flatMap((key) => buckets.get(key)!.sort());
}
