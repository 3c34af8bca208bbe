import { parseIp } from '../../net/ip.ts';
import { iptablesEntries } from './rules-iptables.ts';
import { ipvsEntries } from './rules-ipvs.ts';
import { nftablesEntries } from './rules-nftables.ts';
import { userspaceProcesses } from './rules-userspace.ts';
import { fullName } from './words.ts';
import type { Host } from '../../kernel/host.ts';
import type { Cluster, Node, Service } from '../../kubernetes/model/cluster.ts';
import type { RegistrationNodes } from '../../trace/explanation.ts';

/** What a node's kernel holds of a service. */
export type NodeEntries = Pick<RegistrationNodes, 'entries' | 'chains'>;

/** What is needed to read them. */
export interface RulesQuestion {
  readonly cluster: Cluster;
  readonly node: Node;
  readonly service: Service;
  readonly host: Host;
  /** "shop/web-1" behind the address of an endpoint; null: no pod has it. */
  podAt(endpoint: string): string | null;
}

/** The rules, sets and virtual servers of one node that are about one service, in the order in which packets get to them. */
export function entriesOn(question: RulesQuestion): NodeEntries {
  const { mode } = question.cluster.kubeProxy;
  // The rules of a dump may be those of another mode than the cluster's.
  const parts: readonly NodeEntries[] =
    mode === 'none'
      ? []
      : [
          nftablesEntries(question),
          ipvsEntries(question),
          iptablesEntries(question),
          ...(mode === 'userspace' ? [userspaceProcesses(question)] : []),
        ];
  const entries = parts.flatMap((part) => part.entries).toSorted((a, b) => orderOf(a.role) - orderOf(b.role));
  return { entries, chains: parts.flatMap(({ chains }) => chains) };
}

/** The ways to a service, from inside first; then what refuses, then what only helps. */
const ORDER: readonly (string | null)[] = ['cluster-ip', 'external-ip', 'load-balancer-ip', 'node-port', null];

function orderOf(role: string | null): number {
  const at = ORDER.indexOf(role);
  return at < 0 ? ORDER.length : at;
}

/** Finds the pod of an endpoint's text by its address. */
export function podFinder(cluster: Cluster): (endpoint: string) => string | null {
  const pods = new Map(
    cluster.pods.flatMap((pod) => (pod.hostNetwork ? [] : pod.addresses.map((address) => [address, fullName(pod)] as const))),
  );
  return (endpoint) => {
    const address = parseIp(endpoint.slice(0, endpoint.lastIndexOf(':')).replace(/[[\]]/g, ''));
    return address === null ? null : (pods.get(address) ?? null);
  };
}
