import type { Check } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { API_VERSION } from '../trace/trace.ts';
import type { CheckReport, CheckResult } from '../trace/check-report.ts';
import type { Outcome } from '../trace/outcome.ts';
import { evaluate } from './expectations.ts';
import { allChecks } from './find-check.ts';
import { completeScenario, withNeededServices } from './needed-services.ts';
import { openLaboratory } from './laboratory.ts';
import type { Engine, LaboratoryOptions, LaboratoryResult } from './laboratory.ts';
import { ask } from './question.ts';
import type { Answer } from './question.ts';
import { parseRef } from './refs/parse.ts';
import { refused } from './refs/ref.ts';
import type { Result } from './refs/ref.ts';
import { goThrough } from './timeline.ts';

export interface CheckOptions extends Omit<LaboratoryOptions, 'coldNeighbours'> {
  /** Default namespace of references; "default" when left out. */
  readonly namespace?: string;
  /** Told before each check how many have run: a large file may take a while. */
  readonly onProgress?: (done: number, total: number) => void;
  /** false: outcomes come without events, which many checks of many branches fill gigabytes with. */
  readonly events?: boolean;
}

/**
 * Runs every check of a scenario: each over a fresh state, or, in a scenario with steps, all of them in order over one state. A check
 * that can't be run fails with the reason.
 */
export function runChecks(given: Scenario, options: CheckOptions, engine: Engine): CheckReport {
  const probes = allChecks(given).flatMap((check) => [check, ...check.before]);
  const scenario = given.steps.length > 0 ? completeScenario(given, probes, options.namespace ?? 'default') : given;
  const checks = scenario.steps.length > 0 ? runInOrder(scenario, options, engine) : runApart(scenario, options, engine);
  const passed = checks.filter((check) => check.ok).length;
  return { apiVersion: API_VERSION, kind: 'CheckReport', passed, failed: checks.length - passed, checks };
}

function runApart(scenario: Scenario, options: CheckOptions, engine: Engine): CheckResult[] {
  const laboratories = new Map<string, LaboratoryResult>();
  const laboratoryFor = (cluster: Cluster, kind: string, { coldNeighbours, ...check }: Check): LaboratoryResult => {
    const proxyMode = options.proxyMode ?? check.proxyMode;
    const key = `${coldNeighbours} ${proxyMode} ${kind}`;
    const asked = { ...options, coldNeighbours, ...(proxyMode !== undefined && { proxyMode }) };
    const opened = laboratories.get(key) ?? openLaboratory(cluster, asked, engine);
    laboratories.set(key, opened);
    return opened;
  };
  const namespace = options.namespace ?? 'default';
  return scenario.checks.map((check, i) => {
    options.onProgress?.(i, scenario.checks.length);
    const { cluster, assumptions, added } = withNeededServices(scenario.cluster, [check, ...check.before], namespace);
    const opened = laboratoryFor(cluster, [...added].sort().join(), check);
    const answer = opened.ok
      ? ask(opened.laboratory, { probe: check, before: check.before, namespace, noReply: false })
      : refused('');
    return kept(resultOf(check, opened, answer, [...scenario.assumptions, ...assumptions], namespace), options);
  });
}

function runInOrder(scenario: Scenario, options: CheckOptions, engine: Engine): CheckResult[] {
  const results: CheckResult[] = [];
  const total = scenario.steps.reduce((sum, step) => sum + step.checks.length, scenario.checks.length);
  goThrough(scenario, options, engine, ({ check, step, opened, state, question, notes }) => {
    options.onProgress?.(results.length, total);
    const answer = !question.ok ? question : opened.ok ? ask(opened.laboratory, question.value, state) : refused('');
    const assumptions = [...scenario.assumptions, ...notes];
    const result = kept(resultOf(check, opened, answer, assumptions, options.namespace ?? 'default'), options);
    results.push(step === null ? result : { ...result, step: step.name });
    return answer;
  });
  return results;
}

function kept(result: CheckResult, { events = true }: CheckOptions): CheckResult {
  return events ? result : { ...result, outcomes: result.outcomes.map(withoutEvents) };
}

function withoutEvents({ data: _, ...outcome }: Outcome): Outcome {
  return { ...outcome, request: [], reply: [], ack: [], legs: [] };
}

/** `answer` counts where the cluster could be `opened`. */
function resultOf(
  check: Check,
  opened: LaboratoryResult,
  answer: Result<Answer>,
  assumptions: readonly string[],
  namespace: string,
): CheckResult {
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
  if (!answer.ok) return failed(answer.message);
  const { outcomes, journey } = answer.value;
  const expectations = evaluate(check.expect, outcomes, opened.laboratory.cluster, namespace);
  return {
    ...where,
    from: journey.from,
    to: journey.to,
    ok: expectations.every((expectation) => expectation.ok),
    expectations,
    outcomes,
    assumptions: [...new Set([...assumptions, ...answer.value.assumptions])],
  };
}

/** A server that can't be named by any reference is a mistake of the check, not an answer. */
function unknownExpectation({ expect }: Check): string | null {
  for (const server of [...(expect.server == null ? [] : [expect.server]), ...(expect.servers ?? [])]) {
    const parsed = parseRef(server);
    if (!parsed.ok) return `expect: ${parsed.message}`;
  }
  return null;
}
