import { describe, expect, test } from 'vitest';
import type { Cluster, Service } from '../../../src/kubernetes/model/cluster.ts';
import { formatCidr } from '../../../src/net/cidr.ts';
import { formatIp } from '../../../src/net/ip.ts';
import { diagnosticsOf, load, scenarioOf } from './load-text.ts';

const CNI = 'cni: flannel-vxlan\n';
const NODE = 'nodes: [{ name: n1, ip: 10.0.0.1 }]\n';

function clusterOf(...texts: readonly string[]): Cluster {
  return scenarioOf(texts).cluster;
}

/** Errors and warnings; notes are left out. */
function problemsOf(text: string): readonly string[] {
  return diagnosticsOf(text).filter((line) => !line.startsWith('-'));
}

function object(kind: string, metadata: string, spec: string, apiVersion = 'networking.k8s.io/v1'): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { ${metadata} }\nspec: ${spec}\n`;
}

describe('Ingress objects', () => {
  test('all fields', () => {
    const text = `${object(
      'Ingress',
      'name: shop, namespace: web, annotations: { a: b }',
      `
  ingressClassName: nginx
  defaultBackend: { service: { name: rest, port: { name: http } } }
  tls: [{ hosts: [Shop.example], secretName: cert }, {}]
  rules:
    - host: Shop.Example
      http:
        paths:
          - { path: /cart, pathType: Exact, backend: { service: { name: cart, port: { number: 80 } } } }
          - { path: "", pathType: ImplementationSpecific, backend: { resource: { apiGroup: x.io, kind: Bucket, name: files } } }
    - http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: any, port: { number: 81 } } } }] }
    - host: "*.shop.example"`,
    )}status: { loadBalancer: { ingress: [{ ip: 198.51.100.7 }, { hostname: lb.example }] } }`;
    const [ingress] = clusterOf(text).ingresses;
    expect(ingress).toMatchObject({
      namespace: 'web',
      name: 'shop',
      className: 'nginx',
      annotations: { a: 'b' },
      defaultBackend: { kind: 'service', service: 'rest', port: 'http' },
      tls: [
        { hosts: ['shop.example'], secretName: 'cert' },
        { hosts: [], secretName: null },
      ],
      rules: [
        {
          host: 'shop.example',
          paths: [
            { path: '/cart', pathType: 'Exact', backend: { kind: 'service', service: 'cart', port: 80 } },
            {
              path: '/',
              pathType: 'ImplementationSpecific',
              backend: { kind: 'resource', resourceKind: 'Bucket', name: 'files' },
            },
          ],
        },
        { host: null, paths: [{ path: '/', pathType: 'Prefix', backend: { service: 'any', port: 81 } }] },
        { host: '*.shop.example', paths: [] },
      ],
    });
    expect(ingress?.loadBalancerIngress.map(({ ip, hostname }) => hostname ?? (ip === null ? null : formatIp(ip)))).toEqual([
      '198.51.100.7',
      'lb.example',
    ]);
  });

  test('v1beta1: serviceName, servicePort, backend, and paths without a type', () => {
    const spec =
      '{ backend: { serviceName: rest, servicePort: http }, rules: [{ http: { paths: [{ path: /a, backend: { serviceName: a, servicePort: 80 } }] } }] }';
    expect(clusterOf(object('Ingress', 'name: a', spec, 'networking.k8s.io/v1beta1')).ingresses).toMatchObject([
      {
        defaultBackend: { service: 'rest', port: 'http' },
        rules: [{ paths: [{ path: '/a', pathType: 'ImplementationSpecific', backend: { service: 'a', port: 80 } }] }],
      },
    ]);
  });

  test('classes, and which is the default', () => {
    const mark = 'name: b, annotations: { ingressclass.kubernetes.io/is-default-class: "true" }';
    const { ingressClasses } = clusterOf(
      object('IngressClass', 'name: a', '{ controller: k8s.io/ingress-nginx }'),
      object('IngressClass', mark, '{ controller: traefik.io/ingress-controller }'),
    );
    expect(ingressClasses).toMatchObject([
      { name: 'a', controller: 'k8s.io/ingress-nginx', isDefault: false },
      { name: 'b', controller: 'traefik.io/ingress-controller', isDefault: true },
    ]);
  });

  const PATH = 'path: /, pathType: Prefix, backend: { service: { name: a, port: { number: 80 } } }';
  const paths = (item: string): string => object('Ingress', 'name: i', `{ rules: [{ http: { paths: [{ ${item} }] } }] }`);

  test.each<[what: string, text: string, problem: string | RegExp]>([
    [
      'an unknown path type',
      paths(PATH.replace('Prefix', 'prefix')),
      '4:56 wrong-value "pathType" must be one of Exact, Prefix, ImplementationSpecific, not "prefix" (Did you mean "Prefix"?)',
    ],
    ['no path type', paths(PATH.replace('pathType: Prefix, ', '')), /missing-key A path of an ingress needs "pathType" \(One of/],
    ['no backend', paths('path: /, pathType: Prefix'), /missing-key A path of an ingress needs "backend"/],
    [
      'a backend without port',
      paths(PATH.replace(', port: { number: 80 }', '')),
      /missing-key The service of a backend needs a "port"/,
    ],
    [
      'a port with neither number nor name',
      paths(PATH.replace('number: 80', '')),
      /missing-key The service of a backend needs a "port"/,
    ],
    [
      'a port with both',
      paths(PATH.replace('number: 80', 'number: 80, name: http')),
      /missing-key The service of a backend needs a "port"/,
    ],
    [
      'a backend of both kinds',
      paths(PATH.replace('{ service', '{ resource: { kind: A, name: b }, service')),
      /wrong-key A backend of an ingress is either/,
    ],
    ['an empty backend', paths(PATH.replace(/backend: .*/, 'backend: {}')), /missing-key A backend of an ingress is either/],
    [
      'a relative path',
      paths(PATH.replace('path: /', 'path: cart')),
      /wrong-value "path" must be a path that begins with "\/", not "cart"/,
    ],
    ['no path', paths(PATH.replace('path: /, ', '')), /missing-key A path of an ingress needs "path"/],
    ['a path with dots', paths(PATH.replace('path: /', 'path: /a/../b')), /wrong-value "path" must be a path without/],
    [
      'an address as host',
      object('Ingress', 'name: i', `{ rules: [{ host: 10.0.0.1, http: { paths: [{ ${PATH} }] } }] }`),
      /wrong-value "host" must be a host name, not "10.0.0.1"/,
    ],
    [
      'a wildcard inside',
      object('Ingress', 'name: i', `{ rules: [{ host: "a.*.example", http: { paths: [{ ${PATH} }] } }] }`),
      /wrong-value "host" must be a host name.*whole first label/,
    ],
    [
      'no paths',
      object('Ingress', 'name: i', '{ rules: [{ http: { paths: [] } }] }'),
      /missing-key A rule of an ingress needs "paths"/,
    ],
    ['nothing at all', object('Ingress', 'name: i', '{}'), /missing-key Ingress default\/i needs "rules" or "defaultBackend"/],
  ])('error: %s', (_, text, problem) => {
    const [first, ...more] = problemsOf(text);
    if (typeof problem === 'string') expect(first).toBe(problem);
    else expect(first).toMatch(problem);
    expect(more).toEqual([]);
    expect(load(text).ok).toBe(false);
  });
});

describe('ingresses of the short form', () => {
  test('its shorthands', () => {
    const [ingress] = clusterOf(`ingresses:
  - name: a
    namespace: shop
    defaultBackend: rest:http
    rules:
      - { host: shop.example, paths: [{ backend: "web:80" }, { path: /cart, pathType: Exact, backend: { service: { name: cart, port: { number: 81 } } } }] }
      - { http: { paths: [{ path: /x, backend: "x:1" }] } }
