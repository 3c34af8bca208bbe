import { describe, expect, test } from 'vitest';
import { KernelState } from '../../../../src/kernel/state.ts';
import { Choices } from '../../../../src/kernel/walk/choices.ts';
import { Walk } from '../../../../src/kernel/walk/walk.ts';
import { world as compiled } from '../../kubernetes/host-text.ts';
import { twoNodes } from '../../kubernetes/cluster-fixture.ts';

describe('what is followed aside', () => {
  test('counts: its work, and the rules it met that are not modelled', () => {
    const world = compiled(twoNodes());
    const host = world.host('underlay')!;
    const walk = new Walk(world, new KernelState(), new Choices(), true);
    walk.follow(
      (aside) => {
        aside.looked(100, 3);
        aside.noteUnknownRule(host, { body: '-m strange -j ACCEPT' });
      },
      () => true,
    );
    expect([...walk.unknownRules]).toEqual([`${host.name}: -m strange -j ACCEPT`]);
    expect(walk.work).toBe(8);
    expect(Object.values(walk.events).flat()).toEqual([]);
  });
});
