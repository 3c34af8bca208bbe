import { formatIp, parseIp } from '../net/ip.ts';
import type { CheckExpectation } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Expectation } from '../trace/check-report.ts';
import type { Outcome } from '../trace/outcome.ts';
import { resolveServer } from './refs/server.ts';
import { passesThrough } from './through.ts';

/**
 * Compares outcomes with what a check expects: `verdict`, `server`, `source`, `cause`, `status` must hold for every outcome,
 * `servers` are exactly those whose answer may arrive, `through` is on the way in every outcome, `notThrough` in none.
 */
export function evaluate(
  expect: CheckExpectation,
  outcomes: readonly Outcome[],
  cluster: Cluster,
  namespace: string,
): Expectation[] {
  const serverName = (text: string): string => {
    const server = resolveServer(cluster, text, namespace);
    return server.ok ? server.value.name : text;
  };
  const found: Expectation[] = [];
  const every = (name: string, wanted: string, actual: (outcome: Outcome) => string): void => {
    const seen = distinct(outcomes.map(actual));
    found.push({ name, ok: seen.length === 1 && seen[0] === wanted, expected: wanted, actual: seen.join(', ') });
  };
  if (expect.verdict !== undefined) every('verdict', expect.verdict, (o) => o.verdict);
  if (expect.server !== undefined)
    every('server', expect.server === null ? 'none' : serverName(expect.server), (o) => o.server ?? 'none');
  if (expect.servers !== undefined) found.push(sameServers(expect.servers.map(serverName), outcomes));
  if (expect.source !== undefined) every('source', addressText(expect.source), (o) => o.source ?? 'none');
  if (expect.cause !== undefined) every('cause', expect.cause, (o) => o.cause?.code ?? 'none');
  if (expect.status !== undefined) every('status', String(expect.status), (o) => String(o.status ?? 'none'));
  for (const place of expect.through ?? []) {
    const passing = outcomes.filter((outcome) => passesThrough(outcome, place)).length;
    found.push({ name: 'through', ok: passing === outcomes.length, expected: place, actual: howMany(passing, outcomes.length) });
  }
  for (const place of expect.notThrough ?? []) {
    const passing = outcomes.filter((outcome) => passesThrough(outcome, place)).length;
    found.push({ name: 'notThrough', ok: passing === 0, expected: place, actual: howMany(passing, outcomes.length) });
  }
  return found;
}

function sameServers(wanted: readonly string[], outcomes: readonly Outcome[]): Expectation {
  const answering = distinct(
    outcomes.flatMap(({ server, verdict }) => (server === null || verdict !== 'connected' ? [] : [server])),
  );
  const sort = (names: readonly string[]): string => distinct(names).toSorted().join(', ');
  return {
    name: 'servers',
    ok: sort(wanted) === sort(answering),
    expected: sort(wanted) || 'none',
    actual: sort(answering) || 'none',
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function addressText(text: string): string {
  const address = parseIp(text);
  return address === null ? text : formatIp(address);
}

function howMany(passing: number, all: number): string {
  if (passing === all) return 'on the way in every outcome';
  return passing === 0 ? 'on the way in no outcome' : `on the way in ${passing} of ${all} outcomes`;
}