`).ingresses;
    expect(ingress).toMatchObject({
      namespace: 'shop',
      className: null,
      defaultBackend: { kind: 'service', service: 'rest', port: 'http' },
      rules: [
        {
          host: 'shop.example',
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: 'web', port: 80 } },
            { path: '/cart', pathType: 'Exact', backend: { service: 'cart', port: 81 } },
          ],
        },
        { host: null, paths: [{ path: '/x', pathType: 'Prefix' }] },
      ],
    });
  });

  test('an entry adds to an object', () => {
    const whole = object(
      'Ingress',
      'name: a, annotations: { x: "1" }',
      '{ ingressClassName: nginx, defaultBackend: { service: { name: s, port: { number: 80 } } } }',
    );
    expect(
      clusterOf(whole, 'ingresses: [{ name: a, annotations: { y: "2" }, ingressClassName: other }]').ingresses,
    ).toMatchObject([{ className: 'other', annotations: { x: '1', y: '2' }, defaultBackend: { service: 's' } }]);
  });

  test.each<[text: string, problem: string]>([
    ['ingresses: [{ rules: [] }]', '1:13 missing-key An ingress needs "name"'],
    [
      'ingresses: [{ name: a, defaultBackend: web }]',
      '1:40 wrong-value "defaultBackend" must be SERVICE:PORT, not "web" (Such as web:80)',
    ],
    [
      'ingresses: [{ name: a, defaultBackend: "web:99999" }]',
      '1:40 wrong-value "defaultBackend" must be SERVICE:PORT with a port from 1 to 65535, not "web:99999"',
    ],
    [
      'ingresses: [{ name: a, rules: [{ host: shop.example, paths: [] }] }]',
      '1:32 missing-key A rule of an ingress needs "paths"',
    ],
    ['ingress: { upstream: pods }', '1:22 wrong-value "upstream" must be one of service, endpoints, not "pods"'],
    [
      'ingress: { controller: { namespace: a } }',
      '1:24 missing-key "controller" needs "labels" of its pods (Such as labels: { app: ingress })',
    ],
    [
      'ingress: { controller: { label: { a: b } } }',
      '1:26 unknown-key Unknown key "label" in "controller" (Did you mean "labels"?)',
    ],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  test('the settings and their defaults', () => {
    expect(clusterOf(NODE).ingressSettings).toEqual({ controller: null, upstream: 'service', className: null });
    const text =
      'pods: [{ name: a, node: n1, labels: { app: in } }]\ningress: { controller: { namespace: default, labels: { app: in } }, upstream: endpoints, class: nginx }';
    expect(clusterOf(NODE + text).ingressSettings).toEqual({
      controller: { namespace: 'default', labels: { app: 'in' } },
      upstream: 'endpoints',
      className: 'nginx',
    });
  });

  test('two files that both name the controller', () => {
    expect(diagnosticsOf([`${CNI}ingress: {}`, 'ingress: {}'])).toEqual(['b.yaml:1:10 given-twice "ingress" is given twice']);
  });

  const SERVICE = 'services: [{ name: web, clusterIP: None, ports: [{ name: http, port: 80 }] }]\n';

  test.each<[text: string, warning: string]>([
    [
      'ingresses: [{ name: a, defaultBackend: "wep:80" }]',
      'unknown-service Ingress default/a points at service default/wep, which is not given (Did you mean "default/web"?)',
    ],
    [
      'ingresses: [{ name: a, namespace: shop, defaultBackend: "web:80" }]',
      'unknown-service Ingress shop/a points at service shop/web, which is not given (A backend is a service of the namespace of the Ingress)',
    ],
    [
      'ingresses: [{ name: a, defaultBackend: "web:81" }]',
      'unknown-port Ingress default/a points at port 81 of service default/web, which it does not have (It has 80 (http))',
    ],
    [
      'ingresses: [{ name: a, rules: [{ paths: [{ backend: "web:https" }] }] }]',
      'unknown-port Ingress default/a points at port https of service default/web, which it does not have (It has 80 (http))',
    ],
    [
      'ingresses: [{ name: a, defaultBackend: "web:http", ingressClassName: ngnix }]\n---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: { name: nginx }',
      'unknown-class Ingress default/a is of class "ngnix", which is not given (Did you mean "nginx"?)',
    ],
    [
      'ingresses: [{ name: a, defaultBackend: "web:80", ingressClassName: x, annotations: { kubernetes.io/ingress.class: y } }]',
      'given-twice Ingress default/a names its class twice: by ingressClassName and by annotation kubernetes.io/ingress.class (Controllers heed the annotation; the API server refuses both)',
    ],
    [
      'ingress: { controller: { labels: { app: in, x: y } } }',
      'selector-matches-nothing ingress.controller selects pods with app=in,x=y, and there is none',
    ],
    ['ingresses: [{ name: a, defaultBackend: "web:http" }]', ''],
  ])('warning of %s', (text, warning) => {
    const found = problemsOf(`${CNI}${SERVICE}${text}`).map((line) => line.replace(/^\S+ /, ''));
    expect(found).toEqual(warning === '' ? [] : [warning]);
  });
});

describe('externalDNS', () => {
  test('addresses, hosts, aliases and wildcards', () => {
    const { externalDns } = clusterOf(`${NODE}external: [{ name: lb, ip: "203.0.113.9,2001:db8::9" }]
