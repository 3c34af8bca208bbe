import { TABLE_HOOKS } from '../iptables/table.ts';
import type { Host } from '../../host.ts';
import type { Chain, IptablesTables, Table } from '../iptables/table.ts';
import type { NftChain, NftTable } from '../nftables/ruleset.ts';

/** Matches and targets whose rules take a reference on conntrack (nf_ct_netns_get in their checkentry). */
const NEEDS =
  /-m (conntrack|state|connmark|connbytes|connlimit|connlabel|helper|cluster) |-j (CONNMARK|SYNPROXY|MASQUERADE|DNAT|SNAT|REDIRECT|NETMAP|CT (?!--notrack))/;

/**
 * Conntrack registers its hooks in a namespace once a rule needs it: a match on connection state, a target that changes it. A nat
 * chain alone does not: without such a rule it is never visited.
 */
export function isConntrackNeeded(host: Host, family: 4 | 6): boolean {
  const { iptables, iptablesLegacy, ip6tables, nftables } = host.netfilter;
  const other = family === 4 ? 'ip6' : 'ip';
  if (nftables.some((table) => table.family !== other && nftNeeds(table))) return true;
  if (family === 6) return needs(ip6tables);
  return needs(iptables) || (iptablesLegacy !== null && needs(iptablesLegacy));
}

/** Expressions of nftables that take a reference on conntrack (nft_ct_get_init, nft_nat_validate ...). */
const NFT_NEEDS = /(^| )(ct|dnat|snat|masquerade|redirect) /;

function nftNeeds(table: NftTable): boolean {
  const has = ({ rules }: NftChain): boolean => rules.some(({ text }) => NFT_NEEDS.test(`${text} `));
  return [...table.baseChains()].some(has) || [...table.chains()].some(has);
}

/** Base chains first: on most hosts they answer, and large sets of user chains are never made. */
function needs(tables: IptablesTables): boolean {
  const all = [...tables.values()];
  return all.some((table) => baseChains(table).some(hasNeed)) || all.some((table) => userChains(table).some(hasNeed));
}

function baseChains(table: Table): readonly Chain[] {
  return TABLE_HOOKS[table.name].flatMap((name) => table.chain(name) ?? []);
}

function userChains(table: Table): readonly Chain[] {
  return [...table.chainNames()].flatMap((name) => table.chain(name) ?? []);
}

function hasNeed(chain: Chain): boolean {
  for (let i = 0; i < chain.length; i++) if (NEEDS.test(`${chain.body(i)} `)) return true;
  return false;
}
