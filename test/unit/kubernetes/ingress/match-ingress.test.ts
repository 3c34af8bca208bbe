import { describe, expect, test } from 'vitest';
import { IMPLEMENTATIONS } from '../../../../src/kubernetes/ingress/implementations.ts';
import { hasTls, matchIngress } from '../../../../src/kubernetes/ingress/match-ingress.ts';
import type { IngressMatch } from '../../../../src/kubernetes/ingress/match-ingress.ts';
import type { Ingress, IngressPathType } from '../../../../src/kubernetes/model/ingress.ts';

const EMPTY: Ingress = {
  namespace: 'default',
  name: 'a',
  className: null,
  annotations: {},
  defaultBackend: null,
  rules: [],
  tls: [],
  loadBalancerIngress: [],
  position: null,
};

/** "TYPE PATH" of one host; each path's backend is a service of that name. */
function ingress(rules: Readonly<Record<string, readonly string[]>>, more: Partial<Ingress> = {}): Ingress {
  return {
    ...EMPTY,
    rules: Object.entries(rules).map(([host, paths]) => ({
      host: host === '' ? null : host,
      paths: paths.map((text) => {
        const [type, path = ''] = text.split(' ');
        const pathType: IngressPathType = type === 'Exact' || type === 'Prefix' ? type : 'ImplementationSpecific';
        return { path, pathType, backend: { kind: 'service', service: text, port: 80 } as const };
      }),
      position: null,
    })),
    ...more,
  };
}

function toService(service: string): Ingress['defaultBackend'] {
  return { kind: 'service', service, port: 80 };
}

function nameOf(match: IngressMatch): string | null {
  switch (match.kind) {
    case 'backend':
      return match.backend.kind === 'service' ? match.backend.service : match.backend.name;
    case 'redirect':
      return `${match.status} ${match.location}`;
    case 'none':
      return null;
  }
}

/** What ingress-nginx does, or the controller of that name. */
function ask(
  ingresses: readonly Ingress[],
  path: string,
  host = 'shop.example',
  tls = false,
  controller = 'ingress-nginx',
): string | null {
  const known = IMPLEMENTATIONS.find(({ name }) => name === controller);
  return nameOf(matchIngress(ingresses, { host, path, tls }, known?.httpsRedirect ?? null));
}

describe('path types: the examples of the Ingress documentation', () => {
  test.each<[kinds: string, paths: string[], request: string, taken: string | null]>([
    ['Prefix', ['Prefix /'], '/', 'Prefix /'],
    ['Prefix', ['Prefix /'], '/any/path', 'Prefix /'],
    ['Exact', ['Exact /foo'], '/foo', 'Exact /foo'],
    ['Exact', ['Exact /foo'], '/bar', null],
    ['Exact', ['Exact /foo'], '/foo/', null],
    ['Exact', ['Exact /foo/'], '/foo', null],
    ['Prefix', ['Prefix /foo'], '/foo', 'Prefix /foo'],
    ['Prefix', ['Prefix /foo'], '/foo/', 'Prefix /foo'],
    ['Prefix', ['Prefix /foo/'], '/foo', 'Prefix /foo/'],
    ['Prefix', ['Prefix /foo/'], '/foo/', 'Prefix /foo/'],
    ['Prefix', ['Prefix /aaa/bb'], '/aaa/bbb', null],
    ['Prefix', ['Prefix /aaa/bbb'], '/aaa/bbb', 'Prefix /aaa/bbb'],
    ['Prefix, trailing slash of the path', ['Prefix /aaa/bbb/'], '/aaa/bbb', 'Prefix /aaa/bbb/'],
    ['Prefix, trailing slash of the request', ['Prefix /aaa/bbb'], '/aaa/bbb/', 'Prefix /aaa/bbb'],
    ['Prefix, below the path', ['Prefix /aaa/bbb'], '/aaa/bbb/ccc', 'Prefix /aaa/bbb'],
    ['Prefix, no text prefix', ['Prefix /aaa/bbb'], '/aaa/bbbxyz', null],
    ['Prefix', ['Prefix /', 'Prefix /aaa'], '/aaa/ccc', 'Prefix /aaa'],
    ['Prefix', ['Prefix /', 'Prefix /aaa', 'Prefix /aaa/bbb'], '/aaa/bbb', 'Prefix /aaa/bbb'],
    ['Prefix', ['Prefix /', 'Prefix /aaa', 'Prefix /aaa/bbb'], '/ccc', 'Prefix /'],
    ['Prefix, no match: default backend', ['Prefix /aaa'], '/ccc', null],
    ['Mixed', ['Prefix /foo', 'Exact /foo'], '/foo', 'Exact /foo'],
  ])('%s: %j, %s', (_, paths, request, taken) => {
    expect(ask([ingress({ '': paths })], request)).toBe(taken);
    // Without a match the default backend serves the request.
    expect(ask([ingress({ '': paths }, { defaultBackend: toService('rest') })], request)).toBe(taken ?? 'rest');
  });
});

