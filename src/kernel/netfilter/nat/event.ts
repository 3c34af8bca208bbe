import { formatIp } from '../../../net/ip.ts';
import type { Packet } from '../../../net/packet.ts';
import type { NatEvent, NatFields } from '../../../trace/event.ts';
import type { HookCall } from '../hook.ts';
import type { Manip } from './manipulate.ts';

/** Tells what a rewriting changed. `more`: who did it, where it was not conntrack's NAT. */
export function emitRewrite(
  call: HookCall,
  before: Packet,
  manip: Manip,
  random: boolean,
  more: Pick<NatEvent, 'origin' | 'ipvs'> = {},
): void {
  const { walk, host, skb, hook } = call;
  if (!walk.recording) return;
  const [was, is] = [fields(before, manip), fields(skb.packet, manip)];
  const changed = (Object.keys(was) as (keyof NatFields)[]).filter((key) => was[key] !== is[key]);
  if (changed.length === 0) return;
  const only = (all: NatFields): NatFields => Object.fromEntries(changed.map((key) => [key, all[key]]));
  const drawn = random && (changed.includes('sport') || changed.includes('icmpId'));
  walk.emit(skb, host, {
    kind: 'nat',
    hook,
    type: manip === 'src' ? 'snat' : 'dnat',
    before: only(was),
    after: only(is),
    ...(drawn && { random: true }),
    ...more,
  });
}

function fields({ src, dst, l4 }: Packet, manip: Manip): NatFields {
  const address = manip === 'src' ? { src: formatIp(src) } : { dst: formatIp(dst) };
  if ('id' in l4) return l4.embedded ? address : { ...address, icmpId: l4.id };
  if (l4.protocol === 'other') return address;
  return { ...address, ...(manip === 'src' ? { sport: l4.sport } : { dport: l4.dport }) };
}
