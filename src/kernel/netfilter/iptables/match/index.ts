import { addrtype } from './addrtype.ts';
import { cgroup } from './cgroup.ts';
import { comment } from './comment.ts';
import { connmark } from './connmark.ts';
import { conntrack } from './conntrack.ts';
import { dscp } from './dscp.ts';
import { hashlimit } from './hashlimit.ts';
import { icmp, icmp6 } from './icmp.ts';
import { iprange } from './iprange.ts';
import { ipvs } from './ipvs.ts';
import { length } from './length.ts';
import { limit } from './limit.ts';
import { mac } from './mac.ts';
import { mark } from './mark.ts';
import { multiport } from './multiport.ts';
import { nfacct } from './nfacct.ts';
import { owner } from './owner.ts';
import { physdev } from './physdev.ts';
import { pkttype } from './pkttype.ts';
import { realm } from './realm.ts';
import { recent } from './recent.ts';
import { rpfilter } from './rpfilter.ts';
import { sctp } from './sctp.ts';
import { set } from './set.ts';
import { socket } from './socket.ts';
import { state } from './state.ts';
import { statistic } from './statistic.ts';
import { tcp } from './tcp.ts';
import { tcpmss } from './tcpmss.ts';
import { hl, ttl } from './ttl.ts';
import { udp } from './udp.ts';
import type { MatchModule } from './module.ts';

// biome-ignore format: a table reads better in rows
const MODULES: readonly MatchModule[] = [
  addrtype, cgroup, comment, connmark, conntrack, dscp, hashlimit, hl, icmp, icmp6, iprange, ipvs, length, limit, mac, mark, multiport,
  nfacct, owner, physdev, pkttype, realm, recent, rpfilter, sctp, set, socket, state, statistic, tcp, tcpmss, ttl, udp,
];

/** Every match that k8snet models, by name. */
export const MATCH_MODULES: ReadonlyMap<string, MatchModule> = new Map(MODULES.map((module) => [module.name, module]));

/** What `-p` loads without a word when an option of it is used; null: a module exists that k8snet does not model. */
const PROTOCOL_MODULES: ReadonlyMap<number, MatchModule | null> = new Map<number, MatchModule | null>([
  [6, tcp],
  [17, udp],
  [132, sctp],
  [1, icmp],
  [58, icmp6],
  [33, null],
  [50, null],
  [51, null],
  [135, null],
  [136, null],
]);

/** The module of a protocol; null: not modelled, undefined: the protocol has none. */
export function protocolModule(protocol: number): MatchModule | null | undefined {
  return PROTOCOL_MODULES.get(protocol);
}
