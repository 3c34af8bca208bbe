import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addTopologyCommand } from '../../../src/cli/commands/topology.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { CommandResult } from '../../../src/cli/program.ts';

const IO: Io = {
  out: () => {},
  err: () => {},
  stdoutIsTerminal: false,
  stderrIsTerminal: false,
  columns: undefined,
  env: {},
  readStdin: async () => '',
  packageRoot: join(import.meta.dirname, '../../..'),
};

test('a topology as JSON comes piece by piece: that of a large cluster is too long for one string', async () => {
  const results: CommandResult[] = [];
  const program = new Command('k8snet');
  addTopologyCommand(program, IO, async (work) => {
    results.push(await work());
  });
  await program.parseAsync(['topology', join(IO.packageRoot, 'scenarios/tutorial.yaml'), '-o', 'json'], { from: 'user' });
  const { stdout } = results[0]!;
  expect(typeof stdout).not.toBe('string');
  const parts = [...stdout];
  expect(parts.length).toBeGreaterThan(10);
  expect(JSON.parse(parts.join(''))).toMatchObject({ kind: 'Topology', nodes: [{ name: 'node-1' }, { name: 'node-2' }] });
});
