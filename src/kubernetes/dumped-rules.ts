import { parseSave } from '../kernel/netfilter/iptables/save-format/parse.ts';
import { once } from '../support/once.ts';
import type { SavedRules } from '../kernel/netfilter/iptables/save-format/parse.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { NetfilterMakers } from '../kernel/netfilter/build.ts';
import type { Node } from './model/cluster.ts';

/** A node's `iptablesSave`. */
export type Dump = NonNullable<Node['iptablesSave']>;

/** Finds out whose the rules of a dump are: gives the same tables with origins. */
export type RecogniseRules = (tables: IptablesTables, family: 4 | 6) => IptablesTables;

const parsed = new WeakMap<Dump, SavedRules>();

/** What a dump says, read once. */
export function savedRules(dump: Dump): SavedRules {
  const known = parsed.get(dump);
  if (known) return known;
  const saved = parseSave(dump.text, dump.file);
  parsed.set(dump, saved);
  return saved;
}

/** iptables rules of a node that come from a dump (`nodes[].iptablesSave`), read when a packet first meets a hook; null: it has none. */
export function dumpedRules(node: Node, recognise: RecogniseRules): NetfilterMakers | null {
  const dump = node.iptablesSave;
  if (dump === null) return null;
  const saved = once(() => {
    const { tables, legacy, tables6 } = savedRules(dump);
    return { tables: recognise(tables, 4), legacy: legacy && recognise(legacy, 4), tables6: recognise(tables6, 6) };
  });
  return { iptables: () => saved().tables, iptablesLegacy: () => saved().legacy, ip6tables: () => saved().tables6 };
}
