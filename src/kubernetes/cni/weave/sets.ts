import { cidrContains, cidrOf } from '../../../net/cidr.ts';
import { podAddress } from '../../cluster-index.ts';
import { NO_MASQUERADE_SET } from './rules.ts';
import { defaultAllowSet } from './npc.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpSet, SetEntry } from '../../../kernel/ipset/ipset.ts';
import type { Pod } from '../../model/cluster.ts';
import type { Peer, WeaveNetwork } from './network.ts';

const OPTIONS = 'family inet hashsize 1024 maxelem 65536 comment';

/** What the node's own pods may have: its share of the ring, and what they have beside it (NoMasqLocalTracker, net/bridge.go). */
export function noMasqueradeSet(network: WeaveNetwork, { share, node }: Peer): IpSet {
  const strays = network
    .podsOf(node)
    .flatMap((pod) => podAddress(pod, 4) ?? [])
    .filter((address) => !cidrContains(share, address))
    .map((address) => cidrOf(address, 32));
  return { ...set(NO_MASQUERADE_SET, 'hash:net'), entries: [share, ...strays].map((cidr) => entry(cidr, '')) };
}

/** The sets of the pods that no policy selects: without policies, all (npc/namespace.go). Pods of the host's network have none. */
export function defaultAllowSets(pods: readonly Pod[], namespaces: readonly string[]): readonly IpSet[] {
  const byNamespace = new Map<string, SetEntry[]>();
  for (const pod of pods) {
    const address = podAddress(pod, 4);
    if (pod.hostNetwork || address === null) continue;
    const entries = byNamespace.get(pod.namespace) ?? [];
    byNamespace.set(pod.namespace, entries);
    entries.push(entry(cidrOf(address, 32), `namespace: ${pod.namespace}, pod: ${pod.name}`));
  }
  return namespaces.flatMap((namespace) =>
    (['ingress', 'egress'] as const).map((direction) => ({
      ...set(defaultAllowSet(direction, namespace), 'hash:ip'),
      entries: byNamespace.get(namespace) ?? [],
    })),
  );
}

function set(name: string, type: string): Omit<IpSet, 'entries'> {
  return { name, type, family: 4, options: OPTIONS };
}

function entry(cidr: Cidr, comment: string): SetEntry {
  return { fields: [{ kind: 'net', cidr }], nomatch: false, options: comment === '' ? '' : `comment "${comment}"` };
}
