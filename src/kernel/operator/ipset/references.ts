import type { Host } from '../../host.ts';
import type { Chain, IptablesTables } from '../../netfilter/iptables/table.ts';

/** Does a rule, or (unless left out) a list of sets, refer to a set by name? */
export function referringTo(host: Host, set: string, withoutLists: boolean): boolean {
  const { iptables, iptablesLegacy, ip6tables, ipsets } = host.netfilter;
  const isMember = [...ipsets.values()].some(({ entries }) =>
    entries.some(({ fields: [field] }) => field?.kind === 'set' && field.name === set),
  );
  if (isMember && !withoutLists) return true;
  return [iptables, iptablesLegacy, ip6tables].some((tables) => tables !== null && isNamedIn(tables, set));
}

function isNamedIn(tables: IptablesTables, set: string): boolean {
  return [...tables.values()].some((table) => [...table.chainNames()].some((name) => isNamedInChain(table.chain(name)!, set)));
}

function isNamedInChain(chain: Chain, set: string): boolean {
  for (let i = 0; i < chain.length; i++) {
    if (chain.body(i).includes(`-set ${set} `)) return true;
  }
  return false;
}
