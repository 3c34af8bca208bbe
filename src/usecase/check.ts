import type { Check } from '../kubernetes/model/check.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { API_VERSION } from '../trace/trace.ts';
import type { CheckReport, CheckResult } from '../trace/check-report.ts';
import { evaluate } from './expectations.ts';
import { openLaboratory } from './laboratory.ts';
import type { Engine, LaboratoryOptions, LaboratoryResult } from './laboratory.ts';
import { ask } from './question.ts';
import { parseRef } from './refs/parse.ts';

export interface CheckOptions extends Omit<LaboratoryOptions, 'coldNeighbours'> {
  /** Default namespace of references; "default" when left out. */
  readonly namespace?: string;
  /** Told before each check how many have run: a large file may take a while. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Runs every check of a scenario, each over a fresh state. A check that can't be run fails with the reason. */
export function runChecks(scenario: Scenario, options: CheckOptions, engine: Engine): CheckReport {
  const laboratories = new Map<boolean, LaboratoryResult>();
  const laboratoryFor = (coldNeighbours: boolean): LaboratoryResult => {
    const opened = laboratories.get(coldNeighbours) ?? openLaboratory(scenario.cluster, { ...options, coldNeighbours }, engine);
    laboratories.set(coldNeighbours, opened);
    return opened;
  };
  const namespace = options.namespace ?? 'default';
  const checks = scenario.checks.map((check, i) => {
    options.onProgress?.(i, scenario.checks.length);
    return runCheck(check, laboratoryFor(check.coldNeighbours), scenario.assumptions, namespace);
  });
  const passed = checks.filter((check) => check.ok).length;
  return { apiVersion: API_VERSION, kind: 'CheckReport', passed, failed: checks.length - passed, checks };
}

function runCheck(check: Check, opened: LaboratoryResult, assumptions: readonly string[], namespace: string): CheckResult {
  const { name, from, to, position } = check;
  const where = { name, file: position?.file ?? '', line: position?.line ?? 0, column: position?.column ?? 0 };
  const failed = (error: string): CheckResult => ({
    ...where,
    from,
    to,
    ok: false,
    expectations: [],
    error,
    outcomes: [],
    assumptions,
  });
  if (!opened.ok) return failed(opened.diagnostics.map((diagnostic) => diagnostic.message).join('; '));
  const unknown = unknownExpectation(check);
  if (unknown !== null) return failed(unknown);
  const answer = ask(opened.laboratory, { probe: check, before: check.before, namespace, noReply: false });
  if (!answer.ok) return failed(answer.message);
  const { outcomes, plan } = answer.value;
  const expectations = evaluate(check.expect, outcomes, opened.laboratory.cluster, namespace);
  return {
    ...where,
    from: plan.source.label,
    to: plan.destination.label,
    ok: expectations.every((expectation) => expectation.ok),
    expectations,
    outcomes,
    assumptions: [...new Set([...assumptions, ...answer.value.assumptions])],
  };
}

/** A server that can't be named by any reference is a mistake of the check, not an answer. */
function unknownExpectation({ expect }: Check): string | null {
  for (const server of [...(expect.server === undefined ? [] : [expect.server]), ...(expect.servers ?? [])]) {
    const parsed = parseRef(server);
    if (!parsed.ok) return `expect: ${parsed.message}`;
  }
  return null;
}
