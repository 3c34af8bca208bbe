import { once } from '../../support/once.ts';
import type { IptablesTables } from './iptables/table.ts';
import type { Netfilter } from './netfilter.ts';
import type { NftRuleset } from './nftables/ruleset.ts';

/** Netfilter of a namespace in which nothing made a rule. */
export const NO_NETFILTER: Netfilter = { iptables: new Map(), iptablesLegacy: null, ip6tables: new Map(), ipsets: new Map(), nftables: [] };

/** Netfilter with rules of iptables and ip6tables, and tables of nftables, that are made when a packet first meets a hook. */
export function lazyNetfilter(makeIptables: () => IptablesTables, makeNftables: () => NftRuleset = () => [], makeIp6tables?: () => IptablesTables): Netfilter {
  const iptables = once(makeIptables);
  const nftables = once(makeNftables);
  const ip6tables = makeIp6tables && once(makeIp6tables);
  return {
    ...NO_NETFILTER,
    get iptables() {
      return iptables();
    },
    get ip6tables() {
      return ip6tables?.() ?? NO_NETFILTER.ip6tables;
    },
    get nftables() {
      return nftables();
    },
  };
}
