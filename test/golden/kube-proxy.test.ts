import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../src/kernel/netfilter/iptables/edit.ts';
import { parseSave } from '../../src/kernel/netfilter/iptables/save-format/parse.ts';
import { printSave } from '../../src/kernel/netfilter/iptables/save-format/print.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { recogniseRule, serviceIndexOf } from '../../src/usecase/explain/index.ts';
import { diffRules } from '../../src/usecase/rules-diff/index.ts';
import { nodeRules } from '../../src/usecase/rules.ts';
import { compareRules } from '../support/compare-rules.ts';
import type { IptablesTables } from '../../src/kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../src/kubernetes/model/cluster.ts';

/** What real kube-proxy 1.30.5 left in a fresh namespace, as iptables-save printed it; input.yaml is what it was given. */
const ROOT = new URL('.', import.meta.url).pathname;
const FAMILIES = [
  { family: 4, file: 'iptables.txt' },
  { family: 6, file: 'ip6tables.txt' },
] as const;

describe.each(['kube-proxy', 'kube-proxy-random'])('%s', (set) => {
  const cases = readdirSync(`${ROOT}${set}`).flatMap((name) =>
    FAMILIES.filter(({ file }) => existsSync(`${ROOT}${set}/${name}/${file}`)).map((family) => ({ name, ...family })),
  );

  test.each(cases)('$name $file', ({ name, family, file }) => {
    const folder = `${ROOT}${set}/${name}`;
    const { cluster, tables } = compile(folder, family);
    const real = readFileSync(`${folder}/${file}`, 'utf8');
    expect(compareRules(real, printSave(tables, family))).toEqual([]);
    expect(misread(cluster, tables)).toEqual([]);

    const saved = parseSave(real, file);
    const actual = family === 4 ? saved.tables : saved.tables6;
    expect(saved.diagnostics).toEqual([]);
    expect(diffRules({ cluster, node: 'node', family, component: 'kube-proxy', expected: tables, actual })).toMatchObject({
      same: true,
      foreign: [],
    });
  });
});

function compile(folder: string, family: 4 | 6): { readonly cluster: Cluster; readonly tables: IptablesTables } {
  const result = loadScenario([{ name: 'input.yaml', text: readFileSync(`${folder}/input.yaml`, 'utf8') }], { readFile: () => null });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  const { cluster } = result.scenario;
  const rules = nodeRules(cluster, readFileSync(`${folder}/node`, 'utf8').trim(), { component: 'kube-proxy', family });
  if (!rules.ok) throw new Error(rules.message);
  return { cluster, tables: rules.tables };
}

/** Rules whose text alone is recognised as something else than what they were compiled for. */
function misread(cluster: Cluster, tables: IptablesTables): readonly string[] {
  const index = serviceIndexOf(cluster);
  return [...tables.values()].flatMap((table) =>
    [...table.chainNames()].flatMap((name) =>
      linesOf(table.chain(name)!)
        .filter(({ body, origin }) => {
          const read = recogniseRule(table.name, name, body, index)?.origin;
          return read?.role !== origin?.role || read?.object !== origin?.object;
        })
        .map(({ body }) => `${table.name}/${name} ${body}`),
    ),
  );
}
