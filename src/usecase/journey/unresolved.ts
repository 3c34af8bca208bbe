import { nearest } from '../../support/nearest.ts';
import type { DnsAnswer } from '../../kubernetes/dns/records.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Ending } from './step.ts';

/** Why a name was not found though servers answered: what the most telling of the answers lacked. */
export function whyUnresolved(cluster: Cluster, name: string, missed: readonly DnsAnswer[]): NonNullable<Ending['cause']> {
  const telling = missed.find((answer) => answer.service !== null) ?? missed.find(isOfAService) ?? missed[0];
  const reason: Reason = telling
    ? reasonOf(cluster, name, telling)
    : { text: `${name} is no name that can be looked up`, remedy: null };
  return { ...reason, code: 'unresolved' };
}

function isOfAService({ miss }: DnsAnswer): boolean {
  return miss === 'no-such-service' || miss === 'no-such-namespace';
}

type Reason = Pick<NonNullable<Ending['cause']>, 'text' | 'remedy'>;

function reasonOf(cluster: Cluster, name: string, { miss, service, name: asked }: DnsAnswer): Reason {
  const labels = asked.split('.');
  switch (miss) {
    case 'no-such-service': {
      const [wanted = '', namespace = ''] = labels;
      const here = cluster.services.filter((s) => s.namespace === namespace).map((s) => s.name);
      const elsewhere = cluster.services.find((s) => s.name === wanted && s.namespace !== namespace);
      const near = nearest(wanted, here);
      const hint = elsewhere
        ? `; there is one in namespace ${elsewhere.namespace}: ${wanted}.${elsewhere.namespace}`
        : near === null
          ? ''
          : `; did you mean ${near}?`;
      return { text: `no service "${wanted}" is in namespace ${namespace}, so ${name} has no record${hint}`, remedy: null };
    }
    case 'no-such-namespace':
      return {
        text: `${name} is neither a service of the cluster nor a name of the world outside (no namespace "${labels[1]}")`,
        remedy: null,
      };
    case 'no-such-port':
      return { text: `service ${service} has no port of that name: SRV records exist for named ports only`, remedy: null };
    case 'no-ready-endpoint':
      return {
        text: `headless service ${service} has no ready endpoint: its name has no address until a pod is ready`,
        remedy: [
          `kubectl get endpointslices -n ${service?.split('/')[0]} -l kubernetes.io/service-name=${service?.split('/')[1]}`,
        ],
      };
    case 'no-such-endpoint':
      return { text: `service ${service} has no ready endpoint of that name`, remedy: null };
    case 'not-an-address':
    case 'not-a-cluster-name':
      return {
        text: `${asked} is not of a form that the cluster's zone knows: NAME.NAMESPACE.svc.${cluster.dnsDomain}`,
        remedy: null,
      };
    case 'no-such-type':
      return { text: `${asked} is there, but has no address of a family that the client has`, remedy: null };
    case 'alias-unresolved':
      return { text: `${asked} is an alias, and the name that it stands for has no address`, remedy: null };
    case 'unknown-outside':
    case null:
      return { text: `nobody knows ${name}: add it under externalDNS if it is a name of the world outside`, remedy: null };
  }
}
