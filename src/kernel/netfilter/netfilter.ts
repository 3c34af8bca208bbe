import type { IpSet } from '../ipset/ipset.ts';
import type { IptablesTables } from './iptables/table.ts';

/** Everything netfilter of one namespace holds. More engines (nftables, IPVS) get a field each. */
export interface Netfilter {
  /** iptables rules by variant; both apply (iptables-nft and iptables-legacy on one node). */
  readonly iptables: IptablesTables;
  readonly iptablesLegacy: IptablesTables | null;
  readonly ip6tables: IptablesTables;
  readonly ipsets: ReadonlyMap<string, IpSet>;
}
