import { describe, expect, test } from 'vitest';
import { separateScenarios } from '../../../src/scenario/separate.ts';

const WHOLE = 'nodes: [{ name: n, ip: 10.0.0.2 }]\nchecks: [{ from: node/n, to: node/n }]';
const STEPS = 'nodes: [{ name: n, ip: 10.0.0.2 }]\nsteps: [{ checks: [{ from: node/n, to: node/n }] }]';
const OBJECTS = 'apiVersion: v1\nkind: Node\nmetadata: { name: n }\n---\nchecks: [{ from: node/n, to: node/n }]';
const CLUSTER = 'nodes: [{ name: n, ip: 10.0.0.2 }]';
const CHECKS = 'checks: [{ from: node/n, to: node/n }]';
const MANIFEST = 'apiVersion: v1\nkind: Service\nmetadata: { name: checks }';
const BROKEN = 'checks: [\nnodes: [';

function separated(...texts: readonly string[]): readonly string[] {
  const files = texts.map((text, i) => ({ name: String.fromCharCode(97 + i), text }));
  return separateScenarios(files).map((group) => group.map(({ name }) => name).join(''));
}

describe('separateScenarios', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['one file', [WHOLE], ['a']],
    ['a cluster and its checks', [CLUSTER, CHECKS, CHECKS], ['abc']],
    ['one scenario and more', [WHOLE, CHECKS, MANIFEST], ['abc']],
    ['two scenarios', [WHOLE, WHOLE], ['a', 'b']],
    ['with steps, with objects', [STEPS, OBJECTS], ['a', 'b']],
    ['others go to each, in their place', [MANIFEST, WHOLE, CHECKS, STEPS], ['abc', 'acd']],
    ['what cannot be parsed goes to each', [WHOLE, BROKEN, WHOLE], ['ab', 'bc']],
  ])('%s', (_, texts, expected) => {
    expect(separated(...texts)).toEqual(expected);
  });
});
