import type { Node } from '../../kubernetes/model/cluster.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { NodeDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { placeAddresses } from './interfaces.ts';

/** Nodes with their defaults, in the order given. One without an address is told of. */
export function resolveNodes(
  drafts: readonly NodeDraft[],
  podCidrs: ReadonlyMap<string, readonly Cidr[]>,
  problems: Problems,
): readonly Node[] {
  return drafts.map((draft) => {
    const placed = placeAddresses(draft, problems);
    if (placed.addresses.length === 0) {
      const hint = 'Give "ip", or an InternalIP in the status of the Node object';
      problems.error('no-address', `Node ${draft.name} has no address`, draft.position, hint);
    }
    return {
      name: draft.name,
      ...placed,
      podCidrs: podCidrs.get(draft.name) ?? [],
      // kubelet sets these on every node; node selectors ask for them.
      labels: { 'kubernetes.io/hostname': draft.name, 'kubernetes.io/os': 'linux', ...draft.labels },
      annotations: draft.annotations ?? {},
      sysctls: draft.sysctls ?? {},
      extraAddresses: draft.extraAddresses ?? [],
      iptablesSave: draft.iptablesSave ?? null,
      ...(draft.nftRuleset !== undefined && { nftRuleset: draft.nftRuleset }),
      ...(draft.resolvConf !== undefined && { resolvConf: draft.resolvConf }),
      commands: draft.commands ?? [],
      position: draft.position,
    };
  });
}
