import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import type { ProxyMode } from '../../src/kubernetes/model/cluster.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Trace } from '../../src/trace/trace.ts';

/** A scenario from its text, and the texts of the files that it names. */
export function scenarioOf(text: string, files: Readonly<Record<string, string>> = {}): Scenario {
  const loaded = loadScenario([{ name: 'scenario.yaml', text }], { readFile: (name) => files[name] ?? null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  return loaded.scenario;
}

/** The trace of a scenario's check, by its number from 1. */
export function traceCheck(scenario: Scenario, number = 1, proxyMode?: ProxyMode): Trace {
  const check = scenario.checks[number - 1]!;
  const options = { before: check.before, check, coldNeighbours: check.coldNeighbours, ...(proxyMode && { proxyMode }) };
  const result = traceConnection(scenario, check, options, engine);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join('\n'));
  return result.trace;
}
