import { nearest } from '../../support/nearest.ts';
import { hasNamespace, parseClusterName } from '../../kubernetes/dns/cluster-names.ts';
import type { ClusterName } from '../../kubernetes/dns/cluster-names.ts';
import { answerQuery } from '../../kubernetes/dns/answer-query.ts';
import { canonicalName, withoutZone } from '../../kubernetes/dns/names.ts';
import type { DnsAnswer } from '../../kubernetes/dns/records.ts';
import type { ResolvConf } from '../../kubernetes/dns/resolv-conf.ts';
import { takesHost } from '../../kubernetes/ingress/host-match.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Source } from '../refs/source.ts';
import type { Ending } from './step.ts';

type EndingCause = NonNullable<Ending['cause']>;
type ServiceName = Extract<ClusterName, { kind: 'service' }>;

/** Why a name was not found though servers answered: what the most telling of the answers lacked. */
export function whyUnresolved(
  cluster: Cluster,
  name: string,
  missed: readonly DnsAnswer[],
  client: { readonly source: Source; readonly resolvConf: ResolvConf },
): EndingCause {
  const stranger = notOnClusterDns(cluster, name, client);
  if (stranger) return stranger;
  const halfWay = missed.find(
    ({ from, miss }) => from === 'upstream' && (miss === 'alias-unresolved' || miss === 'no-such-type'),
  );
  if (halfWay) return cause(...lackOf(cluster, name, halfWay));
  const ofService = missed.find((answer) => answer.service !== null);
  if (ofService) return cause(...lackOf(cluster, name, ofService));
  const wanted = missed.flatMap((answer) => plainService(cluster, answer) ?? []);
  const likely = wanted.find(({ namespace }) => hasNamespace(cluster, namespace));
  if (likely) return cause(noSuchService(cluster, name, likely));
  const elsewhere = wanted.flatMap(({ service }) => cluster.services.filter((each) => each.name === service))[0];
  if (elsewhere) {
    const right = `${elsewhere.name}.${elsewhere.namespace}`;
    return cause(
      `nobody knows ${name}: service ${elsewhere.name} is in namespace ${elsewhere.namespace}; did you mean ${right}?`,
    );
  }
  const [only] = missed;
  return only && missed.length === 1 && only.from === 'cluster'
    ? cause(...lackOf(cluster, name, only))
    : cause(nobodyKnows(cluster, name));
}

/** A name of the cluster, and a client that does not ask the cluster's DNS. */
function notOnClusterDns(
  cluster: Cluster,
  name: string,
  { source, resolvConf }: { readonly source: Source; readonly resolvConf: ResolvConf },
): EndingCause | null {
  if (resolvConf.from === 'cluster' || cluster.cni.plugin === 'docker') return null;
  const namespace = source.pod?.namespace ?? 'default';
  const forms = ['', `.svc.${cluster.dnsDomain}`, `.${namespace}.svc.${cluster.dnsDomain}`];
  if (!forms.some((rest) => isOfCluster(cluster, `${canonicalName(name)}${rest}`))) return null;
  const text = `${name} is a name of the cluster, and ${source.label} does not ask the cluster's DNS`;
  const { pod } = source;
  if (pod === null) return cause(`${text}: only pods do`);
  const isHost = pod.hostNetwork && (pod.dns?.policy ?? 'ClusterFirst') === 'ClusterFirst';
  return isHost
    ? cause(`${text}: with hostNetwork the policy ClusterFirst means its node's resolv.conf`, [
        `dnsPolicy: ClusterFirstWithHostNet  # in the spec of pod ${pod.namespace}/${pod.name}, better in the template of its workload`,
      ])
    : cause(`${text}: its dnsPolicy is ${pod.dns?.policy ?? 'ClusterFirst'}`);
}

function isOfCluster(cluster: Cluster, name: string): boolean {
  const answer = answerQuery(cluster, name, 'A');
  return answer.from === 'cluster' && (answer.miss === null || answer.miss === 'no-such-type');
}

function nobodyKnows(cluster: Cluster, name: string): string {
  const host = canonicalName(name);
  const ingress = cluster.ingresses.find(({ rules }) =>
    rules.some((rule) => rule.host !== null && takesHost(rule.host, host) !== null),
  );
  return ingress
    ? `nobody knows ${name}: Ingress ${ingress.namespace}/${ingress.name} has that host, and no controller that serves it is found`
    : `nobody knows ${name}: add it under externalDNS if it is a name of the world outside`;
}

/** A name of the form SERVICE.NAMESPACE.svc.ZONE that has no service: the one that a client is likely to have meant. */
function plainService(cluster: Cluster, { name, miss }: DnsAnswer): ServiceName | null {
  if (miss !== 'no-such-service' && miss !== 'no-such-namespace') return null;
  const base = withoutZone(name, canonicalName(cluster.dnsDomain));
  const parsed = base === null ? null : parseClusterName(base);
  return parsed?.kind === 'service' && parsed.endpoint === null && parsed.port === null ? parsed : null;
}

function noSuchService(cluster: Cluster, name: string, { service, namespace }: ServiceName): string {
  const here = cluster.services.filter((each) => each.namespace === namespace).map((each) => each.name);
  const elsewhere = cluster.services.find((each) => each.name === service && each.namespace !== namespace);
  const near = nearest(service, here);
  const hint = elsewhere
    ? `; there is one in namespace ${elsewhere.namespace}: ${service}.${elsewhere.namespace}`
    : near === null
      ? ''
      : `; did you mean ${near}?`;
  return `no service "${service}" is in namespace ${namespace}, so ${name} has no record${hint}`;
}

function lackOf(
  cluster: Cluster,
  name: string,
  { miss, service, name: asked }: DnsAnswer,
): [text: string, remedy?: readonly string[]] {
  switch (miss) {
    case 'no-such-port':
      return [`service ${service} has no port of that name: SRV records exist for named ports only`];
    case 'no-ready-endpoint': {
      const [namespace, own] = (service ?? '').split('/');
      const text = `headless service ${service} has no ready endpoint: its name has no address until a pod is ready`;
      return [text, [`kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${own}`]];
    }
    case 'no-such-endpoint':
      return [`service ${service} has no ready endpoint of that name`];
    case 'not-an-address':
    case 'not-a-cluster-name':
      return [`${asked} is not of a form that the cluster's zone knows: NAME.NAMESPACE.svc.${cluster.dnsDomain}`];
    case 'no-such-type':
      return [`${asked} is there, but has no address of a family that the client has`];
    case 'alias-unresolved':
      return [`${asked} is an alias, and the name that it stands for has no address`];
    case 'no-such-service':
    case 'no-such-namespace':
    case 'unknown-outside':
    case null:
      return [nobodyKnows(cluster, name)];
  }
}

function cause(text: string, remedy: readonly string[] | null = null): EndingCause {
  return { code: 'unresolved', text, remedy };
}
