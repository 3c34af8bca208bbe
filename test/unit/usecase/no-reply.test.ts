import { expect, test } from 'vitest';
import { engine } from '../../../src/usecase/engine.ts';
import { traceConnection } from '../../../src/usecase/trace.ts';
import { BASE, command, scenario } from './cause/lab.ts';
import { probe } from './fixtures.ts';

test.each([
  ['arrives', 'pod/web-2:8080', [], 'connected', null],
  ['comes to a closed port', 'pod/web-2:81', [], 'refused', 'port-not-listening'],
  ['is dropped', 'pod/web-2:8080', ['node-2: iptables -I FORWARD -p tcp -j DROP'], 'timeout', 'rule-drop'],
])('a request that is not followed further %s', (_what, to, commands, verdict, code) => {
  const options = { noReply: true, commands: commands.map(command) };
  const traced = traceConnection(scenario(BASE), probe('pod/client', to), options, engine);
  const [outcome] = traced.ok ? traced.trace.outcomes : [];
  expect([outcome?.verdict, outcome?.cause?.code ?? null]).toEqual([verdict, code]);
});
