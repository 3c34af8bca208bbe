import { familyOf } from '../../net/ip.ts';
import { isIcmpError } from './conntrack/related.ts';
import { ipvsIn } from './ipvs/inward.ts';
import { ipvsInIcmp } from './ipvs/icmp.ts';
import { ipvsOut } from './ipvs/outward.ts';
import { ACCEPT, PRIORITY } from './hook.ts';
import type { Host } from '../host.ts';
import type { HookFunction } from './hook.ts';

/**
 * The hook functions of IPVS (ip_vs_core.c ip_vs_ops4, ip_vs_ops6), there as soon as a virtual server of the family is. In INPUT they
 * stand behind the filter rules, in OUTPUT before them.
 */
export function ipvsHooks({ netfilter }: Host, family: 4 | 6): readonly HookFunction[] {
  return netfilter.ipvs.some(({ address }) => familyOf(address) === family) ? HOOKS : [];
}

const HOOKS: readonly HookFunction[] = [
  { hook: 'INPUT', priority: PRIORITY.NAT_SRC - 2, name: 'ipvs out', run: ipvsOut },
  { hook: 'INPUT', priority: PRIORITY.NAT_SRC - 1, name: 'ipvs in', run: ipvsIn },
  { hook: 'OUTPUT', priority: PRIORITY.NAT_DST + 1, name: 'ipvs out', run: ipvsOut },
  { hook: 'OUTPUT', priority: PRIORITY.NAT_DST + 2, name: 'ipvs in', run: ipvsIn },
  {
    hook: 'FORWARD',
    priority: 99,
    name: 'ipvs forward icmp',
    run: (call) => (isIcmpError(call.skb.packet) ? (ipvsInIcmp(call) ?? ACCEPT) : ACCEPT),
  },
  { hook: 'FORWARD', priority: 100, name: 'ipvs out', run: ipvsOut },
];
