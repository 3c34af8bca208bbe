import { loadScenario } from '../../../../src/scenario/load.ts';
import { engine } from '../../../../src/usecase/engine.ts';
import { traceConnection } from '../../../../src/usecase/trace.ts';
import type { Probe } from '../../../../src/kubernetes/model/check.ts';
import type { Scenario } from '../../../../src/scenario/scenario.ts';
import type { Trace } from '../../../../src/trace/trace.ts';

const PLAIN: Omit<Probe, 'from' | 'to'> = {
  protocol: null,
  sourcePort: null,
  sourceAddress: null,
  payload: null,
  dontFragment: null,
  ttl: null,
  backend: null,
  via: null,
};

/** @throws when the text is not a scenario */
export function load(text: string): Scenario {
  const loaded = loadScenario([{ name: 'test.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('; '));
  return loaded.scenario;
}

/** @throws when the question is refused */
export function trace(
  scenario: Scenario,
  probe: Pick<Probe, 'from' | 'to'> & Partial<Probe>,
  commands: readonly { readonly host: string; readonly command: string }[] = [],
  noReply = false,
): Trace {
  const result = traceConnection(scenario, { ...PLAIN, ...probe }, { commands, noReply }, engine);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('; '));
  return result.trace;
}
