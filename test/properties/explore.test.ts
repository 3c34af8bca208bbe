import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KernelState } from '../../src/kernel/state.ts';
import type { Connect } from '../../src/usecase/explore.ts';
import { explore, inOrder } from '../../src/usecase/explore.ts';
import { emptyWorld, request, result } from '../unit/usecase/fixtures.ts';

/** Random choices as a tree: a leaf is a server, a node draws one of its branches by weight. */
type Tree = { readonly server: string } | { readonly branches: readonly { readonly weight: number; readonly tree: Tree }[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ server: fc.string({ minLength: 1, maxLength: 3 }) }),
    fc.record({
      branches: fc.array(fc.record({ weight: fc.integer({ min: 0, max: 5 }), tree: tie('tree') }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  ),
}));

function weightsOf(branches: readonly { readonly weight: number }[]): number[] {
  const sum = branches.reduce((total, { weight }) => total + weight, 0);
  return branches.map(({ weight }, i) => (sum === 0 ? Number(i === 0) : weight / sum));
}

function connectBy(root: Tree): Connect {
  return (_request, { choices }) => {
    let at = root;
    while ('branches' in at) at = at.branches[choices.pick('draw', weightsOf(at.branches))]!.tree;
    return result({ server: at.server });
  };
}

/** What each leaf is worth, in order: the reference. */
function leaves(at: Tree, probability = 1): { readonly server: string; readonly probability: number }[] {
  if ('server' in at) return [{ server: at.server, probability }];
  const weights = weightsOf(at.branches);
  return at.branches.flatMap((branch, i) => (weights[i]! > 0 ? leaves(branch.tree, probability * weights[i]!) : []));
}

function run(root: Tree, limit: number) {
  const { branches, sampled } = explore(inOrder([{ request: request(), pin: null }]), {
    world: emptyWorld,
    state: new KernelState(),
    connect: connectBy(root),
    limit,
  });
  return { sampled, branches: branches.map(({ made, probability }) => ({ server: made[0]!.result.server, probability })) };
}

describe('explore', () => {
  test('finds every leaf of the tree of choices, each with its probability', () => {
    fc.assert(
      fc.property(tree, (root) => {
        const { branches, sampled } = run(root, 100_000);
        const wanted = leaves(root);
        expect(sampled).toBe(false);
        expect(branches.map((b) => b.server)).toEqual(wanted.map((leaf) => leaf.server));
        for (const [i, leaf] of wanted.entries()) expect(branches[i]!.probability).toBeCloseTo(leaf.probability, 9);
      }),
    );
  });

  test('a sample adds up to 1, holds nothing that cannot be, and is the same at every run', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 8 }), (root, limit) => {
        const first = run(root, limit);
        expect(first.branches.reduce((sum, b) => sum + b.probability, 0)).toBeCloseTo(1, 9);
        const possible = new Set(leaves(root).map((leaf) => leaf.server));
        for (const { server } of first.branches) expect(possible.has(server!)).toBe(true);
        expect(run(root, limit)).toEqual(first);
      }),
    );
  });
});
