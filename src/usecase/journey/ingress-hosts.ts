import { formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { ingressesOf } from '../../kubernetes/ingress/classes.ts';
import { controllersOf } from '../../kubernetes/ingress/controllers.ts';
import type { IngressController } from '../../kubernetes/ingress/controllers.ts';
import { entriesOf, statusAddresses } from '../../kubernetes/ingress/entries.ts';
import { takesHost } from '../../kubernetes/ingress/host-match.ts';
import { canonicalName, withoutZone } from '../../kubernetes/dns/names.ts';
import { answerOutside } from '../../kubernetes/dns/upstream.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { ExternalName } from '../../kubernetes/model/dns.ts';
import type { Ingress } from '../../kubernetes/model/ingress.ts';

/**
 * The cluster with a name of the world outside that an Ingress serves, where `externalDNS` does not have it: somebody must have made a DNS
 * record for it, which can only lead to where the Ingress's status says, or else to where its controller is found.
 */
export function withIngressHost(
  cluster: Cluster,
  wanted: string,
): { readonly cluster: Cluster; readonly assumptions: readonly string[] } {
  const name = canonicalName(wanted);
  const isKnown =
    withoutZone(name, cluster.dnsDomain) !== null || answerOutside(cluster.externalDns, name, 'A').rcode === 'NOERROR';
  if (isKnown) return { cluster, assumptions: [] };
  for (const controller of controllersOf(cluster)) {
    const ingress = ingressesOf(cluster, controller).find((each) => serves(each, name));
    const way = ingress && wayTo(cluster, controller, ingress);
    if (!way) continue;
    const record: ExternalName = { name, addresses: way.addresses, alias: null };
    const text = `${name} is not under externalDNS; it is taken to lead to ${way.addresses.map(formatIp).join(', ')}: ${way.why}`;
    return { cluster: { ...cluster, externalDns: [...cluster.externalDns, record] }, assumptions: [text] };
  }
  return { cluster, assumptions: [] };
}

function serves({ rules, tls }: Ingress, name: string): boolean {
  const hosts = [...rules.flatMap(({ host }) => host ?? []), ...tls.flatMap(({ hosts: own }) => own)];
  return hosts.some((host) => takesHost(host, name) !== null);
}

interface Way {
  readonly addresses: readonly IpAddress[];
  readonly why: string;
}

function wayTo(cluster: Cluster, controller: IngressController, ingress: Ingress): Way | null {
  const status = statusAddresses(ingress).addresses;
  if (status.length > 0) return { addresses: status, why: `the status of Ingress ${ingress.namespace}/${ingress.name} says so` };
  const entries = entriesOf(cluster, controller);
  const [first] = entries;
  if (first === undefined) return null;
  const alike = entries.filter(({ kind }) => kind === first.kind);
  const addresses = [...new Set(alike.flatMap((entry) => entry.addresses))];
  return addresses.length === 0
    ? null
    : { addresses, why: `there is the controller ${controller.name} (${WAYS[first.kind]} of ${first.object})` };
}

const WAYS = {
  'load-balancer': 'load balancer',
  'external-ip': 'external IP',
  'host-port': 'host port',
  'host-network': 'host network',
  'node-port': 'node port',
} as const;
