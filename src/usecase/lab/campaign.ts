import { API_VERSION } from '../../trace/trace.ts';
import { openLaboratory } from '../laboratory.ts';
import { withNeededServices } from '../needed-services.ts';
import { LabError } from './lab-error.ts';
import { needsFreshLab } from './fresh-lab.ts';
import { planLab } from './plan-lab.ts';
import { judgeVerification, planVerification } from './verify.ts';
import type { Check } from '../../kubernetes/model/check.ts';
import type { ProxyMode } from '../../kubernetes/model/cluster.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { LabCheck, LabReport } from '../../trace/lab-report.ts';
import type { Engine, LaboratoryOptions } from '../laboratory.ts';
import type { LabName } from './names.ts';
import type { Observation } from './observation.ts';
import type { LabPlan } from './plan-lab.ts';
import type { PlannedProbe, Verification } from './verify.ts';

/** Checks that can be run one after the other in one lab. */
export interface Campaign {
  readonly lab: LabPlan;
  readonly tasks: readonly Task[];
}

/** One check: connections to make in order, and what to make of what was observed. */
export interface Task {
  readonly check: Check;
  readonly probes: readonly PlannedProbe[];
  readonly judge: (observations: readonly Observation[]) => LabCheck;
}

export interface CampaignPlan {
  readonly campaigns: readonly Campaign[];
  /** Checks that can't be run, and those that send nothing. */
  readonly refused: readonly LabCheck[];
}

export interface CampaignOptions extends Omit<LaboratoryOptions, 'coldNeighbours'> {
  readonly lab: LabName;
  /** Default namespace of references. */
  readonly namespace: string;
}

/**
 * Plans how to put the checks of a scenario to a real kernel: in one lab as far as they don't disturb each other.
 * @throws LabError where no check's cluster can be built
 */
export function planCampaigns(
  scenario: Scenario,
  checks: readonly Check[],
  options: CampaignOptions,
  engine: Engine,
): CampaignPlan {
  const campaigns: Campaign[] = [];
  const refused: LabCheck[] = [];
  const apart = needsFreshLab(scenario.cluster);
  const groups = alike(checks, options);
  for (const wanted of groups) {
    const { coldNeighbours } = wanted[0]!;
    const proxyMode = modeOf(wanted[0]!, options);
    const asked = { ...options, coldNeighbours, ...(proxyMode !== undefined && { proxyMode }) };
    // Where one check needs a service that every cluster has, the others don't mind it.
    const probes = wanted.flatMap((check) => [check, ...check.before]);
    const { cluster } = withNeededServices(scenario.cluster, probes, options.namespace);
    const opened = openLaboratory(cluster, asked, engine);
    if (!opened.ok) {
      const error = opened.diagnostics.map(({ message }) => message).join('\n');
      refused.push(...wanted.map((check) => refusedCheck(check, error)));
      continue;
    }
    const { laboratory } = opened;
    const lab = planOrRefuse(() =>
      planLab(laboratory.cluster, {
        name: options.lab,
        coldNeighbours,
        listeners: false,
        unhealthy: laboratory.health.unhealthy,
      }),
    );
    if (lab instanceof LabError) {
      // Where no check's cluster can be built the user has asked for what there is not.
      if (groups.length === 1) throw lab;
      refused.push(...wanted.map((check) => refusedCheck(check, lab.message)));
      continue;
    }
    const tasks: Task[] = [];
    for (const check of wanted) {
      const planned = planVerification(laboratory, check, check.before, options.namespace);
      if (!planned.ok) refused.push(refusedCheck(check, planned.message));
      else if (planned.value.probes.length === 0) refused.push(unsentCheck(check));
      else tasks.push(taskOf(check, planned.value));
    }
    if (apart || coldNeighbours) campaigns.push(...tasks.map((task) => ({ lab, tasks: [task] })));
    else if (tasks.length > 0) campaigns.push({ lab, tasks });
  }
  return { campaigns, refused };
}

function planOrRefuse(plan: () => LabPlan): LabPlan | LabError {
  try {
    return plan();
  } catch (error) {
    if (error instanceof LabError) return error;
    throw error;
  }
}

/** Checks that one lab will do for: warm neighbours first. */
function alike(checks: readonly Check[], options: CampaignOptions): readonly (readonly Check[])[] {
  const groups = new Map<string, Check[]>();
  for (const check of [...checks].sort((a, b) => Number(a.coldNeighbours) - Number(b.coldNeighbours))) {
    const key = `${check.coldNeighbours} ${modeOf(check, options)}`;
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  return [...groups.values()];
}

/** kube-proxy's mode for a check: that of the command line, else the check's own; undefined: the cluster's. */
function modeOf(check: Check, options: CampaignOptions): ProxyMode | undefined {
  return options.proxyMode ?? check.proxyMode;
}

/** All results as one report, in the order of the checks. */
export function labReport(kernel: string, checks: readonly Check[], results: readonly LabCheck[]): LabReport {
  const order = checks.map(({ name }) => name);
  const sorted = [...results].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const agreed = sorted.filter(({ agrees }) => agrees).length;
  return { apiVersion: API_VERSION, kind: 'LabReport', kernel, agreed, differing: sorted.length - agreed, checks: sorted };
}

function taskOf(check: Check, verification: Verification): Task {
  const { name, from, to } = check;
  return {
    check,
    probes: verification.probes,
    judge(observations) {
      const { agrees, ending, probability, difference, connection } = judgeVerification(verification, observations);
      const before = difference !== null && connection < verification.probes.length - 1 ? connection + 1 : null;
      return { name, from, to, agrees, ...ending, probability, difference, before };
    },
  };
}

/** No kernel has anything to say where no connection is made: a service has no address yet. */
function unsentCheck({ name, from, to }: Check): LabCheck {
  const nothing = { server: null, source: null, probability: 1, difference: null, before: null };
  return { name, from, to, agrees: true, verdict: 'unresolved', ...nothing };
}

function refusedCheck({ name, from, to }: Check, error: string): LabCheck {
  return {
    name,
    from,
    to,
    agrees: false,
    verdict: null,
    server: null,
    source: null,
    probability: 0,
    difference: null,
    before: null,
    error,
  };
}
