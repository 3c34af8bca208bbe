import { describe, expect, test } from 'vitest';
import { candidateNames, nextCandidate, searchFailure } from '../../../../src/kubernetes/dns/search.ts';
import type { QueryResult } from '../../../../src/kubernetes/dns/search.ts';

const POD = { search: ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local'], ndots: 5 };
const NODE = { search: ['corp.example'], ndots: 1 };
const NONE = { search: [], ndots: 1 };

describe('the names that glibc asks for', () => {
  test.each<[name: string, conf: typeof POD, names: string[]]>([
    ['web', POD, ['web.shop.svc.cluster.local', 'web.svc.cluster.local', 'web.cluster.local', 'web']],
    ['web.shop', POD, ['web.shop.shop.svc.cluster.local', 'web.shop.svc.cluster.local', 'web.shop.cluster.local', 'web.shop']],
    ['WEB.', POD, ['web']],
    ['web.shop.svc.cluster.local.', POD, ['web.shop.svc.cluster.local']],
    // Four dots are less than ndots:5, so the full name comes last.
    [
      'web.shop.svc.cluster.local',
      POD,
      [
        'web.shop.svc.cluster.local.shop.svc.cluster.local',
        'web.shop.svc.cluster.local.svc.cluster.local',
        'web.shop.svc.cluster.local.cluster.local',
        'web.shop.svc.cluster.local',
      ],
    ],
    [
      'a.b.c.d.e.f',
      POD,
      ['a.b.c.d.e.f', 'a.b.c.d.e.f.shop.svc.cluster.local', 'a.b.c.d.e.f.svc.cluster.local', 'a.b.c.d.e.f.cluster.local'],
    ],
    ['shop.example', NODE, ['shop.example', 'shop.example.corp.example']],
    ['db', NODE, ['db.corp.example', 'db']],
    ['db', NONE, ['db']],
    ['db', { search: [''], ndots: 1 }, ['db']],
    ['db', { search: ['x.example', ''], ndots: 1 }, ['db.x.example', 'db']],
    ['db', { search: ['x.example'], ndots: 0 }, ['db', 'db.x.example']],
  ])('%s with %o', (name, conf, names) => {
    expect(candidateNames(name, conf)).toEqual(names);
  });
});

describe('what ends the search', () => {
  test.each<[name: string, results: QueryResult[], next: string | null]>([
    ['web', [], 'web.shop.svc.cluster.local'],
    ['web', ['found'], null],
    ['web', ['NXDOMAIN'], 'web.svc.cluster.local'],
    ['web', ['NODATA'], 'web.svc.cluster.local'],
    ['web', ['SERVFAIL'], 'web.svc.cluster.local'],
    // The rest of the list is passed over, the name as it is gets its turn.
    ['web', ['timeout'], 'web'],
    ['web', ['NXDOMAIN', 'timeout'], 'web'],
    ['web', ['timeout', 'timeout'], null],
    ['web', ['refused'], null],
    ['web', ['NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN'], 'web'],
    ['web', ['NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN'], null],
    ['web.', ['NXDOMAIN'], null],
    // Asked for as it is first: even without an answer the list follows.
    ['a.b.c.d.e.f', ['timeout'], 'a.b.c.d.e.f.shop.svc.cluster.local'],
    ['a.b.c.d.e.f', ['timeout', 'timeout'], null],
    ['a.b.c.d.e.f', ['refused'], 'a.b.c.d.e.f.shop.svc.cluster.local'],
    ['a.b.c.d.e.f', ['refused', 'refused'], null],
  ])('%s after %j', (name, results, next) => {
    expect(nextCandidate(name, POD, results)).toBe(next);
  });
});

describe('what the caller is told in the end', () => {
  test.each<[name: string, results: QueryResult[], failure: ReturnType<typeof searchFailure>]>([
    ['web', [], 'not-found'],
    ['web', ['NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN'], 'not-found'],
    ['web', ['NXDOMAIN', 'NODATA', 'NXDOMAIN', 'NXDOMAIN'], 'no-address'],
    ['web', ['SERVFAIL', 'NODATA', 'NXDOMAIN', 'NXDOMAIN'], 'no-address'],
    ['web', ['SERVFAIL', 'NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN'], 'try-again'],
    ['web', ['timeout', 'timeout'], 'try-again'],
    ['web', ['timeout', 'NXDOMAIN'], 'not-found'],
    ['web', ['refused'], 'try-again'],
    ['a.b.c.d.e.f', ['NXDOMAIN', 'NODATA', 'NXDOMAIN', 'NXDOMAIN'], 'not-found'],
    ['a.b.c.d.e.f', ['NODATA', 'NXDOMAIN', 'NXDOMAIN', 'NXDOMAIN'], 'no-address'],
  ])('%s after %j', (name, results, failure) => {
    expect(searchFailure(name, POD, results)).toBe(failure);
  });
});
