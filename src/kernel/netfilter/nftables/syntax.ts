import type { NftElement } from './ruleset.ts';
import type { NftSelector } from './selector.ts';

/** What a statement tests, looks up or sets. */
export type NftExpression =
  | { readonly kind: 'selector'; readonly selector: NftSelector }
  | { readonly kind: 'concat'; readonly parts: readonly NftExpression[] }
  | { readonly kind: 'bitwise'; readonly operator: '&' | '|' | '^'; readonly left: NftExpression; readonly right: number }
  | { readonly kind: 'numgen'; readonly mode: 'random' | 'inc'; readonly modulus: number; readonly offset: number }
  | { readonly kind: 'map'; readonly key: NftExpression; readonly lookup: NftLookup }
  | { readonly kind: 'value'; readonly text: string };

/** A set or map: a named one of the table, or one that stands in the rule itself. */
export type NftLookup =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'anonymous'; readonly elements: readonly NftElement[] };

export type NftOperator = '==' | '!=' | '<' | '>' | '<=' | '>=';

export type NftVerdict =
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string };

/** One statement of a rule. A test that fails ends the rule (NFT_BREAK). */
export type NftStatement =
  | { readonly kind: 'match'; readonly left: NftExpression; readonly operator: NftOperator; readonly right: NftMatchRight }
  | { readonly kind: 'vmap'; readonly key: NftExpression; readonly lookup: NftLookup }
  | { readonly kind: 'verdict'; readonly verdict: NftVerdict }
  | { readonly kind: 'set-mark'; readonly target: 'meta mark' | 'ct mark'; readonly value: NftExpression }
  | {
      readonly kind: 'change-set';
      readonly operation: 'add' | 'update' | 'delete';
      readonly set: string;
      readonly key: NftExpression;
      readonly timeout: number | null;
    }
  | { readonly kind: 'masquerade' | 'redirect'; readonly ports: NftPortRange | null; readonly flags: readonly string[] }
  | { readonly kind: 'dnat' | 'snat'; readonly to: NftExpression; readonly flags: readonly string[] }
  | { readonly kind: 'reject'; readonly with: string | null }
  | { readonly kind: 'notrack' }
  /** counter, log: nothing that decides a packet's way. */
  | { readonly kind: 'no-effect' }
  /** What k8snet does not model, and all that stands behind it. */
  | { readonly kind: 'unknown' };

/** What a match compares with: a set, or patterns of which one must fit ("established,related"). */
export type NftMatchRight =
  | { readonly kind: 'lookup'; readonly lookup: NftLookup }
  | { readonly kind: 'patterns'; readonly texts: readonly string[] };

export interface NftPortRange {
  readonly min: number;
  readonly max: number;
}
