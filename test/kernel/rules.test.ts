import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rulesText } from '../../src/usecase/rules-text.ts';
import { LAB_OBSTACLE, WHY_SKIPPED } from '../support/kernel-lab.ts';
import { loadCase } from './fuzz/case.ts';
import { generateCase } from './fuzz/generate.ts';

const NAMESPACE = `k8snet-test${process.pid}-rules`;
const SEEDS = Array.from({ length: 12 }, (_, i) => 1000 + i);

function inNamespace(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync('ip', ['netns', 'exec', NAMESPACE, ...args], { input, encoding: 'utf8' });
}

/** A dump without what tells when it was made, and counters at zero. */
function withoutDates(dump: string): string {
  return dump.replace(/^#.*\n/gm, '').replace(/\[\d+:\d+\]/g, '[0:0]');
}

describe.skipIf(LAB_OBSTACLE !== null)(`rules survive iptables-restore and iptables-save${WHY_SKIPPED}`, () => {
  beforeEach(() => void spawnSync('ip', ['netns', 'add', NAMESPACE]));
  afterEach(() => void spawnSync('ip', ['netns', 'del', NAMESPACE]));

  test.each(SEEDS)('seed %i', (seed) => {
    const { cluster } = loadCase(generateCase(seed, 0));
    for (const { name } of cluster.nodes) {
      for (const format of ['iptables-save', 'ip6tables-save'] as const) {
        const text = rulesText(cluster, { node: name, component: 'all', format });
        if (!text.ok) throw new Error(text.message);
        const tool = format.replace('-save', '');
        const restored = inNamespace([`${tool}-restore`], text.value);
        expect(restored.stderr).toBe('');
        expect(restored.status).toBe(0);
        expect(withoutDates(inNamespace([`${tool}-save`]).stdout)).toBe(withoutDates(text.value));
      }
    }
  });
});
