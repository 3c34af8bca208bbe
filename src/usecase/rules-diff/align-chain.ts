import { readRuleText } from '../explain/rule-text.ts';
import { servicePortName } from '../explain/service-index.ts';
import { longestIncreasing } from './longest-increasing.ts';

/** Positions (0-based) in the two lists. */
export interface Alignment {
  readonly missing: readonly number[];
  readonly extra: readonly number[];
  readonly changed: readonly (readonly [expected: number, actual: number])[];
  readonly moved: readonly (readonly [expected: number, actual: number])[];
}

/** Chains that kube-proxy fills in the random order of a Go map: one block a service port, in no order among each other. */
const RANDOM_BLOCKS = new Set(['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-EXTERNAL-SERVICES', 'KUBE-PROXY-FIREWALL']);

type Pair = readonly [expected: number, actual: number];

/**
 * Pairs the rules of a chain as expected with those that are there. Equal texts are one rule; of what is left, rules with one comment and
 * target are one rule that changed.
 * @param ignored actual rules that may stand anywhere and pair with nothing
 */
export function alignChain(
  chain: string,
  expected: readonly string[],
  actual: readonly string[],
  ignored: (actual: number) => boolean = () => false,
): Alignment {
  const equal = pairEqual(expected, actual, ignored);
  const pairedExpected = new Set(equal.map(([i]) => i));
  const pairedActual = new Set(equal.map(([, k]) => k));
  const lonelyExpected = expected.flatMap((_, i) => (pairedExpected.has(i) ? [] : [i]));
  const lonelyActual = actual.flatMap((_, k) => (pairedActual.has(k) ? [] : [k]));
  const changed = pairSimilar(
    expected,
    lonelyExpected,
    actual,
    lonelyActual.filter((k) => !ignored(k)),
  );
  const changedExpected = new Set(changed.map(([i]) => i));
  const changedActual = new Set(changed.map(([, k]) => k));
  return {
    missing: lonelyExpected.filter((i) => !changedExpected.has(i)),
    extra: lonelyActual.filter((k) => !changedActual.has(k)),
    changed,
    moved: outOfOrder(equal, RANDOM_BLOCKS.has(chain) ? (i) => blockName(expected[i]!) : null),
  };
}

/** A service port's name. What belongs to none, the jumps to node ports, stands behind all blocks, in any order. */
function blockName(body: string): string {
  const { comment } = readRuleText(body);
  return servicePortName(comment) ?? LAST;
}

const LAST = '';

function pairEqual(expected: readonly string[], actual: readonly string[], ignored: (actual: number) => boolean): Pair[] {
  const places = new Map<string, number[]>();
  actual.forEach((body, k) => {
    if (ignored(k)) return;
    const list = places.get(body);
    if (list === undefined) places.set(body, [k]);
    else list.push(k);
  });
  return expected.flatMap((body, i): Pair[] => {
    const k = places.get(body)?.shift();
    return k === undefined ? [] : [[i, k]];
  });
}

function pairSimilar(
  expected: readonly string[],
  lonelyExpected: readonly number[],
  actual: readonly string[],
  lonelyActual: readonly number[],
): Pair[] {
  const places = new Map<string, number[]>();
  for (const k of lonelyActual) {
    const key = similarityKey(actual[k]!);
    const list = places.get(key);
    if (list === undefined) places.set(key, [k]);
    else list.push(k);
  }
  return lonelyExpected.flatMap((i): Pair[] => {
    const k = places.get(similarityKey(expected[i]!))?.shift();
    return k === undefined ? [] : [[i, k]];
  });
}

/** What makes two different texts the same rule in another form. */
function similarityKey(body: string): string {
  const { comment, target } = readRuleText(body);
  if (comment === '') return `-j ${target}`;
  return `${comment} -j ${/^KUBE-(?:SVC|SVL|EXT|XLB|FW)-/.test(target) ? 'service' : target}`;
}

/**
 * Pairs of equal rules that don't stand in the same order on both sides: all but a longest run that does, within each block; and what
 * should stand behind all blocks, but doesn't.
 */
function outOfOrder(pairs: readonly Pair[], blockOf: ((expected: number) => string) | null): Pair[] {
  if (blockOf === null) return outOfOrderIn(pairs);
  const blocks = new Map<string, Pair[]>();
  let end = -1;
  for (const pair of pairs) {
    const name = blockOf(pair[0]);
    const block = blocks.get(name);
    if (block === undefined) blocks.set(name, [pair]);
    else block.push(pair);
    if (name !== LAST) end = Math.max(end, pair[1]);
  }
  const tooEarly = (blocks.get(LAST) ?? []).filter(([, k]) => k < end);
  blocks.delete(LAST);
  return [...blocks.values()].flatMap(outOfOrderIn).concat(tooEarly);
}

function outOfOrderIn(pairs: readonly Pair[]): Pair[] {
  const kept = longestIncreasing(pairs.map(([, k]) => k));
  return pairs.filter((_, i) => !kept.has(i));
}
