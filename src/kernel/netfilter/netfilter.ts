import type { IpSet } from '../ipset/ipset.ts';
import type { IpvsTimeouts } from '../ipvs/tcp-state.ts';
import type { VirtualServer } from '../ipvs/virtual-server.ts';
import type { IptablesTables } from './iptables/table.ts';
import type { NftRuleset } from './nftables/ruleset.ts';

/** Everything netfilter of one namespace holds. */
export interface Netfilter {
  /** iptables rules by variant; both apply (iptables-nft and iptables-legacy on one node). */
  readonly iptables: IptablesTables;
  readonly iptablesLegacy: IptablesTables | null;
  readonly ip6tables: IptablesTables;
  readonly ipsets: ReadonlyMap<string, IpSet>;
  /** Tables of nftables itself, beside those that iptables-nft keeps there. */
  readonly nftables: NftRuleset;
  /** Virtual servers of IPVS. */
  readonly ipvs: readonly VirtualServer[];
  /** Left out: the kernel's own. */
  readonly ipvsTimeouts?: IpvsTimeouts;
}
