import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';

/** A dump (`nodes[].iptablesSave`) as tables, or what is wrong with it. */
export function dumpedTables(dump: {
  readonly file: string;
  readonly text: string;
}): { readonly ok: true; readonly tables: IptablesTables } | { readonly ok: false; readonly messages: readonly string[] } {
  return { ok: false, messages: [`${dump.file}: iptables-save dumps are not read yet`] };
}
