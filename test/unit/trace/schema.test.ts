import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonText } from '../../../src/render/json.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { CAUSE_CODES, VERDICTS } from '../../../src/trace/outcome.ts';
import { runChecks } from '../../../src/usecase/check.ts';
import { engine } from '../../../src/usecase/engine.ts';
import { traceConnection } from '../../../src/usecase/trace.ts';
import { runCli } from '../../robustness/run-cli.ts';
import { validateSchema } from '../../support/json-schema.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import type { TraceEvent } from '../../../src/trace/event.ts';
import type { Schema } from '../../support/json-schema.ts';

const ROOT = join(import.meta.dirname, '../../..');
const schema = JSON.parse(readFileSync(join(ROOT, 'schema/trace.schema.json'), 'utf8')) as Schema;

/** Every kind of event; the compiler sees to it that none is forgotten. */
const EVENT_KINDS: Readonly<Record<TraceEvent['kind'], true>> = {
  socket: true,
  tx: true,
  rx: true,
  bridge: true,
  rule: true,
  policy: true,
  nat: true,
  conntrack: true,
  route: true,
  neighbour: true,
  encapsulate: true,
  decapsulate: true,
  drop: true,
  proxy: true,
};

function scenarioAt(file: string): Scenario {
  const readFile = (path: string, relativeTo: string): string | null => {
    const full = join(dirname(relativeTo), path);
    return existsSync(full) ? readFileSync(full, 'utf8') : null;
  };
  const loaded = loadScenario([{ name: file, text: readFileSync(file, 'utf8') }], { readFile });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  return loaded.scenario;
}

/** What is wrong with a document as it is printed, seen as one of a kind: messages about the other kinds help nobody. */
function problems(kind: string, document: object): readonly string[] {
  return validateSchema({ ...schema, anyOf: [{ $ref: `#/$defs/${kind}` }] }, JSON.parse(jsonText(document)));
}

function filesUnder(folder: string, name: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(name))
    .toSorted()
    .map((file) => join(ROOT, folder, file));
}

describe('the schema of documents', () => {
  test('is what the types say', () => {
    const made = execFileSync(process.execPath, [join(ROOT, 'scripts/trace-schema.mjs')], { encoding: 'utf8' });
    expect(schema).toEqual(JSON.parse(made));
  });

  test('has the verdicts and cause codes, and no others', () => {
    expect(schema.$defs?.Outcome?.properties?.verdict).toEqual({ $ref: '#/$defs/Verdict' });
    expect(schema.$defs?.Verdict?.enum).toEqual(VERDICTS);
    expect(schema.$defs?.CauseCode?.enum).toEqual(CAUSE_CODES);
  });

  test('has the kinds of events, and no others', () => {
    const events = schema.$defs?.TraceEvent?.anyOf ?? [];
    const kinds = events.flatMap(({ $ref }) => schema.$defs?.[$ref!.replace('#/$defs/', '')]?.properties?.kind?.enum ?? []);
    expect(kinds.toSorted()).toEqual(Object.keys(EVENT_KINDS).toSorted());
  });

  test('refuses what is no document', () => {
    expect(validateSchema(schema, { apiVersion: 'k8snet/v1', kind: 'Trace' })).not.toEqual([]);
    expect(validateSchema(schema, {})).not.toEqual([]);
  });
});

describe('documents are valid', () => {
  test.each(['kernel', 'kernel-random'])('every walk of test/golden/%s', { timeout: 180_000 }, (set) => {
    const files = filesUnder(`test/golden/${set}`, 'scenario.yaml');
    expect(files.length).toBeGreaterThan(0);
    const found = files.flatMap((file) => {
      const scenario = scenarioAt(file);
      const [check] = scenario.checks;
      if (check === undefined) return [`${file}: no check`];
      const traced = traceConnection(scenario, check, { before: check.before, coldNeighbours: check.coldNeighbours }, engine);
      return traced.ok ? problems('Trace', traced.trace).map((problem) => `${file} ${problem}`) : [`${file}: refused`];
    });
    expect(found).toEqual([]);
  });

  test('the report of every scenario', { timeout: 180_000 }, () => {
    const found = filesUnder('scenarios', '.yaml').flatMap((file) =>
      problems('CheckReport', runChecks(scenarioAt(file), {}, engine)).map((problem) => `${file} ${problem}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    ['TraceList', ['trace', '--repeat', '3', '-o', 'json']],
    ['TraceList', ['trace', '--proxy-mode', 'iptables,ipvs,nftables', '-o', 'json']],
    ['CheckReport', ['check', '--do', 'node-2: sysctl -w net.ipv4.ip_forward=0', '-o', 'json']],
    [
      'RulesDiff',
      ['rules', '--node', 'node-1', '--diff', 'test/golden/iptables-save/01-kubeproxy-1.18-iptables-flannel.save', '-o', 'json'],
    ],
    ['Explanation', ['explain', 'svc/web', '-o', 'json']],
    ['Explanation', ['explain', 'KUBE-SERVICES', '-o', 'json']],
    ['Explanation', ['explain', 'pod/web-1', '-o', 'json']],
    ['Explanation', ['explain', 'node/node-1', '-o', 'json']],
    ['Explanation', ['explain', '10.96.0.20:80', '-o', 'json']],
  ])('%s of k8snet %j', async (kind, argv) => {
    const { out } = await runCli(argv);
    const document = JSON.parse(out) as { readonly kind: string };
    expect(document.kind).toBe(kind);
    expect(problems(kind, document)).toEqual([]);
    expect(validateSchema(schema, document)).toEqual([]);
  });
});
