import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { explainChainOf } from './explain-chain.ts';
import { recogniseRule } from './recognise-rule.ts';
import { serviceIndexOf, serviceIndexOfDump } from './service-index.ts';
import type { IptablesTables } from '../../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Explanation } from './explanation.ts';

/** A chain with its rules, each in words. */
export interface ChainExplanation extends Explanation {
  readonly name: string;
  readonly rules: readonly {
    readonly table: string;
    /** 1-based, as `iptables -L --line-numbers` shows it. */
    readonly rule: number;
    readonly text: string;
    /** null for a rule of nobody that is known here. */
    readonly sentence: string | null;
  }[];
}

/** Explains a chain of a node's tables (compiled or of a dump), in every table that has one of that name; null when none has. */
export function explainChainIn(tables: IptablesTables, name: string, cluster: Cluster): ChainExplanation | null {
  const found = [...tables.values()].filter((table) => table.chain(name) !== undefined);
  if (found.length === 0) return null;
  const index = serviceIndexOfDump(tables, serviceIndexOf(cluster));
  const known = explainChainOf(name, index) ?? { sentence: 'a chain of nobody known here', origin: { object: null, by: 'operator', role: 'chain' } };
  return {
    ...known,
    name,
    rules: found.flatMap((table) =>
      linesOf(table.chain(name)!).map(({ body }, i) => ({
        table: table.name,
        rule: i + 1,
        text: body,
        sentence: recogniseRule(table.name, name, body, index)?.sentence ?? null,
      })),
    ),
  };
}
