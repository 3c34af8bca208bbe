import { runCase } from './case.ts';
import type { LabCheck } from '../../../src/trace/lab-report.ts';
import type { ClusterDraft } from './cluster.ts';

/** Removes from a case whatever the difference does not need: other checks, commands one by one, services, pods, hosts' options. */
export async function shrink(draft: ClusterDraft, failing: LabCheck, lab: string, packageRoot: string): Promise<ClusterDraft> {
  const differs = async (candidate: ClusterDraft): Promise<boolean> => {
    try {
      const [result] = await runCase(candidate, lab, packageRoot);
      return (
        result !== undefined &&
        !result.agrees &&
        result.error === undefined &&
        result.difference?.what === failing.difference?.what
      );
    } catch {
      return false;
    }
  };
  const only = structuredClone(draft);
  only.scenario.checks = only.scenario.checks.filter(({ name }) => name === failing.name);
  if (!(await differs(only))) return draft;
  let best = only;
  for (let progress = true; progress; ) {
    progress = false;
    for (const candidate of candidates(best)) {
      if (!(await differs(candidate))) continue;
      best = candidate;
      progress = true;
      break;
    }
  }
  return best;
}

/** Every case with one thing less, the largest things first. */
function* candidates(draft: ClusterDraft): Generator<ClusterDraft> {
  const changed = (change: (copy: ClusterDraft) => void): ClusterDraft => {
    const copy = structuredClone(draft);
    change(copy);
    return copy;
  };
  const hosts = (copy: ClusterDraft) => [...copy.scenario.nodes, ...copy.scenario.pods, ...copy.scenario.external];
  for (const [i, host] of hosts(draft).entries()) {
    if ((host.commands ?? []).length > 1) yield changed((copy) => delete hosts(copy)[i]!.commands);
  }
  for (let i = 0; i < draft.services.length; i++) yield changed((copy) => copy.services.splice(i, 1));
  if (draft.scenario.underlay.commands) yield changed((copy) => delete copy.scenario.underlay.commands);
  for (const [i, pod] of draft.scenario.pods.entries()) {
    const text = JSON.stringify(draft.scenario.checks);
    if (!text.includes(`pod/${pod.name}"`)) yield changed((copy) => copy.scenario.pods.splice(i, 1));
  }
  for (const [i, host] of hosts(draft).entries()) {
    for (let c = 0; c < (host.commands ?? []).length; c++) yield changed((copy) => hosts(copy)[i]!.commands!.splice(c, 1));
    for (const key of ['sysctls', 'mtu', 'hairpinMode']) if (key in host) yield changed((copy) => delete hosts(copy)[i]![key]);
  }
  for (const key of ['before', 'payload', 'dontFragment', 'ttl']) {
    if (draft.scenario.checks[0] && key in draft.scenario.checks[0])
      yield changed((copy) => delete copy.scenario.checks[0]![key]);
  }
}
