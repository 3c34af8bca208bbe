import { ACCEPT, PRIORITY } from './hook.ts';
import { withReroute } from '../walk/reroute.ts';
import { perHost } from '../per-host.ts';
import { packetContext } from './packet-context.ts';
import { readyChain } from './iptables/ready-table.ts';
import { traverse } from './iptables/traverse.ts';
import { TABLE_HOOKS } from './iptables/table.ts';
import type { HookName } from '../../trace/event.ts';
import type { Host } from '../host.ts';
import type { HookCall, HookFunction, HookVerdict } from './hook.ts';
import type { IptablesTables, Table, TableName } from './iptables/table.ts';

/** Priorities of the tables; nat's depends on the hook. */
export const TABLE_PRIORITY: Readonly<Record<Exclude<TableName, 'nat'>, number>> = {
  raw: PRIORITY.RAW,
  mangle: PRIORITY.MANGLE,
  filter: PRIORITY.FILTER,
  security: PRIORITY.SECURITY,
};

const PLAIN_TABLES = ['raw', 'mangle', 'filter', 'security'] as const;

interface RuleSet {
  readonly tables: IptablesTables;
  readonly legacy: boolean;
}

/**
 * The rule sets of a family: iptables-nft's, and iptables-legacy's beside it. Of hooks with one priority the one that was registered
 * last runs first (nf_hook_entries_grow): legacy tables come from a program that came after the node's own.
 */
function ruleSets({ netfilter }: Host, family: 4 | 6): readonly RuleSet[] {
  if (family === 6) return [{ tables: netfilter.ip6tables, legacy: false }];
  const nft = { tables: netfilter.iptables, legacy: false };
  return netfilter.iptablesLegacy ? [{ tables: netfilter.iptablesLegacy, legacy: true }, nft] : [nft];
}

/** Hook functions of the tables other than nat, one for each base chain that exists. */
export function iptablesHooks(host: Host, family: 4 | 6): readonly HookFunction[] {
  return ruleSets(host, family).flatMap((rules) =>
    PLAIN_TABLES.flatMap((name) => baseChains(rules, name, name === 'mangle' ? runMangle : runTable, TABLE_PRIORITY[name])),
  );
}

/** nat's base chains: not hook functions of their own, the NAT core calls them. */
export function iptablesNatChains(host: Host, family: 4 | 6): readonly HookFunction[] {
  return family === 4 ? natChains4(host) : natChains6(host);
}

const natChains4 = perHost((host) => natChainsOf(host, 4));
const natChains6 = perHost((host) => natChainsOf(host, 6));

function natChainsOf(host: Host, family: 4 | 6): readonly HookFunction[] {
  const chains = ruleSets(host, family).flatMap((rules) => baseChains(rules, 'nat', runTable, PRIORITY.NAT_DST));
  return chains.map((chain) =>
    chain.hook === 'INPUT' || chain.hook === 'POSTROUTING' ? { ...chain, priority: PRIORITY.NAT_SRC } : chain,
  );
}

type Runner = (table: Table, call: HookCall, legacy: boolean) => HookVerdict;

function baseChains({ tables, legacy }: RuleSet, name: TableName, run: Runner, priority: number): HookFunction[] {
  const table = tables.get(name);
  if (!table) return [];
  return TABLE_HOOKS[name]
    .filter((hook) => table.chain(hook) !== undefined)
    .map((hook) => ({ hook, priority, name: `iptables ${name}`, run: (call: HookCall) => run(table, call, legacy) }));
}

/** True where nothing can happen to a packet, beside an event that tells so. */
function isIdle(table: Table, hook: HookName): boolean {
  const base = readyChain(table, hook);
  return base === null || (base.chain.length === 0 && base.chain.policy !== 'DROP');
}

function runTable(table: Table, call: HookCall, legacy: boolean): HookVerdict {
  if (!call.walk.recording && isIdle(table, call.hook)) return ACCEPT;
  const verdict = traverse(table, packetContext(call, table.name, legacy));
  switch (verdict.kind) {
    case 'accept':
      return ACCEPT;
    case 'drop':
      return { kind: 'drop', reason: 'NETFILTER_DROP', where: legacy ? 'ipt_do_table' : 'nft_do_chain' };
    case 'reject':
      return { kind: 'reject', with: verdict.with };
  }
}

/** iptable_mangle's OUTPUT: what changes mark, addresses or TOS of a local packet has it routed again (ipt_mangle_out). */
function runMangle(table: Table, call: HookCall, legacy: boolean): HookVerdict {
  return withReroute(call, () => runTable(table, call, legacy));
}
