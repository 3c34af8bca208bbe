import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { traceMermaid } from '../../../../src/render/mermaid.ts';
import { mermaidLabel } from '../../../../src/render/mermaid-label.ts';
import { topologyMermaid } from '../../../../src/render/topology/mermaid.ts';
import { engine } from '../../../../src/usecase/engine.ts';
import { traceConnection } from '../../../../src/usecase/trace.ts';
import { probe } from '../../usecase/fixtures.ts';
import { gallery, made, scenarioOf } from '../../usecase/topology-of.ts';
import type { Scenario } from '../../../../src/scenario/scenario.ts';

/** Text of a label as Mermaid's lexers take it: entities are whole, and nothing else in it means anything. */
const LABEL = '(?:[^#;<>&"`\\n%]|%(?!%)|#\\d+;)+';

/** The lines of a flowchart that k8snet writes, as Mermaid's grammar (flow.jison) has them. */
const FLOWCHART = [
  /^flowchart TB$/,
  new RegExp(`^  accTitle: ${LABEL}$`),
  new RegExp(`^ +subgraph n\\d+\\["${LABEL}"\\]$`),
  /^ +end$/,
  new RegExp(`^ +n\\d+(\\[\\[|\\{\\{|\\(\\[|\\(\\(|\\[|\\()"${LABEL}(<br/>${LABEL})*"(\\]\\]|\\}\\}|\\]\\)|\\)\\)|\\]|\\))$`),
  new RegExp(`^ +n\\d+ (---(\\|veth pair\\|)?|===|-\\.->\\|wrapped\\||-\\.-\\|"${LABEL}"\\|) n\\d+$`),
];

/** The lines of a sequence diagram (sequenceDiagram.jison): rest-of-line texts end at # and ; and the line. */
const SEQUENCE = [
  /^sequenceDiagram$/,
  new RegExp(`^  accTitle: ${LABEL}$`),
  new RegExp(`^  participant h\\d+ as ${LABEL}$`),
  new RegExp(`^  (alt|else) ${LABEL}$`),
  /^ {2}end$/,
  new RegExp(`^  Note over h\\d+: ${LABEL}$`),
  new RegExp(`^  h\\d+(->>|-->>)h\\d+: ${LABEL}$`),
];

function unlike(text: string, grammar: readonly RegExp[]): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => !grammar.some((known) => known.test(line)));
}

/** Every subgraph and every alt has its end, and what is joined has been declared. */
function balance(text: string): number {
  return (text.match(/^ *(subgraph|alt) /gm)?.length ?? 0) - (text.match(/^ *end$/gm)?.length ?? 0);
}

const FILES = readdirSync(join(import.meta.dirname, '../../../../scenarios'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace(/\.yaml$/, ''));

/** Names as hostile as a scenario allows. */
const HOSTILE = scenarioOf(`
nodes:
  - { name: end, ip: 192.168.0.11 }
  - { name: 'a;b#c"d\`e', ip: 192.168.0.12 }
pods:
  - { name: wrap, node: end, containers: ['\`end\`', '"q"', '#35;', '<b>', '%%{init}%%', 'x | y'] }
  - { name: '%%x', node: 'a;b#c"d\`e', ports: [80] }
  - { name: '[x](y){z}|w|', node: end, labels: { a: b }, ports: [80] }
services:
  - { name: 's;v', selector: { a: b }, clusterIP: 10.96.0.20, ports: [{ port: 80 }] }
external:
  - { name: 'e"x;', ip: 203.0.113.9 }`);

function traces({ cluster, ...rest }: Scenario, pairs: readonly (readonly [string, string])[]): readonly string[] {
  return pairs.map(([from, to]) => {
    const traced = traceConnection({ cluster, ...rest }, probe(from, to), {}, engine);
    if (!traced.ok) throw new Error(traced.diagnostics.map(({ message }) => message).join('\n'));
    return traceMermaid(traced.trace);
  });
}

describe('flowcharts', () => {
  test.each(FILES)('of %s are well formed', (name) => {
    const text = topologyMermaid(made(gallery(name)));
    expect(unlike(text, FLOWCHART)).toEqual([]);
    expect(balance(text)).toBe(0);
    const declared = new Set([...text.matchAll(/^ +(?:subgraph )?(n\d+)[[({]/gm)].map(([, id]) => id));
    const joined = [...text.matchAll(/^ +(n\d+) .* (n\d+)$/gm)].flatMap(([, from, to]) => [from, to]);
    expect(joined.filter((id) => !declared.has(id))).toEqual([]);
  });

  test('of hostile names are well formed', () => {
    const text = topologyMermaid(made(HOSTILE));
    expect(unlike(text, FLOWCHART)).toEqual([]);
    expect(balance(text)).toBe(0);
  });

  test('sum up the pods of many nodes, and have all of one', () => {
    const pods = Array.from({ length: 30 }, (_, i) => `{ name: p${i}, node: n${i % 2} }`);
    const scenario = scenarioOf(
      `{ nodes: [{ name: n0, ip: 192.168.0.2 }, { name: n1, ip: 192.168.0.3 }], pods: [${pods.join(', ')}] }`,
    );
    expect(topologyMermaid(made(scenario))).toContain('and 5 more pods');
    expect(topologyMermaid(made(scenario, { node: 'n0' }))).toContain('pod/p28');
  });
});

describe('sequence diagrams', () => {
  test.each(FILES)('of %s are well formed', (name) => {
    const scenario = gallery(name);
    const [check] = scenario.checks;
    if (!check) return;
    const traced = traceConnection(scenario, check, { before: check.before, coldNeighbours: check.coldNeighbours }, engine);
    if (!traced.ok) throw new Error(traced.diagnostics.map(({ message }) => message).join('\n'));
    const text = traceMermaid(traced.trace);
    expect(unlike(text, SEQUENCE)).toEqual([]);
    expect(balance(text)).toBe(0);
  });

  test('of hostile names are well formed', () => {
    for (const text of traces(HOSTILE, [
      ['pod/wrap', 'pod/%%x:80'],
      ['pod/wrap', 'svc/s;v:80'],
    ])) {
      expect(unlike(text, SEQUENCE)).toEqual([]);
      expect(balance(text)).toBe(0);
    }
  });
});

describe('a label', () => {
  test.each([
    ['a;b', 'a#59;b'],
    ['#35;', '#35;35#59;'],
    ['say "hi"', 'say #34;hi#34;'],
    ['`code`', '#96;code#96;'],
    ['<b>&', '#60;b#62;#38;'],
    ['50%', '50%'],
    ['%%{init}%%', '#37;#37;{init}#37;#37;'],
    ['wrap: it', 'wrap#58; it'],
    ['end', 'end'],
    ['[x](y){z}|w|', '[x](y){z}|w|'],
  ])('%s', (text, label) => {
    expect(mermaidLabel(text)).toBe(label);
  });
});
