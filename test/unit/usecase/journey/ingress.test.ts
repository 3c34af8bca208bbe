import { describe, expect, test } from 'vitest';
import { load, trace } from './run.ts';

function cluster(upstream: string, more = ''): ReturnType<typeof load> {
  return load(`
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - name: controller
    namespace: ingress-nginx
    node: node-1
    labels: { app.kubernetes.io/name: ingress-nginx, app.kubernetes.io/component: controller }
    ports: [{ containerPort: 80, hostPort: 80, name: http }, { containerPort: 443, hostPort: 443, name: https }]
  - { name: web-1, node: node-1, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: node-2, labels: { app: web }, ports: [8080] }
  - { name: deaf, node: node-2, labels: { app: deaf }, ports: [1] }
services:
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: deaf, selector: { app: deaf }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: idle, selector: { app: none }, ports: [{ port: 80, targetPort: 8080 }] }
external: [{ name: laptop, ip: 203.0.113.9 }]
ingress: { upstream: ${upstream} }
${more}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop }
spec:
  ingressClassName: nginx
  rules:
  - host: shop.example
    http:
      paths:
      - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
      - { path: /deaf, pathType: Prefix, backend: { service: { name: deaf, port: { number: 80 } } } }
      - { path: /idle, pathType: Prefix, backend: { service: { name: idle, port: { number: 80 } } } }
      - { path: /gone, pathType: Prefix, backend: { service: { name: gone, port: { number: 80 } } } }
      - { path: /port, pathType: Prefix, backend: { service: { name: web, port: { number: 81 } } } }
`);
}

describe.each(['service', 'endpoints'])('an ingress controller with upstream %s', (upstream) => {
  const scenario = cluster(upstream);
  const asked = (path: string) => trace(scenario, { from: 'external/laptop', to: `http://shop.example${path}` });

  test('passes on what a rule takes, by a connection of its own', () => {
    const { outcomes, assumptions } = asked('/x');
    expect(outcomes.map(({ server, status, probability }) => [server, status, probability])).toEqual([
      ['pod/default/web-1', 200, 0.5],
      ['pod/default/web-2', 200, 0.5],
    ]);
    for (const { legs, request, source } of outcomes) {
      expect(legs).toMatchObject([{ purpose: 'proxy', from: 'pod/ingress-nginx/controller', verdict: 'connected' }]);
      const passesService = legs[0]!.request.some((event) => event.kind === 'rule' && event.chain.startsWith('KUBE-SVC-'));
      expect(passesService).toBe(upstream === 'service');
      expect(request.at(-1)).toMatchObject({ kind: 'proxy', leg: 0 });
      expect(source).toBe('10.244.0.2');
    }
    expect(assumptions.join()).toContain('shop.example is not under externalDNS; it is taken to lead to 192.168.0.11');
  });

  test.each([
    ['/deaf', 502, 'port-not-listening'],
    ['/idle', 503, 'no-endpoints'],
    ['/gone', 503, 'no-endpoints'],
    ['/port', 503, 'port-not-in-service'],
  ])('%s: HTTP %i, and why', (path, status, code) => {
    expect(asked(path).outcomes).toMatchObject([
      { verdict: 'connected', server: 'pod/ingress-nginx/controller', source: '203.0.113.9', status, cause: { code } },
    ]);
  });

  test('what no rule takes is 404', () => {
    const { outcomes } = trace(scenario, { from: 'external/laptop', to: 'http://192.168.0.11/' });
    expect(outcomes).toMatchObject([{ verdict: 'connected', status: 404, cause: null, legs: [] }]);
  });

  test('a firewall between controller and pod is 504', () => {
    const drop = [{ host: 'pod/web-1', command: 'iptables -P INPUT DROP' }];
    const { outcomes } = trace(scenario, { from: 'external/laptop', to: 'http://shop.example/' }, drop);
    expect(outcomes.map(({ status, cause }) => [status, cause?.code])).toEqual(
      expect.arrayContaining([
        [504, 'policy-drop'],
        [200, undefined],
      ]),
    );
  });
});

describe('two processes, one behind the other', () => {
  const scenario = cluster('service', 'kubeProxy: { mode: userspace }\ncluster: { kubernetesVersion: "1.24" }');

  test.each([
    ['/deaf', 502],
    ['/idle', 503],
  ])('the controller answers for what kube-proxy could not reach: %s', (path, status) => {
    const { outcomes } = trace(scenario, { from: 'external/laptop', to: `http://shop.example${path}` });
    expect(outcomes).toMatchObject([{ verdict: 'connected', status, server: 'pod/ingress-nginx/controller' }]);
  });

  test('and passes on its answer where it could', () => {
    const { outcomes } = trace(scenario, { from: 'external/laptop', to: 'http://shop.example/' });
    expect(outcomes.map(({ server, status, legs }) => [server, status, legs.length])).toEqual([
      ['pod/default/web-1', 200, 2],
      ['pod/default/web-2', 200, 2],
    ]);
  });
});

describe('ports and paths', () => {
  const scenario = cluster('endpoints');

  test.each([
    ['http://shop.example:443/', 400],
    ['https://shop.example:80/', 400],
    ['http://shop.example/%69dle', 503],
    ['http://shop.example//idle', 503],
  ])('%s: HTTP %i', (to, status) => {
    expect(trace(scenario, { from: 'external/laptop', to }).outcomes).toMatchObject([{ verdict: 'connected', status }]);
  });

  test('requests only: the controller passes them on all the same', () => {
    const { outcomes } = trace(scenario, { from: 'external/laptop', to: 'http://shop.example/' }, [], true);
    expect(outcomes.map(({ server }) => server)).toEqual(['pod/default/web-1', 'pod/default/web-2']);
  });
});