externalDNS:
  Shop.example.: 198.51.100.7
  "*.shop.example": [198.51.100.8, "2001:db8::1"]
  www.example: Shop.example
  lb.example: external/lb
  n.example: [node/n1, 198.51.100.9]
`);
    expect(externalDns.map(({ name, addresses, alias }) => [name, addresses.map(formatIp).join(' '), alias])).toEqual([
      ['shop.example', '198.51.100.7', null],
      ['*.shop.example', '198.51.100.8 2001:db8::1', null],
      ['www.example', '', 'shop.example'],
      ['lb.example', '203.0.113.9 2001:db8::9', null],
      ['n.example', '198.51.100.9 10.0.0.1', null],
    ]);
  });

  test.each<[text: string, problem: RegExp]>([
    ['externalDNS: [a]', /wrong-value "externalDNS" must be a mapping/],
    ['externalDNS: { "a b": 1.1.1.1 }', /^1:16 wrong-value "a b" in externalDNS is no host name/],
    ['externalDNS: { a.*.example: 1.1.1.1 }', /wrong-value "a\.\*\.example" in externalDNS is no host name/],
    ['externalDNS: { 10.0.0.1: 1.1.1.1 }', /wrong-value "10\.0\.0\.1" in externalDNS is no host name/],
    [
      'externalDNS: { a.example: 1.1.1.999 }',
      /^1:27 wrong-value "a\.example" must be an address, external\/NAME, node\/NAME or another host name/,
    ],
    ['externalDNS: { a.example: "*.example" }', /wrong-value "a\.example" must be an address/],
    ['externalDNS: { a.example: 5 }', /wrong-value "a\.example" must be text/],
    ['externalDNS: { a.example: }', /missing-key "a\.example" in externalDNS needs an address/],
    ['externalDNS: { a.example: [] }', /missing-key "a\.example" in externalDNS needs an address/],
    [
      'externalDNS: { a.example: [b.example, 1.1.1.1] }',
      /wrong-value "a\.example" must be addresses and hosts, or one other name alone/,
    ],
    [
      'externalDNS: { a.example: external/no }',
      /unknown-host "a\.example" of externalDNS is to have the addresses of external\/no, which is not given/,
    ],
    ['externalDNS: { a.example: 1.1.1.1, A.example.: 1.1.1.2 }', /duplicate-name "a\.example" of externalDNS is given twice/],
  ])('%s', (text, problem) => {
    expect(load(text).ok).toBe(false);
    expect(problemsOf(text)[0]).toMatch(problem);
  });
});

describe('the balancer of the cloud', () => {
  const balanced = (name: string, more = ''): string =>
    `  - { name: ${name}, type: LoadBalancer, ports: [{ port: 80 }]${more === '' ? '' : `, ${more}`} }\n`;
  const statusOf = ({ loadBalancerIngress }: Service): readonly string[] =>
    loadBalancerIngress.map(({ ip, ipMode }) => `${ip === null ? '-' : formatIp(ip)} ${ipMode}`);

  function statuses(text: string): readonly (readonly string[])[] {
    return clusterOf(text).services.map(statusOf);
  }

  test('without one the status stays pending', () => {
    expect(clusterOf(`services:\n${balanced('a')}`).loadBalancer).toBeNull();
    expect(statuses(`services:\n${balanced('a')}`)).toEqual([[]]);
  });

  test('its settings and their defaults', () => {
    const { loadBalancer } = clusterOf('loadBalancer: {}');
    expect(loadBalancer).toMatchObject({ mode: 'nodePort', ipMode: 'VIP' });
    expect(loadBalancer?.publicCidrs.map(formatCidr)).toEqual(['198.51.100.0/24', '2001:db8:1b::/64']);
    expect(clusterOf('loadBalancer: { mode: direct, ipMode: Proxy }').loadBalancer).toMatchObject({
      mode: 'direct',
      ipMode: 'Proxy',
    });
  });

  test('addresses in order, those that are taken left out', () => {
    const text = `loadBalancer: { publicCIDR: 203.0.113.0/29, ipMode: Proxy }
