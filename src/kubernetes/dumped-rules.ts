import { parseSave } from '../kernel/netfilter/iptables/save-format/parse.ts';
import { parseRuleset } from '../kernel/netfilter/nftables/parse.ts';
import { once } from '../support/once.ts';
import { hasDump } from './model/node-dump.ts';
import type { SavedRules } from '../kernel/netfilter/iptables/save-format/parse.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { NetfilterMakers } from '../kernel/netfilter/build.ts';
import type { NftParseResult } from '../kernel/netfilter/nftables/parse.ts';
import type { NftRuleset } from '../kernel/netfilter/nftables/ruleset.ts';
import type { DumpFile, Node } from './model/cluster.ts';

/** Finds out whose the rules of a dump are: gives the same tables with origins. */
export interface RecogniseRules {
  readonly iptables: (tables: IptablesTables, family: 4 | 6) => IptablesTables;
  readonly nftables: (ruleset: NftRuleset) => NftRuleset;
}

/** Nobody's rules are recognised. */
export const RECOGNISE_NOTHING: RecogniseRules = { iptables: (tables) => tables, nftables: (ruleset) => ruleset };

const saves = new WeakMap<DumpFile, SavedRules>();
const rulesets = new WeakMap<DumpFile, NftParseResult>();

/** What a dump of iptables-save says, read once. */
export function savedRules(dump: DumpFile): SavedRules {
  const saved = saves.get(dump) ?? parseSave(dump.text, dump.file);
  saves.set(dump, saved);
  return saved;
}

/** What a dump of `nft list ruleset` says, read once. */
export function listedRuleset(dump: DumpFile): NftParseResult {
  const listed = rulesets.get(dump) ?? parseRuleset(dump.text, dump.file);
  rulesets.set(dump, listed);
  return listed;
}

/**
 * The tables of a node's nft dump that count beside its other dump. iptables-nft keeps its tables in nftables, so both programs print
 * them; iptables-save says more of them (nft can't print every match and target of iptables).
 */
export function nftTablesOf({ iptablesSave, nftRuleset }: Pick<Node, 'iptablesSave' | 'nftRuleset'>): NftRuleset {
  const listed = nftRuleset && listedRuleset(nftRuleset);
  if (!listed?.ok) return [];
  const saved = iptablesSave && savedRules(iptablesSave);
  if (!saved || saved.onlyLegacy) return listed.ruleset;
  const told = new Set([
    ...[...saved.tables.keys()].map((name) => `ip ${name}`),
    ...[...saved.tables6.keys()].map((name) => `ip6 ${name}`),
  ]);
  return listed.ruleset.filter(({ family, name }) => !told.has(`${family} ${name}`));
}

/**
 * Rules of a node that come from dumps (`nodes[].iptablesSave`, `nftRuleset`), read when a packet first meets a hook; null: it has none.
 */
export function dumpedRules(node: Node, recognise: RecogniseRules): NetfilterMakers | null {
  if (!hasDump(node)) return null;
  return {
    ...(node.iptablesSave && iptablesOf(node.iptablesSave, recognise)),
    nftables: () => recognise.nftables(nftTablesOf(node)),
  };
}

function iptablesOf(dump: DumpFile, { iptables: recognise }: RecogniseRules): NetfilterMakers {
  const saved = once(() => {
    const { tables, legacy, tables6 } = savedRules(dump);
    return { tables: recognise(tables, 4), legacy: legacy && recognise(legacy, 4), tables6: recognise(tables6, 6) };
  });
  return { iptables: () => saved().tables, iptablesLegacy: () => saved().legacy, ip6tables: () => saved().tables6 };
}
