import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import { checkDiagnostics } from '../../../src/usecase/check-diagnostics.ts';

function told(check: string): readonly string[] {
  const text = `cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }]
pods: [{ name: client, node: node-1 }, { name: web-1, node: node-1, labels: { app: web }, ports: [8080] }]
services: [{ name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }]
checks:
  - ${check}
`;
  const loaded = loadScenario([{ name: 'x.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join());
  return checkDiagnostics(loaded.scenario, 'default').map(
    ({ severity, position, message }) => `${position?.line} ${severity} ${message.replace(/^Check "[^"]*": /, '')}`,
  );
}

describe('checks before they run', () => {
  test.each<[string, readonly RegExp[]]>([
    ['{ from: pod/client, to: "svc/web:80", expect: { server: pod/web-1, notThrough: [flannel.1, node/node-1, KUBE-X] } }', []],
    ['{ from: pod/clint, to: "svc/web:80", expect: { verdict: connected } }', [/^6 error from: no pod .*did you mean/]],
    ['{ from: pod/client, to: "svc/wob:80", expect: { verdict: connected } }', [/^6 error to: no service/]],
    ['{ from: pod/client, to: "http://web/", expect: { verdict: connected } }', []],
    ['{ from: pod/client, to: "svc/kubernetes:443", expect: { verdict: connected } }', []],
    ['{ from: pod/client, to: "svc/web:80", backend: pod/web-9, expect: { verdict: connected } }', [/^6 error backend: no pod/]],
    [
      '{ from: pod/client, to: "svc/web:80", before: [{ from: pod/x, to: "svc/web:80" }], expect: { verdict: connected } }',
      [/^6 error before 1: from: no pod/],
    ],
    ['{ from: pod/client, to: "svc/web:80", expect: { server: pod/web-9 } }', [/^6 warning expect: no pod/]],
    [
      '{ from: pod/client, to: "svc/web:80", expect: { servers: [pod/web-1, web-1] } }',
      [/^6 warning expect: "web-1" has no kind/],
    ],
    [
      '{ from: pod/client, to: "svc/web:80", expect: { notThrough: [node-11] } }',
      [/^6 warning notThrough: .*did you mean node-1/],
    ],
    [
      '{ from: pod/client, to: "svc/web:80", expect: { notThrough: [node/x] } }',
      [/^6 warning notThrough: there is no "node\/x"/],
    ],
    ['{ from: pod/client, to: "svc/web:80" }', [/^6 note .*expects nothing/]],
  ])('%s', (check, expected) => {
    expect(told(check)).toEqual(expected.map((message) => expect.stringMatching(message)));
  });
});
