import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import { findJsonList, itemsOf } from '../../../src/scenario/source/json-list.ts';

/** Blanks behind a text make it long enough to be parsed item by item, and change nothing else. */
const PADDING = ' '.repeat(1 << 16);

function load(text: string): unknown {
  const result = loadScenario([{ name: 'dump.json', text }], { readFile: () => null });
  return JSON.parse(JSON.stringify(result, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
}

const node = (name: string, address: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { podCIDR: `10.244.${address.at(-1)}.0/24` },
  status: { addresses: [{ type: 'InternalIP', address }] },
});
const pod = (name: string, ip: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { labels: { app: name, braces: '}{"][' }, namespace: 'default', name },
  spec: { nodeName: 'node-1', containers: [{ name: 'app', ports: [{ containerPort: 80 }] }], ...more },
  status: { phase: 'Running', podIP: ip },
});
const nodes = [node('node-1', '172.18.0.2'), node('node-2', '172.18.0.3')];
const list = (items: readonly unknown[], more: object = {}) => ({ apiVersion: 'v1', kind: 'List', items, ...more });

/** Between its two owners stands what stands between the items of a list without blanks. */
const owned = (name: string, ip: string) => {
  const { metadata, ...rest } = pod(name, ip);
  const owner = (of: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: of });
  return { ...rest, metadata: { ...metadata, ownerReferences: [owner('x'), owner('y'), owner('z')] } };
};

const LISTS: Readonly<Record<string, unknown>> = {
  'a sound cluster': list([...nodes, pod('a', '10.244.2.7'), pod('quote "\\" here', '10.244.2.8')]),
  'items that hold what stands between items': list([...nodes, owned('a', '10.244.2.7'), owned('b', '10.244.2.8')]),
  'only items that hold what stands between items': list([owned('a', '10.244.2.7'), ...nodes, owned('b', '10.244.2.8')]),
  'a typed list, its kind behind the items': {
    apiVersion: 'v1',
    items: nodes.map(({ kind: _, ...rest }) => rest),
    kind: 'NodeList',
  },
  'a name given twice': list([...nodes, pod('a', '10.244.2.7'), pod('a', '10.244.2.8')]),
  'wrong values': list([...nodes, pod('a', 'not an address'), pod('b', '10.244.2.8', { hostNetwork: 7, nodeName: [] })]),
  'an unknown node': list([...nodes, pod('a', '10.244.2.7', { nodeName: 'node-3' })]),
  'no name': list([...nodes, { apiVersion: 'v1', kind: 'Pod', metadata: {} }, { apiVersion: 'v1', kind: 'Service' }]),
  'no kind': list([...nodes, { apiVersion: 'v1', metadata: { name: 'x' } }, { kind: 'List', items: [] }]),
  'items that are no objects': list([...nodes, 7, null]),
  'no items': list([]),
  'a list without apiVersion': { kind: 'List', items: nodes },
  'no list': { kind: 'Pod', apiVersion: 'v1', items: nodes },
};

describe('a large JSON list', () => {
  for (const [name, value] of Object.entries(LISTS)) {
    for (const indent of [0, 4]) {
      it(`is read item by item as it is at once: ${name}, indent ${indent}`, () => {
        const text = JSON.stringify(value, null, indent);
        expect(load(text + PADDING)).toEqual(load(text));
      });
    }
  }

  const sound = JSON.stringify(list(nodes), null, 2);
  const TEXTS: Readonly<Record<string, string>> = {
    'an item that is not JSON': sound.replace('"v1",\n      "kind"', '"v1"\n      "kind"'),
    'a comma behind the last item': sound.replace(/\}\s*\]\s*\}$/, '},]}'),
    'an item that holds what stands between items, and is not JSON': JSON.stringify(
      list([...nodes, owned('a', '10.244.2.7'), pod('b', '10.244.2.8')]),
    ).replace('"z"', 'z'),
    'items twice': sound.replace(/\}$/, ',"items":[]}'),
    'items inside of something else': `{"metadata":{"items":[{"a":1}]},${sound.slice(1)}`,
    'text behind the list': `${sound} x`,
    'control characters between items': sound.replace('},\n    {', '},\u0001{'),
  };
  for (const [name, text] of Object.entries(TEXTS)) {
    it(`is read as a small one: ${name}`, () => {
      expect(load(text + PADDING)).toEqual(load(text));
    });
  }

  it('that is cut short is told of as any other text', () => {
    expect(load(sound.slice(0, -40) + PADDING)).toMatchObject({ ok: false, diagnostics: [{ code: 'syntax' }] });
  });

  it('is taken apart item by item, whatever seems to stand between them', () => {
    const items = [
      node('node-1', '172.18.0.2'),
      owned('a', '10.244.2.7'),
      owned('b', '10.244.2.8'),
      node('node-2', '172.18.0.3'),
    ];
    const text = JSON.stringify(list(items));
    const found = findJsonList(text);
    expect([...itemsOf(text, found!)].map(({ value }) => value)).toEqual(items);
  });

  it('is told from other text', () => {
    expect(findJsonList(readFileSync('scenarios/tutorial.yaml', 'utf8'))).toBeNull();
    expect(findJsonList('{"items":[]}')).toBeNull();
    expect(findJsonList('{"items":[{"a":"]}"},{}],"kind":"List"}')).toEqual({ head: { kind: 'List' }, bounds: [10, 20, 21, 23] });
  });
});
