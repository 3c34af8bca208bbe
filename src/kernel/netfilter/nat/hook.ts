import { familyOf } from '../../../net/ip.ts';
import { rerouted } from '../../walk/reroute.ts';
import { opposite, tupleIn } from '../conntrack/entry.ts';
import { isIcmpError } from '../conntrack/related.ts';
import { invertTuple } from '../conntrack/tuple.ts';
import { ACCEPT, PRIORITY } from '../hook.ts';
import { iptablesNatChains } from '../iptables-hooks.ts';
import { nftNatChains } from '../nftables-hooks.ts';
import { translateIcmpError } from './icmp.ts';
import { manipulate } from './manipulate.ts';
import { isInitialised, setupNullBinding } from './setup.ts';
import { manipOf } from './targets.ts';
import { emitRewrite } from './event.ts';
import type { Host } from '../../host.ts';
import type { ConntrackReference } from '../conntrack/entry.ts';
import type { HookCall, HookFunction, HookVerdict } from '../hook.ts';
import type { Manip } from './manipulate.ts';

/** The nat chains of all rule sets by priority: the NAT core's own list (nf_nat_lookup_hook_priv). Of equal ones iptables' come first. */
function natChains(host: Host, family: 4 | 6): readonly HookFunction[] {
  const lists = chainLists[family];
  const known = lists.get(host);
  if (known) return known;
  const chains = [...iptablesNatChains(host, family), ...nftNatChains(host, family)].sort((a, b) => a.priority - b.priority);
  lists.set(host, chains);
  return chains;
}

/** Hosts are immutable, so their chains never change. */
const chainLists = { 4: new WeakMap<Host, readonly HookFunction[]>(), 6: new WeakMap<Host, readonly HookFunction[]>() };

/** The NAT core's functions: registered at all four hooks as soon as one nat chain exists (nf_nat_register_fn). */
export function natHook(host: Host, family: 4 | 6): readonly HookFunction[] {
  if (!natChains(host, family).length) return [];
  return [
    { hook: 'PREROUTING', priority: PRIORITY.NAT_DST, name: 'nat', run: natFunction },
    { hook: 'OUTPUT', priority: PRIORITY.NAT_DST, name: 'nat', run: natLocalFunction },
    { hook: 'INPUT', priority: PRIORITY.NAT_SRC, name: 'nat', run: natFunction },
    { hook: 'POSTROUTING', priority: PRIORITY.NAT_SRC, name: 'nat', run: natFunction },
  ];
}

/** nf_nat_ipv4_fn, nf_nat_inet_fn: the nat chains for a connection's first packet, the stored rewriting for all. */
function natFunction(call: HookCall): HookVerdict {
  const { walk, host, skb } = call;
  const reference = skb.conntrack;
  if (!reference) return ACCEPT;
  const manip = manipOf(call.hook);
  if (reference.info === 'RELATED' && isIcmpError(skb.packet)) {
    translateIcmpError(call, reference, manip);
    return ACCEPT;
  }
  const { entry } = reference;
  if (reference.info !== 'ESTABLISHED' && !isInitialised(entry, manip)) {
    for (const { hook, run } of natChains(host, familyOf(skb.packet.dst))) {
      if (hook !== call.hook || isInitialised(entry, manip)) continue;
      const verdict = run(call);
      if (verdict.kind !== 'accept') return verdict;
    }
    setupNullBinding(entry, manip, walk.state.host(host.name).conntrack, walk.state.now);
  }
  if (call.hook === 'POSTROUTING' && leavesElsewhere(reference, call.outDevice)) {
    walk.state.host(host.name).conntrack.delete(entry);
    return { kind: 'drop', reason: 'NETFILTER_DROP', where: 'nf_nat_inet_fn', errno: 'EPERM' };
  }
  rewrite(call, reference, manip);
  return ACCEPT;
}

/** nf_nat_oif_changed: a masquerading connection whose packets leave by another device now is given up. */
function leavesElsewhere({ entry, direction }: ConntrackReference, outDevice: string | null): boolean {
  return direction === 'original' && entry.masqueradeDevice !== null && entry.masqueradeDevice !== outDevice;
}

/** nf_nat_packet: writes the other direction's tuple into this side, if this side is translated. */
function rewrite(call: HookCall, { entry, direction }: ConntrackReference, manip: Manip): void {
  const translated = (direction === 'original') === (manip === 'src') ? entry.snat : entry.dnat;
  if (!translated) return;
  const target = invertTuple(tupleIn(entry, opposite(direction)));
  if (!target) return;
  const before = call.skb.packet;
  call.skb.packet = manipulate(before, target, manip);
  emitRewrite(call, before, manip, entry.randomPort && manip === 'src' && direction === 'original');
  if (manip === 'dst' && call.hook === 'PREROUTING' && before.dst !== call.skb.packet.dst) call.skb.route = null;
}

/** nf_nat_ipv4_local_fn: a local packet whose destination is translated is routed again at once. */
function natLocalFunction(call: HookCall): HookVerdict {
  const verdict = natFunction(call);
  const reference = call.skb.conntrack;
  if (verdict.kind !== 'accept' || !reference) return verdict;
  const here = tupleIn(reference.entry, reference.direction);
  const there = tupleIn(reference.entry, opposite(reference.direction));
  if (here.dst === there.src) return verdict;
  return rerouted(call);
}
