import type { NftBaseChain, NftFamily, NftHook } from './ruleset.ts';

/** Names of priorities in the IP families, and the hook that a name is limited to (nft's std_prios). */
const NAMED: readonly { readonly name: string; readonly priority: number; readonly hook: NftHook | null }[] = [
  { name: 'raw', priority: -300, hook: null },
  { name: 'mangle', priority: -150, hook: null },
  { name: 'dstnat', priority: -100, hook: 'prerouting' },
  { name: 'filter', priority: 0, hook: null },
  { name: 'security', priority: 50, hook: null },
  { name: 'srcnat', priority: 100, hook: 'postrouting' },
];

/** Names of priorities in the bridge family. */
const BRIDGE: typeof NAMED = [
  { name: 'dstnat', priority: -300, hook: 'prerouting' },
  { name: 'filter', priority: -200, hook: null },
  { name: 'out', priority: 100, hook: 'output' },
  { name: 'srcnat', priority: 300, hook: 'postrouting' },
];

const FILTER_ONLY: typeof NAMED = [{ name: 'filter', priority: 0, hook: null }];

/** A listing names the priority that is at most this far off. */
const REACH = 10;

/** As nft prints a chain's priority: "dstnat", "dstnat - 10", "filter + 5", "-110". */
export function formatPriority(family: NftFamily, { hook, priority }: Pick<NftBaseChain, 'hook' | 'priority'>): string {
  const near = namesOf(family).find((named) => (named.hook ?? hook) === hook && Math.abs(named.priority - priority) <= REACH);
  if (near === undefined) return String(priority);
  const offset = priority - near.priority;
  return offset === 0 ? near.name : `${near.name} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`;
}

/** Reads "dstnat - 10", "filter" or "-110"; null when it is none of these. nft takes a name on any hook here. */
export function parsePriority(family: NftFamily, text: string): number | null {
  const match = /^(?:(-?\d+)|([a-z]+)(?:\s*([+-])\s*(\d+))?)$/.exec(text);
  if (match === null) return null;
  const [, number, name, sign, offset] = match;
  if (number !== undefined) return Number(number);
  const named = namesOf(family).find((candidate) => candidate.name === name);
  if (named === undefined) return null;
  return named.priority + (sign === '-' ? -1 : 1) * Number(offset ?? 0);
}

function namesOf(family: NftFamily): typeof NAMED {
  if (family === 'bridge') return BRIDGE;
  return family === 'arp' || family === 'netdev' ? FILTER_ONLY : NAMED;
}
