import { loadScenario } from '../../../src/scenario/load.ts';
import type { Scenario, ScenarioResult } from '../../../src/scenario/scenario.ts';

/** Loads texts as files a.yaml, b.yaml ...; `dumps` are the files that a scenario may name. */
export function load(texts: string | readonly string[], dumps: Readonly<Record<string, string>> = {}): ScenarioResult {
  const list = typeof texts === 'string' ? [texts] : texts;
  const files = list.map((text, i) => ({ name: `${String.fromCharCode(97 + i)}.yaml`, text }));
  return loadScenario(files, { readFile: (path) => dumps[path] ?? null });
}

/** The scenario of a text that must be right. */
export function scenarioOf(texts: string | readonly string[], dumps: Readonly<Record<string, string>> = {}): Scenario {
  const result = load(texts, dumps);
  if (!result.ok)
    throw new Error(result.diagnostics.map((d) => `${d.position?.line}:${d.position?.column} ${d.message}`).join('\n'));
  return result.scenario;
}

/** "line:column code message" of every diagnostic, whatever the result; those of other files than the first with the file's name. */
export function diagnosticsOf(texts: string | readonly string[]): readonly string[] {
  const result = load(texts);
  return (result.ok ? result.scenario.diagnostics : result.diagnostics).map(({ position, code, message, hint }) => {
    const file = position !== null && position.file !== 'a.yaml' ? `${position.file}:` : '';
    const place = position === null ? '-' : `${file}${position.line}:${position.column}`;
    return `${place} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}
