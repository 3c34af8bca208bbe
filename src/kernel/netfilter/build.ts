import { once } from '../../support/once.ts';
import type { Netfilter } from './netfilter.ts';

/** Netfilter of a namespace in which nothing made a rule. */
export const NO_NETFILTER: Netfilter = {
  iptables: new Map(),
  iptablesLegacy: null,
  ip6tables: new Map(),
  ipsets: new Map(),
  nftables: [],
  ipvs: [],
};

/** What makes the parts of a namespace's netfilter; those left out are empty. */
export type NetfilterMakers = { readonly [Part in Exclude<keyof Netfilter, 'ipvsTimeouts'>]?: () => Netfilter[Part] } & Pick<
  Netfilter,
  'ipvsTimeouts'
>;

/** Netfilter whose parts are made when a packet first meets a hook. */
export function lazyNetfilter(makers: NetfilterMakers): Netfilter {
  const iptables = once(makers.iptables ?? (() => NO_NETFILTER.iptables));
  const iptablesLegacy = once(makers.iptablesLegacy ?? (() => NO_NETFILTER.iptablesLegacy));
  const ip6tables = once(makers.ip6tables ?? (() => NO_NETFILTER.ip6tables));
  const ipsets = once(makers.ipsets ?? (() => NO_NETFILTER.ipsets));
  const nftables = once(makers.nftables ?? (() => NO_NETFILTER.nftables));
  const ipvs = once(makers.ipvs ?? (() => NO_NETFILTER.ipvs));
  return {
    ...(makers.ipvsTimeouts && { ipvsTimeouts: makers.ipvsTimeouts }),
    get iptables() {
      return iptables();
    },
    get iptablesLegacy() {
      return iptablesLegacy();
    },
    get ip6tables() {
      return ip6tables();
    },
    get ipsets() {
      return ipsets();
    },
    get nftables() {
      return nftables();
    },
    get ipvs() {
      return ipvs();
    },
  };
}
