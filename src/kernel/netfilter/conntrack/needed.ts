import type { Host } from '../../host.ts';
import type { IptablesTables } from '../iptables/table.ts';

const NEEDS = /-m (conntrack|state|connmark|connbytes|connlimit|helper|cluster)|-j (CT|CONNMARK|NOTRACK|SYNPROXY|MASQUERADE|DNAT|SNAT)/;

/**
 * Conntrack registers its hooks in a namespace once a rule needs it (nf_ct_netns_get): any nat chain, a match on connection state,
 * a target that changes it.
 */
export function isConntrackNeeded(host: Host, family: 4 | 6): boolean {
  const { iptables, iptablesLegacy, ip6tables } = host.netfilter;
  if (family === 6) return needs(ip6tables);
  return needs(iptables) || (iptablesLegacy !== null && needs(iptablesLegacy));
}

function needs(tables: IptablesTables): boolean {
  if (hasChains(tables)) return true;
  for (const table of tables.values()) {
    for (const name of table.chainNames()) {
      const chain = table.chain(name);
      for (let i = 0; chain && i < chain.length; i++) if (NEEDS.test(chain.body(i))) return true;
    }
  }
  return false;
}

function hasChains(tables: IptablesTables): boolean {
  for (const _ of tables.get('nat')?.chainNames() ?? []) return true;
  return false;
}
