import type { Origin } from '../../../trace/origin.ts';

export type NftFamily = 'ip' | 'ip6' | 'inet' | 'arp' | 'bridge' | 'netdev';

/** All tables of a namespace, in the order in which `nft list ruleset` prints them. */
export type NftRuleset = readonly NftTable[];

/**
 * A table whose sets and chains are made when asked for. Listing order is the order of creation; sets and maps share their names.
 */
export interface NftTable {
  readonly family: NftFamily;
  readonly name: string;
  readonly comment: string | null;
  /** Lines like "flags dormant". */
  readonly options: readonly string[];
  /** Counters, quotas, flowtables and what else a table may hold beside sets and chains; kept as text. */
  readonly objects: readonly NftObject[];
  set(name: string): NftSet | undefined;
  sets(): Iterable<NftSet>;
  chain(name: string): NftChain | undefined;
  chains(): Iterable<NftChain>;
  /** Those that hang on hooks, without making the others. */
  baseChains(): Iterable<NftChain>;
}

/** A stateful object or flowtable: `KEYWORD NAME { lines }`. */
export interface NftObject {
  readonly keyword: string;
  readonly name: string;
  readonly lines: readonly string[];
}

/** A named set, or a map: then each element has data. */
export interface NftSet {
  readonly kind: 'set' | 'map';
  readonly name: string;
  /** "type ipv4_addr . inet_proto . inet_service : verdict", or "typeof ip saddr". */
  readonly type: string;
  /** "size 65535", "flags dynamic,timeout", "timeout 3h" ... in the order of nft's listing. */
  readonly options: readonly string[];
  readonly comment: string | null;
  elements(): readonly NftElement[];
  /** The element with exactly this key ("10.96.0.10 . tcp . 53"); an index over sets too large to search. */
  find?(key: string): NftElement | undefined;
}

/** An element as nft prints it. */
export interface NftElement {
  /** "10.96.0.10 . tcp . 53", "10.0.0.0/8", "1000-2000". */
  readonly key: string;
  /** What a map gives: "goto reject-chain", "10.0.0.1 . 80"; null in a set. */
  readonly data: string | null;
  readonly comment: string | null;
  /** "timeout 1h", "expires 59m" ... between key and comment. */
  readonly options: readonly string[];
  readonly origin?: Origin;
}

/** A chain of rules; `base` where it hangs on a hook. */
export interface NftChain {
  readonly name: string;
  readonly base: NftBaseChain | null;
  readonly comment: string | null;
  readonly rules: readonly NftRule[];
}

export type NftHook = 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting' | 'ingress' | 'egress';

export interface NftBaseChain {
  readonly type: 'filter' | 'nat' | 'route';
  readonly hook: NftHook;
  /** Devices of ingress and egress chains as nft prints them: `"lo"`. */
  readonly device: string | null;
  readonly priority: number;
  readonly policy: 'accept' | 'drop';
}

/** A rule as `nft list ruleset` prints it, comment included. */
export interface NftRule {
  readonly text: string;
  readonly origin?: Origin;
  /** Where a dump has it. */
  readonly source?: { readonly file: string; readonly line: number };
}

/** A table over sets and chains that exist already. */
export function nftTable(
  head: Pick<NftTable, 'family' | 'name' | 'comment'> & Partial<Pick<NftTable, 'options' | 'objects'>>,
  sets: readonly NftSet[],
  chains: readonly NftChain[],
): NftTable {
  const setsByName = new Map(sets.map((set) => [set.name, set]));
  const chainsByName = new Map(chains.map((chain) => [chain.name, chain]));
  return {
    options: [],
    objects: [],
    ...head,
    set: (name) => setsByName.get(name),
    sets: () => setsByName.values(),
    chain: (name) => chainsByName.get(name),
    chains: () => chainsByName.values(),
    baseChains: () => chains.filter(({ base }) => base !== null),
  };
}
