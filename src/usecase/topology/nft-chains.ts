import { HOOK_NAME } from '../../kernel/netfilter/nftables-hooks.ts';
import { makersOf } from './makers.ts';
import { rulesBehind } from './reach.ts';
import type { NftBaseChain, NftChain, NftRuleset, NftTable } from '../../kernel/netfilter/nftables/ruleset.ts';
import type { HookedChain } from './hooked-chain.ts';
import type { CountedChain } from './reach.ts';

/** The base chains of nftables' own tables at the hooks of IP; others (bridge, netdev) see no packet on this way. */
export function nftChains(ruleset: NftRuleset): readonly HookedChain[] {
  return ruleset
    .filter(({ family }) => family === 'ip' || family === 'ip6' || family === 'inet')
    .flatMap((table) => [...table.baseChains()].flatMap((chain) => (chain.base ? hooked(table, chain, chain.base) : [])));
}

function hooked(table: NftTable, chain: NftChain, base: NftBaseChain): readonly HookedChain[] {
  const hook = HOOK_NAME[base.hook];
  if (hook === undefined) return [];
  const visited = new Set<string>();
  const rules = chain.rules.map(({ text, origin }) => ({
    by: origin?.by ?? 'unknown',
    behind: rulesBehind(jumpsOf(text, table), (name) => counted(table, name), visited),
  }));
  const family = table.family === 'inet' ? null : table.family === 'ip' ? 4 : 6;
  const policy = base.policy === 'drop' ? 'DROP' : 'ACCEPT';
  return [
    {
      hook,
      priority: base.priority,
      chain: { kind: 'nftables', family, table: table.name, chain: chain.name, policy, ...makersOf(rules) },
    },
  ];
}

function counted(table: NftTable, name: string): CountedChain | undefined {
  const chain = table.chain(name);
  return chain && { rules: chain.rules.length, jumps: chain.rules.flatMap(({ text }) => jumpsOf(text, table)) };
}

/** Chains that a rule names, and those that the verdict maps it looks into lead to. */
function jumpsOf(text: string, table: NftTable): readonly string[] {
  const maps = [...text.matchAll(/\bvmap @(\S+)/g)].flatMap(([, name]) => table.set(name!)?.elements() ?? []);
  return [text, ...maps.flatMap(({ data }) => data ?? [])].flatMap((words) =>
    [...words.matchAll(/\b(?:jump|goto) ([^\s,}]+)/g)].map(([, name]) => name!),
  );
}
