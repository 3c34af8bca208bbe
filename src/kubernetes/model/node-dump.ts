import type { DumpFile, Node } from './cluster.ts';

/** True when a node's rules come from dumps: then no controller has written any there. */
export function hasDump(node: Node): boolean {
  return dumpsOf(node).length > 0;
}

/** The dumps of a node's rules. */
export function dumpsOf({ iptablesSave, nftRuleset }: Node): readonly DumpFile[] {
  return [iptablesSave, nftRuleset].flatMap((dump) => dump ?? []);
}