describe('host names: the examples of the Ingress documentation', () => {
  test.each<[rule: string, host: string, matches: boolean]>([
    ['*.foo.com', 'bar.foo.com', true],
    ['*.foo.com', 'baz.bar.foo.com', false],
    ['*.foo.com', 'foo.com', false],
    ['foo.bar.com', 'foo.bar.com', true],
    ['foo.bar.com', 'bar.com', false],
    ['foo.bar.com', 'x.foo.bar.com', false],
    ['', 'whatever.example', true],
  ])('rule "%s", host %s', (rule, host, matches) => {
    expect(ask([ingress({ [rule]: ['Prefix /'] })], '/', host)).toBe(matches ? 'Prefix /' : null);
  });

  test('a port, a last dot and capitals of the request count for nothing', () => {
    expect(ask([ingress({ 'foo.bar.com': ['Prefix /'] })], '/', 'FOO.bar.com.:8080')).toBe('Prefix /');
  });
});

describe('precedence', () => {
  const all = ingress({
    '': ['Prefix /any'],
    '*.shop.example': ['Prefix /wild', 'Prefix /both'],
    'a.shop.example': ['Prefix /exact', 'Exact /both'],
  });

  test.each<[host: string, path: string, taken: string | null]>([
    ['a.shop.example', '/exact', 'Prefix /exact'],
    ['a.shop.example', '/both', 'Exact /both'],
    // A host with rules of its own is not served by wildcards, nor by rules for every host.
    ['a.shop.example', '/wild', null],
    ['a.shop.example', '/any', null],
    ['b.shop.example', '/wild', 'Prefix /wild'],
    ['b.shop.example', '/exact', null],
    ['b.shop.example', '/any', null],
    ['other.example', '/any', 'Prefix /any'],
    ['other.example', '/wild', null],
  ])('%s %s', (host, path, taken) => {
    expect(ask([all], path, host)).toBe(taken);
  });

  test('rules of one host come from several Ingresses; of equal ones the first counts', () => {
    const first = ingress({ 'shop.example': ['Prefix /a', 'Prefix /same'] }, { name: 'first' });
    const second = ingress({ 'shop.example': ['Prefix /a/b', 'Prefix /same'] }, { name: 'second' });
    expect(ask([first, second], '/a/b/c')).toBe('Prefix /a/b');
    const match = matchIngress([first, second], { host: 'shop.example', path: '/same', tls: false });
    expect(match).toMatchObject({
      kind: 'backend',
      ingress: { name: 'first' },
      rule: { host: 'exact', path: { path: '/same' } },
    });
  });

  test('ImplementationSpecific is a prefix of the text, and comes last among equals', () => {
    expect(ask([ingress({ '': ['Impl /foo'] })], '/foobar')).toBe('Impl /foo');
    expect(ask([ingress({ '': ['Impl /foo', 'Prefix /foo'] })], '/foo')).toBe('Prefix /foo');
    expect(ask([ingress({ '': ['Impl /foo', 'Prefix /foo'] })], '/foobar')).toBe('Impl /foo');
    expect(ask([ingress({ '': ['Prefix /', 'Impl /foo'] })], '/fox')).toBe('Prefix /');
  });

  test('the query counts for nothing, and no path is the root', () => {
    expect(ask([ingress({ '': ['Exact /foo'] })], '/foo?x=/bar#y')).toBe('Exact /foo');
    expect(ask([ingress({ '': ['Exact /'] })], '')).toBe('Exact /');
  });
});

