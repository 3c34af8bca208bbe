import { expect, test } from 'vitest';
import { scenarioOf } from './load-text.ts';

test('a check with everything', () => {
  const text = `checks:
- name: all
  from: pod/a
  to: svc/web:80
  protocol: UDP
  sourcePort: 40000
  sourceAddress: 127.0.0.5
  payload: 1472
  dontFragment: false
  ttl: 3
  backend: pod/web-1
  via: exec
  coldNeighbours: true
  before:
  - { from: pod/a, to: 10.0.0.1:80, sourcePort: 40001 }
  expect:
    verdict: connected
    server: pod/web-1
    source: 10.244.0.2
    servers: [pod/web-1]
    cause: rule-drop
    status: 404
    through: flannel.1
    notThrough: [eth1, FLANNEL-FWD]
`;
  const { checks } = scenarioOf(text);
  expect(checks).toHaveLength(1);
  const { position, ...check } = checks[0] ?? expect.fail();
  expect(position).toMatchObject({ file: 'a.yaml', line: 2, column: 3 });
  const silent = { protocol: null, sourceAddress: null, payload: null, dontFragment: null, ttl: null, backend: null, via: null };
  expect(check).toEqual({
    name: 'all',
    from: 'pod/a',
    to: 'svc/web:80',
    protocol: 'udp',
    sourcePort: 40000,
    sourceAddress: '127.0.0.5',
    payload: 1472,
    dontFragment: false,
    ttl: 3,
    backend: 'pod/web-1',
    via: 'exec',
    coldNeighbours: true,
    before: [{ ...silent, from: 'pod/a', to: '10.0.0.1:80', sourcePort: 40001 }],
    expect: {
      verdict: 'connected',
      server: 'pod/web-1',
      source: '10.244.0.2',
      servers: ['pod/web-1'],
      cause: 'rule-drop',
      status: 404,
      through: ['flannel.1'],
      notThrough: ['eth1', 'FLANNEL-FWD'],
    },
  });
});

test('a check with nothing', () => {
  const { checks } = scenarioOf('checks: [{ from: a, to: b }]');
  expect(checks).toMatchObject([{ name: 'a to b', protocol: null, sourcePort: null, before: [], coldNeighbours: false }]);
  expect(checks[0]?.expect).toEqual({});
});

test('checks of several files add up, positions name their file', () => {
  const { checks } = scenarioOf(['checks: [{ from: a, to: b }]', '---\nnodes: []\n---\nchecks:\n- from: c\n  to: d\n']);
  expect(checks.map((c) => [c.from, c.position?.file, c.position?.line, c.position?.column])).toEqual([
    ['a', 'a.yaml', 1, 10],
    ['c', 'b.yaml', 5, 3],
  ]);
});

test('a position is plain data when it is written', () => {
  expect(JSON.parse(JSON.stringify(scenarioOf('checks: [{ from: a, to: b }]').checks[0]?.position))).toEqual({
    file: 'a.yaml',
    line: 1,
    column: 10,
  });
});