external: [{ name: x, ip: 203.0.113.2 }]
services:
${balanced('a')}${balanced('given', 'status: { loadBalancer: { ingress: [{ ip: 203.0.113.3 }] } }')}${balanced('asked', 'loadBalancerIP: 203.0.113.4')}${balanced('b')}${balanced('other', 'loadBalancerClass: example.com/x')}  - { name: plain, ports: [{ port: 80 }] }\n${balanced('c')}`;
    expect(statuses(text)).toEqual([
      ['203.0.113.1 Proxy'],
      ['203.0.113.3 VIP'],
      ['203.0.113.4 Proxy'],
      ['203.0.113.5 Proxy'],
      [],
      [],
      ['203.0.113.6 Proxy'],
    ]);
  });

  test('an address of each family', () => {
    const text = `cluster: { serviceCIDR: "10.96.0.0/12,fd00:96::/112" }\nloadBalancer: {}\nservices:\n${balanced('a', 'ipFamilyPolicy: RequireDualStack')}${balanced('b', 'ipFamilies: [IPv6]')}`;
    expect(statuses(text)).toEqual([['198.51.100.1 VIP', '2001:db8:1b::1 VIP'], ['2001:db8:1b::2 VIP']]);
  });

  test('a range that is used up leaves services pending', () => {
    const text = `${CNI}loadBalancer: { publicCIDR: 203.0.113.4/32 }\nservices:\n${balanced('a', 'clusterIP: 10.96.1.1')}${balanced('b', 'clusterIP: 10.96.1.2')}`;
    expect(statuses(text)).toEqual([['203.0.113.4 VIP'], []]);
    expect(problemsOf(text).filter((line) => line.includes('range-exhausted'))).toEqual([
      '5:5 range-exhausted loadBalancer has no address for service default/b: it stays pending (Give "loadBalancer" a wider publicCIDR)',
    ]);
  });

  test('a service keeps its address over steps, and gives it back with its type', () => {
    const { steps } = scenarioOf(`${NODE}loadBalancer: {}
