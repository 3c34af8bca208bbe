import { opposite, tupleIn } from '../conntrack/entry.ts';
import { invertTuple } from '../conntrack/tuple.ts';
import { emitRewrite } from './event.ts';
import { manipulate } from './manipulate.ts';
import type { ConntrackReference } from '../conntrack/entry.ts';
import type { HookCall } from '../hook.ts';
import type { Manip } from './manipulate.ts';

/**
 * nf_nat_icmp_reply_translation: the packet quoted in an ICMP error is turned back into what its sender sent, and the outer address
 * made to look like an answer to that.
 */
export function translateIcmpError(call: HookCall, { entry, direction }: ConntrackReference, manip: Manip): void {
  const { skb } = call;
  const { l4 } = skb.packet;
  const translated = (direction === 'original') === (manip === 'src') ? entry.snat : entry.dnat;
  if (!translated || !('embedded' in l4) || !l4.embedded) return;
  const otherWay = tupleIn(entry, opposite(direction));
  const embedded = manipulate(l4.embedded, otherWay, manip === 'src' ? 'dst' : 'src');
  const target = invertTuple(otherWay);
  if (!target) return;
  const before = skb.packet;
  skb.packet = manipulate({ ...before, l4: { ...l4, embedded } }, target, manip);
  emitRewrite(call, before, manip, false);
  // What came by lo has its route already, and keeps it where OUTPUT has put the address back before (nf_nat_ipv4_pre_routing).
  if (manip === 'dst' && call.hook === 'PREROUTING' && before.dst !== skb.packet.dst) skb.route = null;
}
