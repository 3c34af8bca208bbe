import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSave } from '../../src/kernel/netfilter/iptables/save-format/parse.ts';
import { traverse } from '../../src/kernel/netfilter/iptables/traverse.ts';
import { Choices } from '../../src/kernel/walk/choices.ts';
import { FakeContext, packet } from '../support/traverse-context.ts';
import type { Table } from '../../src/kernel/netfilter/iptables/table.ts';

/** Draws rule by rule. */
class DrawingContext extends FakeContext {
  readonly #choices: Choices;

  constructor(choices: Choices) {
    super({ packet: packet() });
    this.#choices = choices;
  }

  override draw(probability: number, what: string): boolean {
    if (probability >= 1 || probability <= 0) return probability >= 1;
    return this.#choices.pick(what, [probability, 1 - probability]) === 0;
  }
}

/** Picks among a run of rules at once. */
class PickingContext extends DrawingContext {
  readonly pick: (weights: readonly number[], what: string) => number;

  constructor(choices: Choices) {
    super(choices);
    this.pick = (weights, what) => choices.pick(what, weights);
  }
}

/** Everything that can happen, with its probability. */
function everyWay(table: Table, contextOf: (choices: Choices) => FakeContext): Map<string, number> {
  const ways = new Map<string, number>();
  const pending: (readonly number[])[] = [[]];
  for (let given = pending.pop(); given; given = pending.pop()) {
    const choices = new Choices(given);
    const context = contextOf(choices);
    const verdict = traverse(table, context);
    const told = context.records.map(({ chain, passedOver, ...rest }) => [
      chain,
      passedOver,
      'number' in rest ? rest.number : rest.verdict,
    ]);
    const key = JSON.stringify([verdict, context.mark, context.unknown, told]);
    ways.set(key, (ways.get(key) ?? 0) + choices.probability);
    const { decisions } = choices;
    for (let at = given.length; at < decisions.length; at++) {
      const before = decisions.slice(0, at).map(({ picked }) => picked);
      decisions[at]!.weights.forEach((weight, pick) => {
        if (weight > 0 && pick !== decisions[at]!.picked) pending.push([...before, pick]);
      });
    }
  }
  return ways;
}

const chance = fc
  .tuple(
    fc.constantFrom('', '-m comment --comment "a -> b" ', '-m comment --comment plain ', '! -p udp '),
    fc.constantFrom('0.5', '0.33333333349', '0.25', '1', '0'),
    fc.constantFrom(' -j A', ' -g B', ' -j B', ' -j DROP', ' -j NOWHERE', ' -j MARK --set-xmark 0x1/0x0', ''),
  )
  .map(([before, probability, target]) => `${before}-m statistic --mode random --probability ${probability}${target}`);
const rule = fc.oneof(
  { weight: 6, arbitrary: chance },
  { weight: 1, arbitrary: fc.constantFrom('-j MARK --set-xmark 0x2/0x0', '-p udp -j DROP', '-m mark --mark 0x1 -j ACCEPT', '') },
);
const padding = fc.constantFrom(0, 70);

test('a pick among rules of chance at once is the same as a draw for each', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), fc.array(rule, { maxLength: 4 }), padding, (forward, a, padded) => {
      const rules = [
        ...forward.map((each) => `-A FORWARD ${each}`),
        ...Array.from({ length: padded }, () => '-A FORWARD -d 10.1.1.1/32 -j DROP'),
        ...a.map((each) => `-A A ${each.replace(' -j A', ' -j B')}`),
        '-A B -p udp -j DROP',
      ];
      const table = parseSave(`*filter\n:FORWARD DROP\n:A -\n:B -\n${rules.join('\n')}`, 'x').tables.get('filter')!;
      const [drawn, picked] = [
        everyWay(table, (choices) => new DrawingContext(choices)),
        everyWay(table, (choices) => new PickingContext(choices)),
      ];
      expect([...picked.keys()].sort()).toEqual([...drawn.keys()].sort());
      for (const [way, probability] of picked) expect(drawn.get(way)).toBeCloseTo(probability, 9);
    }),
    { numRuns: 150 },
  );
});
