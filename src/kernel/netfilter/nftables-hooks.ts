import { withReroute } from '../walk/reroute.ts';
import { ACCEPT } from './hook.ts';
import { nftContext } from './nft-context.ts';
import { traverseNft } from './nftables/traverse.ts';
import type { HookName } from '../../trace/event.ts';
import type { Host } from '../host.ts';
import type { HookCall, HookFunction, HookVerdict } from './hook.ts';
import type { NftChain, NftHook, NftTable } from './nftables/ruleset.ts';

/** Hooks of nftables that a packet on its way through the IP stack meets, by their names in iptables. */
export const HOOK_NAME: Readonly<Partial<Record<NftHook, HookName>>> = {
  prerouting: 'PREROUTING',
  input: 'INPUT',
  forward: 'FORWARD',
  output: 'OUTPUT',
  postrouting: 'POSTROUTING',
};

/** Hook functions of nftables' base chains of types filter and route, for an IP family; tables of family inet count for both. */
export function nftHooks(host: Host, family: 4 | 6): readonly HookFunction[] {
  return baseChains(host, family).flatMap(([table, chain]) => (chain.base?.type === 'nat' ? [] : hookOf(table, chain)));
}

/** Base chains of type nat: not hook functions of their own, the NAT core calls them. */
export function nftNatChains(host: Host, family: 4 | 6): readonly HookFunction[] {
  return baseChains(host, family).flatMap(([table, chain]) => (chain.base?.type === 'nat' ? hookOf(table, chain) : []));
}

function baseChains({ netfilter }: Host, family: 4 | 6): readonly (readonly [NftTable, NftChain])[] {
  const tables = netfilter.nftables.filter((table) => table.family === 'inet' || table.family === (family === 4 ? 'ip' : 'ip6'));
  // nf_tables_table_disable: the base chains of a dormant table hang on no hook.
  const awake = tables.filter(({ options }) => !options.some((option) => /^flags .*\bdormant\b/.test(option)));
  return awake.flatMap((table) => [...table.baseChains()].map((chain) => [table, chain] as const));
}

function hookOf(table: NftTable, chain: NftChain): readonly HookFunction[] {
  const hook = chain.base && HOOK_NAME[chain.base.hook];
  if (!chain.base || !hook) return [];
  const { type, priority } = chain.base;
  const run = type === 'route' ? runRouteChain : runChain;
  return [{ hook, priority, name: `nft ${table.name} ${chain.name}`, run: (call) => run(table, chain, call) }];
}

function runChain(table: NftTable, chain: NftChain, call: HookCall): HookVerdict {
  const result = traverseNft(chain, nftContext(call, table));
  switch (result.kind) {
    case 'accept':
      return ACCEPT;
    case 'drop':
      return { kind: 'drop', reason: 'NETFILTER_DROP', where: 'nft_do_chain' };
    case 'reject':
      return result;
  }
}

/** nft_route: a local packet whose mark, addresses or TOS were changed is routed again. */
function runRouteChain(table: NftTable, chain: NftChain, call: HookCall): HookVerdict {
  return withReroute(call, () => runChain(table, chain, call));
}
