import type { Service } from '../../kubernetes/model/cluster.ts';
import type { LoadBalancerSettings } from '../../kubernetes/model/load-balancer.ts';
import { cidrBits, cidrContains, cidrLast, cidrOf, isIpv4Cidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp, familyOf, ipv4, ipv6 } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Drafts, ServiceDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** 198.51.100.0/24 and 2001:db8:1b::/64, documentation ranges (RFC 5737, RFC 3849): public addresses that nobody has. */
const DEFAULT_CIDRS: readonly Cidr[] = [cidrOf(ipv4(0xc6336400), 24), cidrOf(ipv6(0x20010db8001b0000n << 64n), 64)];

type Status = Service['loadBalancerIngress'];

/** The load balancer status of a service with some families. */
export type LoadBalancerStatuses = (draft: ServiceDraft, families: readonly (4 | 6)[]) => Status;

/** The balancer of the cloud, with defaults; null where the input gives none. */
export function resolveLoadBalancer({ loadBalancer }: Pick<Drafts, 'loadBalancer'>): LoadBalancerSettings | null {
  if (loadBalancer === undefined) return null;
  const { mode = 'nodePort', publicCidrs = DEFAULT_CIDRS, ipMode = 'VIP' } = loadBalancer;
  return { mode, publicCidrs, ipMode };
}

/**
 * Says what status a service of type LoadBalancer gets: what the input gives, else an address of the cloud, the one asked for or the
 * next of its range. Without a cloud, or where another controller is named, the status stays empty: pending.
 */
export function loadBalancerStatuses(
  drafts: Drafts,
  settings: LoadBalancerSettings | null,
  retired: ReadonlySet<IpAddress>,
  problems: Problems,
): LoadBalancerStatuses {
  if (settings === null) return (draft) => draft.loadBalancerIngress ?? [];
  const taken = takenAddresses(drafts, retired);
  const cursors = new Map<Cidr, IpAddress>();
  return (draft, families) => {
    if (draft.loadBalancerIngress !== undefined && draft.loadBalancerIngress.length > 0) return draft.loadBalancerIngress;
    if (draft.type !== 'LoadBalancer' || draft.loadBalancerClass !== undefined) return [];
    const status = families.flatMap((family) => {
      const asked = draft.loadBalancerIp;
      const range = settings.publicCidrs.find(({ address }) => familyOf(address) === family);
      const ip = asked !== undefined && familyOf(asked) === family ? asked : nextFree(range, cursors, taken);
      return ip === null ? [] : [{ ip, hostname: null, ipMode: settings.ipMode }];
    });
    if (status.length === 0) {
      const message = `loadBalancer has no address for service ${draft.namespace}/${draft.name}: it stays pending`;
      problems.warning('range-exhausted', message, draft.position, 'Give "loadBalancer" a wider publicCIDR');
    }
    return status;
  };
}

function takenAddresses({ services, externals, nodes }: Drafts, retired: ReadonlySet<IpAddress>): Set<IpAddress> {
  const taken = new Set(retired);
  for (const service of services) {
    for (const { ip } of service.loadBalancerIngress ?? []) if (ip !== null) taken.add(ip);
    if (service.loadBalancerIp !== undefined) taken.add(service.loadBalancerIp);
    for (const ip of service.externalIps ?? []) taken.add(ip);
  }
  for (const { addresses } of [...externals, ...nodes]) for (const address of addresses ?? []) taken.add(address);
  return taken;
}

/** The next address of a range from its first host on; null when there is none. */
function nextFree(range: Cidr | undefined, cursors: Map<Cidr, IpAddress>, taken: Set<IpAddress>): IpAddress | null {
  if (range === undefined) return null;
  const isLone = range.length === cidrBits(range);
  let next = cursors.get(range) ?? (isLone ? range.address : addToIp(range.address, 1));
  while (taken.has(next)) next = addToIp(next, 1);
  cursors.set(range, next);
  const isBroadcast = !isLone && isIpv4Cidr(range) && next === cidrLast(range);
  if (!cidrContains(range, next) || isBroadcast) return null;
  taken.add(next);
  return next;
}
