import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadScenario } from '../../src/scenario/load.ts';
import { runChecks } from '../../src/usecase/check.ts';
import { engine } from '../../src/usecase/engine.ts';
import type { Check } from '../../src/kubernetes/model/check.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { CheckReport } from '../../src/trace/check-report.ts';
import type { TraceEvent } from '../../src/trace/event.ts';
import type { Outcome } from '../../src/trace/outcome.ts';

export const FOLDER = fileURLToPath(new URL('../../scenarios', import.meta.url));

/** The scenarios of the gallery, by file name. */
export const FILES: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .sort();

export function textOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

/** The lines of the comment at the head of a scenario, without the mark and without the line for editors. */
export function commentOf(text: string): readonly string[] {
  const lines = text.split('\n').slice(1);
  const start = lines.findIndex((line) => line !== '');
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith('#'));
  return lines.slice(start, end).map((line) => line.replace(/^# ?/, ''));
}

/** @throws Error with what is wrong with the file */
export function scenarioOf(name: string): Scenario {
  const readFile = (path: string, relativeTo: string): string | null => {
    const full = join(dirname(relativeTo), path);
    return existsSync(full) ? readFileSync(full, 'utf8') : null;
  };
  const loaded = loadScenario([{ name: join(FOLDER, name), text: textOf(name) }], { readFile });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => `${basename(name)}: ${message}`).join('\n'));
  return loaded.scenario;
}

/** All checks of a scenario, those of its steps included. */
export function checksOf(scenario: Scenario): readonly Check[] {
  return [...scenario.checks, ...scenario.steps.flatMap((step) => step.checks)];
}

const REPORTS = new Map<string, CheckReport>();

/** The report of a scenario's checks, made once. */
export function reportOf(name: string): CheckReport {
  const report = REPORTS.get(name) ?? runChecks(scenarioOf(name), {}, engine);
  REPORTS.set(name, report);
  return report;
}

/** What came of all checks of all scenarios. */
export function allOutcomes(): readonly Outcome[] {
  return FILES.flatMap((name) => reportOf(name).checks.flatMap((check) => check.outcomes));
}

export function eventsOf({ request, reply, ack, data = [] }: Outcome): readonly TraceEvent[] {
  return [...request, ...reply, ...ack, ...data];
}