services:
${balanced('a')}${balanced('b')}
steps:
  - { delete: [svc/a], apply: { services: [{ name: c, type: LoadBalancer, ports: [{ port: 80 }] }] } }
  - { apply: { services: [{ name: b, type: ClusterIP }] } }
`);
    const after = steps.map(({ cluster }) => cluster.services.map((service) => [service.name, ...statusOf(service)].join(' ')));
    expect(after).toEqual([
      ['b 198.51.100.2 VIP', 'c 198.51.100.3 VIP'],
      ['b', 'c 198.51.100.3 VIP'],
    ]);
  });

  test.each<[text: string, problem: string]>([
    ['loadBalancer: { mode: dsr }', '1:23 wrong-value "mode" must be one of nodePort, direct, not "dsr"'],
    ['loadBalancer: { mod: direct }', '1:17 unknown-key Unknown key "mod" in "loadBalancer" (Did you mean "mode"?)'],
    [
      `${CNI}loadBalancer: { publicCIDR: 10.96.0.0/16 }`,
      '2:15 overlapping-ranges publicCIDR 10.96.0.0/16 of "loadBalancer" overlaps the range of the services, 10.96.0.0/12',
    ],
    [
      'services: [{ name: a, loadBalancerIP: x, ports: [{ port: 80 }] }]',
      '1:39 wrong-value "loadBalancerIP" must be an IP address, not "x"',
    ],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });
});

describe('fields that only some services have', () => {
  const service = (more: string): string => `services: [{ name: a, ${more}, ports: [{ port: 80 }] }]`;

  test.each<[more: string, problem: string | null]>([
    [
      'loadBalancerClass: x',
      'wrong-key Service default/a has "loadBalancerClass", which only type LoadBalancer may have (Give type: LoadBalancer)',
    ],
    ['type: LoadBalancer, loadBalancerClass: x', null],
    [
      'type: NodePort, allocateLoadBalancerNodePorts: false',
      'wrong-key Service default/a has "allocateLoadBalancerNodePorts", which only type LoadBalancer may have (Give type: LoadBalancer)',
    ],
    [
      'type: LoadBalancer, healthCheckNodePort: 30000',
      'wrong-key Service default/a has "healthCheckNodePort", which only type LoadBalancer with externalTrafficPolicy Local may have (Give externalTrafficPolicy: Local)',
    ],
    ['type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30000', null],
    [
      'type: ExternalName, externalName: "not a name"',
      'wrong-value externalName "not a name" of service default/a is no host name',
    ],
    ['type: ExternalName, externalName: DB.example.org.', null],
  ])('%s', (more, problem) => {
    const text = service(more);
    const [first] = problemsOf(text).filter((line) => !line.includes('no-endpoints'));
    expect(first?.replace(/^\S+ /, '') ?? null).toBe(problem);
    expect(load(text).ok).toBe(problem === null);
  });

  test('an address as external name is a warning', () => {
    const text = service('type: ExternalName, externalName: 192.0.2.1');
    expect(load(text).ok).toBe(true);
    expect(problemsOf(text)).toEqual([
      '1:12 wrong-value externalName "192.0.2.1" of service default/a is an address: cluster DNS has no answer then (Use a service without selector and an EndpointSlice with the address)',
    ]);
  });

  test('the class is kept', () => {
    expect(clusterOf(service('type: LoadBalancer, loadBalancerClass: x.io/y')).services).toMatchObject([
      { loadBalancerClass: 'x.io/y' },
    ]);
    expect(clusterOf(service('type: LoadBalancer')).services).toMatchObject([{ loadBalancerClass: null }]);
  });
});

describe('steps', () => {
  test('Ingresses and names come, change and go', () => {
    const { steps } = scenarioOf(`${NODE}services: [{ name: web, clusterIP: None, ports: [{ port: 80 }] }]