describe('default backends', () => {
  const ruled = ingress({ 'shop.example': ['Prefix /cart'] }, { name: 'ruled', defaultBackend: toService('own') });
  const bare = ingress({}, { name: 'bare', defaultBackend: toService('bare') });

  test.each<[what: string, ingresses: Ingress[], host: string, taken: string | null]>([
    ['of the Ingress with the host', [bare, ruled], 'shop.example', 'own'],
    ['of an Ingress without rules for other hosts', [ruled, bare], 'other.example', 'bare'],
    ['of any Ingress where there is no other', [ruled], 'other.example', 'own'],
    ['none: 404', [ingress({ 'shop.example': ['Prefix /cart'] })], 'other.example', null],
    ['no Ingress at all', [], 'other.example', null],
    [
      'a host without paths',
      [ingress({ 'shop.example': [] }, { defaultBackend: toService('own') }), bare],
      'shop.example',
      'own',
    ],
  ])('%s', (_, ingresses, host, taken) => {
    expect(ask(ingresses, '/nothing', host)).toBe(taken);
  });

  test('none is 404', () => {
    expect(matchIngress([], { host: 'x', path: '/', tls: true })).toEqual({ kind: 'none', status: 404 });
  });
});

describe('TLS', () => {
  const tls = [{ hosts: ['shop.example', '*.shop.example'], secretName: null }];
  const rules = { 'shop.example': ['Prefix /'], 'a.shop.example': ['Prefix /'], 'plain.example': ['Prefix /'] };
  const NGINX = 'nginx.ingress.kubernetes.io';

  test.each<[what: string, more: Partial<Ingress>, host: string, overTls: boolean, taken: string]>([
    ['plain HTTP is sent to HTTPS', { tls }, 'shop.example', false, '308 https://shop.example/cart?x=1'],
    ['also for a wildcard', { tls }, 'a.shop.example', false, '308 https://a.shop.example/cart?x=1'],
    ['HTTPS is served', { tls }, 'shop.example', true, 'Prefix /'],
    ['another host is served', { tls }, 'plain.example', false, 'Prefix /'],
    ['HTTPS without TLS for the host is served too', { tls }, 'plain.example', true, 'Prefix /'],
    [
      'without hosts it counts for all',
      { tls: [{ hosts: [], secretName: 's' }] },
      'plain.example',
      false,
      '308 https://plain.example/cart?x=1',
    ],
    [
      'unless the annotation says no',
      { tls, annotations: { [`${NGINX}/ssl-redirect`]: 'false' } },
      'shop.example',
      false,
      'Prefix /',
    ],
    [
      'or is forced without TLS',
      { annotations: { [`${NGINX}/force-ssl-redirect`]: 'true' } },
      'plain.example',
      false,
      '308 https://plain.example/cart?x=1',
    ],
  ])('%s', (_, more, host, overTls, taken) => {
    expect(ask([ingress(rules, more)], '/cart?x=1', host, overTls)).toBe(taken);
  });

  const FORCE = 'ingress.kubernetes.io/force-ssl-redirect';
  const SWITCH = 'ingress.kubernetes.io/ssl-redirect';

  test.each<[controller: string, annotations: Ingress['annotations'], status: number | null]>([
    ['ingress-nginx', {}, 308],
    ['ingress-nginx', { [SWITCH]: 'false' }, 308],
    ['ingress-nginx', { [`${NGINX}/ssl-redirect`]: 'false' }, null],
    ['nginx-ingress', {}, 301],
    ['nginx-ingress', { [SWITCH]: 'false' }, null],
    ['nginx-ingress', { [`${NGINX}/ssl-redirect`]: 'false' }, 301],
    ['haproxy-ingress', {}, 302],
    ['haproxy-ingress', { [SWITCH]: 'false' }, null],
    ['haproxy-kubernetes-ingress', {}, 302],
    ['haproxy-kubernetes-ingress', { 'haproxy.org/ssl-redirect': 'false' }, null],
    ['traefik', {}, null],
    ['traefik', { [FORCE]: 'true', [`${NGINX}/force-ssl-redirect`]: 'true' }, null],
    ['contour', {}, null],
    ['contour', { [FORCE]: 'true' }, 301],
    ['kong', {}, null],
    ['kong', { [FORCE]: 'true' }, 302],
    ['of no known kind', {}, null],
  ])('%s with %j', (controller, annotations, status) => {
    const taken = status === null ? 'Prefix /' : `${status} https://shop.example/`;
    expect(ask([ingress(rules, { tls, annotations })], '/', 'shop.example', false, controller)).toBe(taken);
  });

  test('which hosts have it', () => {
    const one = ingress(rules, { tls });
    expect(['shop.example', 'a.shop.example', 'a.b.shop.example', 'plain.example'].map((host) => hasTls(one, host))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
