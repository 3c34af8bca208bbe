import { dump } from 'js-yaml';
import { runCampaigns } from '../../../src/cli/lab/session.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { engine } from '../../../src/usecase/engine.ts';
import { planCampaigns } from '../../../src/usecase/lab/campaign.ts';
import { openLaboratory } from '../../../src/usecase/laboratory.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import type { LabCheck } from '../../../src/trace/lab-report.ts';
import type { ClusterDraft } from './cluster.ts';

/** A generated case as a scenario file. */
export function scenarioText({ scenario, services }: ClusterDraft, title?: string): string {
  const documents = [scenario, ...services.flatMap((service) => service.documents)];
  const text = documents.map((document) => dump(document, { lineWidth: 150, flowLevel: 3 })).join('---\n');
  return title === undefined ? text : `# ${title}\n${text}`;
}

/** Loads a generated case. @throws Error when it is no valid scenario: a fault of the generator */
export function loadCase(draft: ClusterDraft): Scenario {
  const loaded = loadScenario([{ name: 'case.yaml', text: scenarioText(draft) }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  return loaded.scenario;
}

/** Takes out the commands that the simulation refuses, and says which. */
export function withoutRefused(draft: ClusterDraft): { readonly draft: ClusterDraft; readonly refused: readonly string[] } {
  const refused: string[] = [];
  let current = draft;
  for (;;) {
    const opened = openLaboratory(loadCase(current).cluster, {}, engine);
    if (opened.ok) return { draft: current, refused };
    const messages = opened.diagnostics.map(({ message }) => message);
    const next = structuredClone(current);
    let removed = 0;
    for (const host of [...next.scenario.nodes, ...next.scenario.pods, ...next.scenario.external]) {
      const kept = (host.commands ?? []).filter((command) => !messages.some((message) => message.includes(`: ${command}: `)));
      removed += (host.commands ?? []).length - kept.length;
      host.commands = kept;
    }
    if (removed === 0) throw new Error(messages.join('\n'));
    refused.push(...messages);
    current = next;
  }
}

/** Puts every check of a case to the kernel. */
export async function runCase(draft: ClusterDraft, lab: string, packageRoot: string): Promise<readonly LabCheck[]> {
  const scenario = loadCase(draft);
  const { campaigns, refused } = planCampaigns(scenario, scenario.checks, { lab, namespace: 'default' }, engine);
  return [...refused, ...(await runCampaigns(campaigns, packageRoot))];
}