ingresses: [{ name: a, defaultBackend: "web:80" }, { name: b, defaultBackend: "web:80" }]
externalDNS: { a.example: 1.1.1.1, b.example: 1.1.1.2 }
steps:
  - { apply: { ingresses: [{ name: a, ingressClassName: x }, { name: c, defaultBackend: "web:80" }], externalDNS: { b.example: 1.1.1.9, c.example: a.example } } }
  - { delete: [ingress/b] }
`);
    const after = steps.map(({ cluster: { ingresses, externalDns } }) => [
      ingresses.map(({ name, className }) => `${name} ${className}`),
      externalDns.map(({ name, addresses, alias }) => `${name} ${alias ?? addresses.map(formatIp).join()}`),
    ]);
    const names = ['a.example 1.1.1.1', 'b.example 1.1.1.9', 'c.example a.example'];
    expect(after).toEqual([
      [['a x', 'b null', 'c null'], names],
      [['a x', 'c null'], names],
    ]);
  });

  test('an Ingress that is not there cannot go', () => {
    const text = 'ingresses: [{ name: shop, defaultBackend: "web:80" }]\nsteps: [{ delete: [ing/shap] }]';
    expect(problemsOf(text)[0]).toBe(
      '2:20 unknown-object Step "step 1": There is no Ingress default/shap to delete (Did you mean "default/shop"?)',
    );
  });
});
