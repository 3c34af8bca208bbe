import type { TraverseContext, TraverseVerdict } from './context.ts';
import type { Table } from './table.ts';

/**
 * Runs the base chain of `context.hook` in a table (net/netfilter/x_tables ipt_do_table): user chains with jump and goto, the end of
 * a chain returns, the base chain's policy decides at the end. Emits every matched rule.
 */
export function traverse(table: Table, context: TraverseContext): TraverseVerdict {
  void table;
  void context;
  throw new Error('not yet');
}
