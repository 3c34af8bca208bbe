import { nearest } from '../support/nearest.ts';
import { planJourney } from './journey/journey.ts';
import { withNeededServices } from './needed-services.ts';
import { resolveDestination } from './refs/destination.ts';
import { parseRef } from './refs/parse.ts';
import { resolveServer } from './refs/server.ts';
import { resolveSource } from './refs/source.ts';
import type { Check, Probe } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Result } from './refs/ref.ts';

/**
 * What is wrong with checks before any of them runs: errors for references to what the cluster does not have, warnings for
 * expectations that name nothing there is (they could pass unnoticed), a note where checks expect nothing.
 */
export function checkDiagnostics(scenario: Scenario, namespace: string): readonly Diagnostic[] {
  const phases = [{ cluster: scenario.cluster, checks: scenario.checks }, ...scenario.steps];
  const found = phases.flatMap(({ cluster, checks }) => checks.flatMap((check) => ofCheck(cluster, check, namespace)));
  const idle = phases.flatMap(({ checks }) => checks).filter(({ expect }) => Object.keys(expect).length === 0);
  const [first] = idle;
  if (first === undefined) return found;
  const message = `${idle.length === 1 ? `Check "${first.name}" expects` : `${idle.length} checks, "${first.name}" the first, expect`} nothing: they hold whatever happens`;
  return [...found, { severity: 'note', code: 'no-expectation', message, position: first.position }];
}

function ofCheck(given: Cluster, check: Check, namespace: string): readonly Diagnostic[] {
  const { cluster } = withNeededServices(given, [check, ...check.before], namespace);
  const at = (severity: Diagnostic['severity'], code: string, message: string): Diagnostic => ({
    severity,
    code,
    message: `Check "${check.name}": ${message}`,
    position: check.position,
  });
  const probes: readonly (readonly [string, Probe])[] = [
    ...(check.continues === undefined ? [['', check] as const] : []),
    ...check.before.map((probe, i) => [`before ${i + 1}: `, probe] as const),
  ];
  const errors = probes.flatMap(([where, probe]) =>
    wrongReferences(cluster, probe, namespace).map((message) => at('error', 'unknown-reference', where + message)),
  );
  const { server, servers = [], notThrough = [] } = check.expect;
  const warnings = [
    ...[...(server == null ? [] : [server]), ...servers].flatMap((text) => {
      const resolved = resolveServer(cluster, text, namespace);
      return resolved.ok ? [] : [`expect: ${resolved.message}`];
    }),
    ...notThrough.flatMap((place) => misspeltHost(cluster, place)),
  ];
  return [...errors, ...warnings.map((message) => at('warning', 'unknown-reference', message))];
}

function wrongReferences(cluster: Cluster, probe: Probe, namespace: string): readonly string[] {
  const { from, to, protocol, backend } = probe;
  const source = resolveSource(cluster, from, namespace);
  const destination: Result<unknown> = source.ok
    ? planJourney(cluster, { probe: { ...probe, backend: null, sourceAddress: null }, before: [], namespace, noReply: false })
    : resolveDestination(cluster, to, { namespace, protocol, families: [4, 6] });
  return [
    ...messageOf('from', source),
    // Without a client nobody looks names up.
    ...(source.ok || namesObject(to) ? messageOf('to', destination) : []),
    ...(backend === null ? [] : messageOf('backend', resolveServer(cluster, backend, namespace))),
  ];
}

function namesObject(to: string): boolean {
  const parsed = parseRef(to);
  return !parsed.ok || (parsed.value.form !== 'url' && parsed.value.form !== 'dns');
}

function messageOf(key: string, result: Result<unknown>): readonly string[] {
  return result.ok ? [] : [`${key}: ${result.message}`];
}

/** A place that packets should not pass and that is nearly the name of a host. Devices and chains are not known beforehand. */
function misspeltHost({ nodes, pods, externals }: Cluster, place: string): readonly string[] {
  const names = [
    ...nodes.flatMap(({ name }) => [name, `node/${name}`]),
    ...externals.flatMap(({ name }) => [name, `external/${name}`]),
    ...pods.flatMap(({ namespace, name }) => [
      name,
      `${namespace}/${name}`,
      `pod/${namespace}/${name}`,
      ...(namespace === 'default' ? [`pod/${name}`] : []),
    ]),
    'underlay',
  ];
  if (names.includes(place)) return [];
  const like = place.includes(' ') ? null : nearest(place, names);
  if (like === null && !/^(pod|node|external)\//.test(place)) return [];
  return [`notThrough: there is no "${place}"${like === null ? '' : `; did you mean ${like}?`}`];
}
