import { once } from '../../support/once.ts';
import type { IptablesTables } from './iptables/table.ts';
import type { Netfilter } from './netfilter.ts';

/** Netfilter of a namespace in which nothing made a rule. */
export const NO_NETFILTER: Netfilter = { iptables: new Map(), iptablesLegacy: null, ip6tables: new Map(), ipsets: new Map() };

/** Netfilter with IPv4 rules that are made when a packet first meets a hook. */
export function lazyNetfilter(make: () => IptablesTables): Netfilter {
  const tables = once(make);
  return {
    ...NO_NETFILTER,
    get iptables() {
      return tables();
    },
  };
}
