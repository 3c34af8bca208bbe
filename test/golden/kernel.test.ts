import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { HookName, TraceEvent } from '../../src/trace/event.ts';
import type { Outcome } from '../../src/trace/outcome.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';

/** Chains in which kube-proxy's order of services is free: their rules are compared by text. */
const SHARED = new Set(['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-EXTERNAL-SERVICES', 'KUBE-PROXY-FIREWALL']);
/** What cases may need beyond iptables mode, and k8snet has. */
const MODELLED_NEEDS = new Set(['kube-proxy in nftables mode']);
const PARTS = ['request', 'reply', 'ack'] as const;

interface TruthEvent {
  readonly kind: string;
  readonly host: string;
  readonly hook?: string;
  readonly table?: string;
  readonly chain?: string;
  readonly rule?: number;
  readonly text?: string;
  readonly verdict?: string;
}

interface Truth {
  readonly outcome: { readonly verdict: string; readonly server?: string | null; readonly source?: string | null };
  readonly request: readonly TruthEvent[];
  readonly reply: readonly TruthEvent[];
  readonly ack: readonly TruthEvent[] | null;
}

function ruleLine(event: TruthEvent | (TraceEvent & { readonly hook?: HookName })): string[] {
  if (event.kind !== 'rule') return [];
  const { host, hook, table, chain, rule, text, verdict } = event as TruthEvent;
  const which = SHARED.has(chain ?? '') ? text?.split(/\s+/).join(' ') : rule;
  return [`${host} ${hook?.toUpperCase()} ${table} ${chain} ${which} ${verdict}`];
}

function load(folder: URL): Scenario {
  const file = new URL('scenario.yaml', folder);
  const readFile = (path: string): string | null => {
    const wanted = new URL(path, folder);
    return existsSync(wanted) ? readFileSync(wanted, 'utf8') : null;
  };
  const loaded = loadScenario([{ name: file.pathname, text: readFileSync(file, 'utf8') }], { readFile });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => `${d.code}: ${d.message}`).join('\n'));
  return loaded.scenario;
}

function trace(scenario: Scenario): Trace {
  const check = scenario.checks[0];
  if (!check) throw new Error('the scenario has no check');
  const traced = traceConnection(scenario, check, { before: check.before, coldNeighbours: check.coldNeighbours }, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join('\n'));
  return traced.trace;
}

/** The outcome that the kernel happened to have. */
function sameOutcome(outcomes: readonly Outcome[], { outcome }: Truth): Outcome {
  const same = outcomes.find((o) => o.verdict === outcome.verdict && o.server === (outcome.server ?? null));
  return same ?? outcomes[0]!;
}

for (const set of ['kernel', 'kernel-random']) {
  const root = new URL(`${set}/`, import.meta.url);
  const folders = existsSync(root) ? readdirSync(root).toSorted() : [];
  describe(`what the kernel did: ${set}`, () => {
    for (const name of folders) {
      const folder = new URL(`${name}/`, root);
      const needs = new URL('needs', folder);
      const need = existsSync(needs) ? readFileSync(needs, 'utf8').trim() : null;
      if (need !== null && !MODELLED_NEEDS.has(need)) {
        test.skip(`${name} needs ${need}`, () => {});
        continue;
      }
      test(name, () => {
        const truth = JSON.parse(readFileSync(new URL('truth.json', folder), 'utf8')) as Truth;
        const outcome = sameOutcome(trace(load(folder)).outcomes, truth);
        const wanted = {
          verdict: truth.outcome.verdict,
          server: truth.outcome.server ?? outcome.server,
          source: truth.outcome.source ?? outcome.source,
          rules: Object.fromEntries(PARTS.map((part) => [part, (truth[part] ?? []).flatMap(ruleLine)])),
        };
        const { verdict, server, source } = outcome;
        const rules = Object.fromEntries(PARTS.map((part) => [part, outcome[part].flatMap(ruleLine)]));
        expect({ verdict, server, source, rules }).toEqual(wanted);
      });
    }
  });
}
