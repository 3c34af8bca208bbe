import { isConntrackNeeded } from '../../kernel/netfilter/conntrack/needed.ts';
import { ipvsHooks } from '../../kernel/netfilter/ipvs-hooks.ts';
import { familyOf } from '../../net/ip.ts';
import { iptablesChains } from './iptables-chains.ts';
import { makersOf } from './makers.ts';
import { nftChains } from './nft-chains.ts';
import type { Host } from '../../kernel/host.ts';
import type { HookName } from '../../trace/event.ts';
import type { TopologyHook } from '../../trace/topology.ts';
import type { HookedChain } from './hooked-chain.ts';

/** In the order in which a packet that is passed on meets them, the local ones between. */
const HOOKS: readonly HookName[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'];

/** What hangs on each hook of a namespace, in the order in which the kernel calls it (see kernel/netfilter/registry). */
export function hooksOf(host: Host): readonly TopologyHook[] {
  const { iptables, iptablesLegacy, ip6tables, nftables } = host.netfilter;
  const chains: readonly HookedChain[] = [
    // Of equals the one that was registered last runs first (nf_hook_entries_grow).
    ...(iptablesLegacy === null ? [] : iptablesChains(iptablesLegacy, 'iptables-legacy', 4)),
    ...iptablesChains(iptables, 'iptables', 4),
    ...iptablesChains(ip6tables, 'iptables', 6),
    ...nftChains(nftables),
    ...ipvsChains(host, 4),
    ...ipvsChains(host, 6),
  ];
  return HOOKS.map((hook) => ({
    hook,
    chains: chains
      .filter((chain) => chain.hook === hook)
      .toSorted((a, b) => a.priority - b.priority)
      .map(({ chain }) => chain),
  }));
}

/** Does the kernel remember connections here? It does once a rule asks for it. */
export function hasConntrack(host: Host): boolean {
  return isConntrackNeeded(host, 4) || isConntrackNeeded(host, 6);
}

/** IPVS looks for a virtual server in place of rules; its hook functions of one hook count as one. */
function ipvsChains(host: Host, family: 4 | 6): readonly HookedChain[] {
  const servers = host.netfilter.ipvs.filter(({ address }) => familyOf(address) === family);
  const first = new Map<HookName, number>();
  for (const { hook, priority } of ipvsHooks(host, family)) first.set(hook, Math.min(priority, first.get(hook) ?? priority));
  const counted = servers.map(({ origin, realServers }) => ({ by: origin?.by ?? 'unknown', behind: realServers.length }));
  return [...first].map(([hook, priority]) => ({
    hook,
    priority,
    chain: { kind: 'ipvs', family, table: null, chain: null, policy: null, ...makersOf(counted) },
  }));
}
