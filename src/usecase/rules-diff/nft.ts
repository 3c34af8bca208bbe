import { alignChain } from './align-chain.ts';
import type { NftChain, NftElement, NftRuleset, NftSet } from '../../kernel/netfilter/nftables/ruleset.ts';
import type { Origin } from '../../trace/origin.ts';
import type { ChangedPolicy, ChangedRule, ComparedRule, RulesDiff } from '../../trace/rules-diff.ts';

export interface NftDiffInput {
  readonly node: string;
  /** What the cluster asks for. */
  readonly expected: NftRuleset;
  /** What the node has, its rules recognised. */
  readonly actual: NftRuleset;
}

interface Findings {
  readonly missing: ComparedRule[];
  readonly extra: ComparedRule[];
  readonly changed: ChangedRule[];
  readonly moved: ChangedRule[];
  readonly policies: ChangedPolicy[];
  readonly foreign: ComparedRule[];
}

/**
 * Compares the nftables rules of a real node with those that its cluster asks for: chains rule by rule, sets and maps by their elements,
 * whose order means nothing. Counters, comments of elements, and what rules themselves put into sets make no difference. Tables that the
 * cluster does not ask for are others'.
 */
export function diffNftRulesets({ node, expected, actual }: NftDiffInput): RulesDiff {
  const found = { missing: [], extra: [], changed: [], moved: [], policies: [], foreign: [] } satisfies Findings as Findings;
  for (const table of expected) {
    const name = `${table.family} ${table.name}`;
    const other = actual.find((candidate) => candidate.family === table.family && candidate.name === table.name);
    for (const chain of namesOf(table.chains(), other?.chains()))
      compareChain(name, chain, table.chain(chain), other?.chain(chain), found);
    for (const set of namesOf(table.sets(), other?.sets())) compareSet(name, set, table.set(set), other?.set(set), found);
  }
  const asked = new Set(expected.map(({ family, name }) => `${family} ${name}`));
  for (const table of actual) {
    const name = `${table.family} ${table.name}`;
    if (asked.has(name)) continue;
    for (const chain of table.chains()) found.foreign.push(...chain.rules.map((_, i) => comparedRule(name, chain, i)));
  }
  const { missing, extra, changed, moved, policies } = found;
  const same = [missing, extra, changed, moved, policies].every((list) => list.length === 0);
  return { apiVersion: 'k8snet/v1', kind: 'RulesDiff', node, program: 'nftables', family: null, same, ...found };
}

function namesOf(...lists: readonly (Iterable<{ readonly name: string }> | undefined)[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => [...(list ?? [])].map(({ name }) => name)));
}

function compareChain(
  table: string,
  name: string,
  want: NftChain | undefined,
  have: NftChain | undefined,
  found: Findings,
): void {
  const hooks = [hookText(want), hookText(have)] as const;
  if (want && have && hooks[0] !== hooks[1]) found.policies.push({ table, chain: name, expected: hooks[0], actual: hooks[1] });
  const wantRules = want?.rules ?? [];
  const haveRules = have?.rules ?? [];
  const { missing, extra, changed, moved } = alignChain(
    name,
    wantRules.map(({ text }) => comparableText(text)),
    haveRules.map(({ text }) => comparableText(text)),
  );
  const pair = ([i, k]: readonly [number, number]): ChangedRule => ({
    expected: comparedRule(table, want!, i),
    actual: comparedRule(table, have!, k),
  });
  found.missing.push(...missing.map((i) => comparedRule(table, want!, i)));
  found.extra.push(...extra.map((k) => comparedRule(table, have!, k)));
  found.changed.push(...changed.map(pair));
  found.moved.push(...moved.map(pair));
}

/** Where a base chain hangs, and its policy: "filter input 0 accept". */
function hookText(chain: NftChain | undefined): string {
  const base = chain?.base;
  return base ? `${base.type} ${base.hook} ${base.priority} ${base.policy}` : 'no hook';
}

/**
 * A rule without what only counts. Endpoints among which one is drawn stand in the order of kube-proxy's list, which is no order that
 * means something; other sets in a rule are sorted by nft where that is possible.
 */
function comparableText(text: string): string {
  return text
    .replace(/\bcounter packets \d+ bytes \d+/g, 'counter')
    .replace(/\baddr \. port to\b/, 'to')
    .replace(/(numgen random mod \d+ v?map )\{ ([^}]*) \}/, (_, head: string, inner: string) => {
      const data = inner.split(', ').map((element) => element.replace(/^\d+ : /, ''));
      return `${head}{ ${data.toSorted().join(', ')} }`;
    });
}

function compareSet(table: string, name: string, want: NftSet | undefined, have: NftSet | undefined, found: Findings): void {
  if ([want, have].some((set) => set?.options.some((option) => /^flags .*\bdynamic\b/.test(option)))) return;
  const wanted = byKey(want);
  const there = byKey(have);
  for (const [key, element] of wanted) {
    const other = there.get(key);
    if (other === undefined) found.missing.push(comparedElement(table, name, element));
    else if (element.data !== other.data)
      found.changed.push({ expected: comparedElement(table, name, element), actual: comparedElement(table, name, other) });
  }
  for (const [key, element] of there) if (!wanted.has(key)) found.extra.push(comparedElement(table, name, element));
}

interface NumberedElement extends NftElement {
  /** 1-based. */
  readonly number: number;
}

function byKey(set: NftSet | undefined): ReadonlyMap<string, NumberedElement> {
  return new Map((set?.elements() ?? []).map((element, i) => [element.key, { ...element, number: i + 1 }]));
}

function comparedRule(table: string, chain: NftChain, index: number): ComparedRule {
  const { text, origin, source } = chain.rules[index]!;
  return { table, chain: chain.name, rule: index + 1, text, ...originPart(origin), purpose: null, ...(source && { source }) };
}

function comparedElement(table: string, set: string, { key, data, origin, number }: NumberedElement): ComparedRule {
  const text = data === null ? `{ ${key} }` : `{ ${key} : ${data} }`;
  return { table, chain: set, rule: number, text, ...originPart(origin), purpose: null };
}

function originPart(origin: Origin | undefined): { readonly origin?: Origin } {
  return origin === undefined ? {} : { origin };
}
