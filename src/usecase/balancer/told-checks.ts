import type { HostName } from '../../kernel/host.ts';
import type { ConnectionResult } from '../../kernel/walk/connection.ts';
import type { HealthCheck, NodeHealth } from './health-check.ts';

/** Health checks that one outcome tells as legs: nobody reads hundreds that are alike. */
const MOST_TOLD = 16;

/** The health checks that were made for connections: all of a few, of many those that failed first. */
export function toldChecks(results: readonly ConnectionResult[], health: NodeHealth): readonly HealthCheck[] {
  return balancersOn(results).flatMap((host) => told(health.checksOf(host)));
}

/** A sentence for each balancer of whose checks not all are told. */
export function checkNotes(results: readonly ConnectionResult[], health: NodeHealth): readonly string[] {
  return balancersOn(results).flatMap((host) => {
    const checks = health.checksOf(host);
    if (checks.length <= MOST_TOLD) return [];
    const well = checks.filter(({ healthy }) => healthy).length;
    return [
      `${host} has checked ${checks.length} nodes, of which ${well} are well; ${MOST_TOLD} of its health checks are told here`,
    ];
  });
}

function told(checks: readonly HealthCheck[]): readonly HealthCheck[] {
  if (checks.length <= MOST_TOLD) return checks;
  return [...checks.filter(({ healthy }) => !healthy), ...checks.filter(({ healthy }) => healthy)].slice(0, MOST_TOLD);
}

function balancersOn(results: readonly ConnectionResult[]): readonly HostName[] {
  const hosts = results.flatMap(({ request }) => request.map(({ host }) => host).filter((host) => host.startsWith('balancer/')));
  return [...new Set(hosts)];
}
