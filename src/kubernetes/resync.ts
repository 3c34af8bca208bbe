import { findVirtualServer, samePlace } from '../kernel/ipvs/virtual-server.ts';
import { hasDump } from './model/node-dump.ts';
import { deleteStaleEntries } from './services/stale-conntrack.ts';
import type { HostState, KernelState } from '../kernel/state.ts';
import type { Host } from '../kernel/host.ts';
import type { World } from '../kernel/world.ts';
import type { Cluster } from './model/cluster.ts';

/**
 * What the controllers do to the state that packets have left behind when the cluster has changed, beside writing their rules anew:
 * kube-proxy deletes stale conntrack entries, and with a chain of its own go the lists of addresses that the chain kept for session
 * affinity. In IPVS mode TCP connections keep a real server that is no more in the list. A node with a dump has no kube-proxy that would react. `world` is that of `after`.
 */
export function resync(state: KernelState, world: World, before: Cluster, after: Cluster): void {
  if (after.kubeProxy.mode === 'none') return;
  const known = state.known();
  for (const node of after.nodes) {
    const name = `node/${node.name}`;
    const host = known.has(name) && !hasDump(node) ? world.host(name) : undefined;
    if (!host) continue;
    deleteStaleEntries(state.host(name), before, after);
    dropLists(state.host(name), host);
    quiesceRealServers(state.host(name), host);
  }
}

const AFFINITY_LIST = /^recent:(KUBE-SEP-.+)$/;

/** A list lives as long as a rule that names it (recent_mt_destroy). kube-proxy names an endpoint's list after its chain. */
function dropLists(state: HostState, host: Host): void {
  const nat = host.netfilter.iptables.get('nat');
  for (const key of state.modules.keys()) {
    const chain = AFFINITY_LIST.exec(key)?.[1];
    if (chain !== undefined && nat?.chain(chain) === undefined) state.modules.delete(key);
  }
}

/**
 * kube-proxy gives a real server that it takes out weight 0 while TCP connections to it are left, and deletes those of UDP and SCTP at once
 * (pkg/proxy/ipvs graceful_termination.go). With the virtual server all its real servers go.
 */
function quiesceRealServers({ ipvs }: HostState, { netfilter }: Host): void {
  for (const { protocol, virtual, real } of ipvs.connections()) {
    const server = findVirtualServer(netfilter.ipvs, protocol, virtual.address, virtual.port);
    if (server && protocol === 'tcp' && !server.realServers.some((known) => samePlace(known, real))) ipvs.quiesce(server, real);
  }
}
