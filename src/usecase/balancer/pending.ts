import { familyOf } from '../../net/ip.ts';
import { findService } from '../refs/lookup.ts';
import { parseRef } from '../refs/parse.ts';
import { choosePort } from '../refs/port.ts';
import { found, refused } from '../refs/ref.ts';
import { resolveSource } from '../refs/source.ts';
import type { Probe } from '../../kubernetes/model/check.ts';
import type { Cluster, Service } from '../../kubernetes/model/cluster.ts';
import type { Ending } from '../journey/step.ts';
import type { Result } from '../refs/ref.ts';
import type { Source } from '../refs/source.ts';

/** A question that no packet answers: the service has no public address that a client outside could ask for. */
export interface Pending {
  readonly source: Source;
  /** "svc/default/web:80" */
  readonly label: string;
  readonly protocol: string;
  readonly cause: NonNullable<Ending['cause']>;
}

/** Is a service of type LoadBalancer asked for from outside that has no address yet? null: no. */
export function pendingService(cluster: Cluster, probe: Probe, namespace: string): Result<Pending> | null {
  const parsed = parseRef(probe.to);
  if (!parsed.ok || parsed.value.form !== 'object' || parsed.value.kind !== 'svc') return null;
  const ref = parsed.value;
  const service = findService(cluster, ref.namespace ?? namespace, ref.name);
  if (!service.ok || service.value.type !== 'LoadBalancer') return null;
  const { loadBalancerIngress, ports } = service.value;
  if (loadBalancerIngress.some(({ ip }) => ip !== null)) return null;
  const source = resolveSource(cluster, probe.from, namespace);
  if (!source.ok || !source.value.host.startsWith('external/')) return null;
  const label = `svc/${service.value.namespace}/${service.value.name}`;
  const hostname = loadBalancerIngress.find((ingress) => ingress.hostname !== null)?.hostname;
  if (hostname) return refused(`${label} is known outside by a name only: ask for ${hostname}`);
  const chosen = choosePort(label, ports, ref.port, probe.protocol === 'icmp' ? null : probe.protocol);
  if (!chosen.ok) return chosen;
  return found({
    source: source.value,
    label: `${label}:${chosen.value.port}`,
    protocol: probe.protocol ?? chosen.value.protocol,
    cause: whyPending(cluster, service.value, chosen.value.port),
  });
}

function whyPending(cluster: Cluster, service: Service, port: number): Pending['cause'] {
  const name = `Service ${service.namespace}/${service.name}`;
  const text = (why: string): string =>
    `${name} of type LoadBalancer is pending: ${why}, so status.loadBalancer is empty and clients outside have no address to connect to`;
  const code = 'load-balancer-pending';
  const nodePort = service.ports.find((p) => p.port === port)?.nodePort ?? 0;
  const node = cluster.nodes[0];
  const byNode =
    nodePort === 0 || node === undefined
      ? []
      : [`k8snet trace ... --to node/${node.name}:${nodePort}  # its node port works without a cloud`];
  if (service.loadBalancerClass !== null) {
    const why = `its loadBalancerClass ${service.loadBalancerClass} leaves it to another controller than the cloud's, and that has given it none`;
    return { code, text: text(why), remedy: byNode.length > 0 ? byNode : null };
  }
  if (cluster.loadBalancer === null) {
    const remedy = [
      'loadBalancer: {}  # in the scenario, if the cluster is in a cloud (or has MetalLB: mode: direct)',
      ...byNode,
    ];
    return { code, text: text('no cloud is there to give it an address'), remedy };
  }
  const families = service.ipFamilies.filter(
    (family) => !cluster.loadBalancer?.publicCidrs.some(({ address }) => familyOf(address) === family),
  );
  const why =
    families.length > 0 ? `the cloud has no range of IPv${families.join(' and IPv')}` : "the cloud's range has no address left";
  return { code, text: text(why), remedy: ['loadBalancer: { publicCIDR: ... }  # in the scenario: another range'] };
}
