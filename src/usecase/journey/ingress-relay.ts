import { answerQuery } from '../../kubernetes/dns/answer-query.ts';
import { addressesOf } from '../../kubernetes/dns/records.ts';
import { resolveBackend, upstreamEndpoints } from '../../kubernetes/ingress/backend.ts';
import type { ResolvedBackend } from '../../kubernetes/ingress/backend.ts';
import { classDecision, ingressesOf } from '../../kubernetes/ingress/classes.ts';
import type { IngressController } from '../../kubernetes/ingress/controllers.ts';
import { matchIngress } from '../../kubernetes/ingress/match-ingress.ts';
import type { IngressMatch } from '../../kubernetes/ingress/match-ingress.ts';
import type { Verdict } from '../../trace/outcome.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import { whyEmpty } from '../cause/service-refuses.ts';
import { formatEndpoint } from '../refs/lookup.ts';
import type { HttpRequest } from './http.ts';
import { indexOf, ingressControllers } from './index-of.ts';
import { connectOnward } from './relay.ts';
import type { Answering, Arrival } from './relay.ts';
import { end } from './step.ts';
import type { Ending, Move } from './step.ts';

type Backend = Extract<IngressMatch, { kind: 'backend' }>;
type ServiceBackend = Extract<ResolvedBackend, { kind: 'service' }>;

/**
 * An ingress controller: a reverse proxy that looks at host and path of a request, and makes a connection of its own to the service that
 * the rule names, or straight to one of its endpoints. What it can't pass on it answers itself: 404 where no rule takes the request, 503
 * without endpoints, 502 and 504 where its own connection is refused or times out.
 */
export function ingressRelay(arrival: Arrival, answering: Answering): Move | null {
  const { cluster, http } = arrival;
  if (http === null) return null;
  const controller = ingressControllers(cluster).find(({ pods }) =>
    pods.some(({ namespace, name }) => `pod/${namespace}/${name}` === answering.owner),
  );
  if (controller === undefined) return null;
  const wrong = wrongPort(controller, answering.port, http);
  if (wrong !== null) return end({ answered: 'last', status: 400, notes: [wrong] });
  const match = matchIngress(
    ingressesOf(cluster, controller),
    { host: http.host, path: http.path, tls: http.scheme === 'https' },
    controller.implementation?.httpsRedirect ?? null,
  );
  switch (match.kind) {
    case 'none': {
      const why = `no Ingress rule takes ${http.host}${http.path}: the controller itself answers 404`;
      return end({ answered: 'last', status: match.status, notes: [why + passedOver(cluster, controller, http)] });
    }
    case 'redirect': {
      const why = `Ingress ${match.ingress.namespace}/${match.ingress.name} has TLS for ${http.host}: the controller sends the client to ${match.location}`;
      return end({ answered: 'last', status: match.status, notes: [why] });
    }
    case 'backend':
      return passToBackend(arrival, answering, match, http);
  }
}

/** Plain HTTP to the port for TLS, and the other way round: nginx answers both with 400. */
function wrongPort({ name, ports }: IngressController, port: number, { scheme }: HttpRequest): string | null {
  if (ports.http === ports.https) return null;
  if (scheme === 'http' && port === ports.https) return `${name} expects TLS on port ${port}: plain HTTP is answered with 400`;
  if (scheme === 'https' && port === ports.http)
    return `${name} expects plain HTTP on port ${port}: to a TLS handshake it answers in plain text, which the client reports as a TLS error`;
  return null;
}

/** An Ingress that would take the request, if it were this controller's. */
function passedOver(cluster: Cluster, controller: IngressController, { host, path, scheme }: HttpRequest): string {
  for (const ingress of cluster.ingresses) {
    const decision = classDecision(cluster, controller, ingress);
    if (decision.serves || matchIngress([ingress], { host, path, tls: scheme === 'https' }).kind === 'none') continue;
    const name = `Ingress ${ingress.namespace}/${ingress.name}`;
    return decision.className === null
      ? `; ${name} has one, but names no class, and no IngressClass is the default`
      : `; ${name} has one, but is of class ${decision.className}, which ${controller.name} does not serve`;
  }
  return '';
}

function passToBackend(arrival: Arrival, answering: Answering, match: Backend, http: HttpRequest): Move {
  const { cluster, choices } = arrival;
  const backend = resolveBackend(cluster, match.ingress, match.backend);
  if (backend.kind !== 'service') return end({ answered: 'last', status: 503, cause: unresolvedBackend(match, backend) });
  const { service, port } = backend;
  if (service.type === 'ExternalName') return passOutside(arrival, answering, match, backend, http);
  const endpoints = upstreamEndpoints(cluster, service, port);
  const label = `svc/${service.namespace}/${service.name}:${port.port}`;
  const clusterIp = service.clusterIps[0];
  const rule = ruleText(match, http);
  if (cluster.ingressSettings.upstream === 'service' && clusterIp !== undefined) {
    const text = `${rule} → ${label}`;
    const failed = (verdict: Verdict): Partial<Ending> => ({ status: endpoints.length === 0 ? 503 : statusOf(verdict) });
    return connectOnward(arrival, answering, {
      purpose: 'proxy',
      label,
      address: clusterIp,
      port: port.port,
      pod: null,
      text,
      failed,
      ending: { status: 200 },
    });
  }
  if (endpoints.length === 0) return end({ answered: 'last', status: 503, cause: withoutEndpoints(cluster, match, backend) });
  const weight = 1 / endpoints.length;
  const picked =
    endpoints.length === 1
      ? 0
      : choices.pick(
          `upstream ${label}`,
          endpoints.map(() => weight),
        );
  const endpoint = endpoints[picked]!;
  const pod = endpoint.pod === null ? null : (indexOf(cluster).pod(endpoint.pod) ?? null);
  const at = formatEndpoint(endpoint.address, endpoint.port);
  return connectOnward(arrival, answering, {
    purpose: 'proxy',
    label: endpoint.pod === null ? at : `pod/${endpoint.pod}:${endpoint.port}`,
    address: endpoint.address,
    port: endpoint.port,
    pod,
    text: `${rule} → ${label}, straight to ${at}${endpoints.length > 1 ? `, 1 of ${endpoints.length}` : ''}`,
    failed: (verdict) => ({ status: statusOf(verdict) }),
    ending: { status: 200 },
  });
}

/** ingress-nginx looks the name of an ExternalName service up itself; that query is not walked. */
function passOutside(
  arrival: Arrival,
  answering: Answering,
  match: Backend,
  { service, port }: ServiceBackend,
  http: HttpRequest,
): Move {
  const name = service.externalName ?? '';
  const [address] = addressesOf(answerQuery(arrival.cluster, name, 'A'));
  const label = `svc/${service.namespace}/${service.name}:${port.port}`;
  if (address === undefined) {
    const text = `${label} stands for ${name}, which the controller finds no address for: HTTP 503`;
    return end({ answered: 'last', status: 503, cause: { code: 'unresolved', text, remedy: null } });
  }
  return connectOnward(arrival, answering, {
    purpose: 'proxy',
    label: `${name}:${port.port}`,
    address,
    port: port.port,
    pod: null,
    text: `${ruleText(match, http)} → ${label}, an alias of ${name}, ${formatEndpoint(address, port.port)}`,
    failed: (verdict) => ({ status: statusOf(verdict) }),
    ending: { status: 200 },
  });
}

/** 504 Gateway Timeout, 502 Bad Gateway (RFC 9110). */
function statusOf(verdict: Verdict): number {
  return verdict === 'timeout' ? 504 : 502;
}

/** "Ingress shop/web: shop.example /cart (Prefix)". */
function ruleText({ ingress, rule }: Backend, { host }: HttpRequest): string {
  const name = `Ingress ${ingress.namespace}/${ingress.name}`;
  if (rule === null) return `${name}: default backend`;
  const of = rule.host === 'wildcard' ? `${rule.rule.host} takes ${host}` : (rule.rule.host ?? 'every host');
  return `${name}: ${of} ${rule.path.path} (${rule.path.pathType})`;
}

type EndingCause = NonNullable<Ending['cause']>;

function unresolvedBackend({ ingress }: Backend, backend: Exclude<ResolvedBackend, { kind: 'service' }>): EndingCause {
  const name = `Ingress ${ingress.namespace}/${ingress.name}`;
  switch (backend.kind) {
    case 'no-such-service':
      return {
        code: 'no-endpoints',
        text: `${name} names service ${backend.service}, which does not exist: HTTP 503`,
        remedy: null,
      };
    case 'no-such-port': {
      const { namespace, name: service, ports } = backend.service;
      const there = ports.map((port) => port.port).join(', ');
      const text = `${name} names port ${backend.port} of service ${namespace}/${service}, which has ${there}: HTTP 503`;
      return { code: 'port-not-in-service', text, remedy: null };
    }
    case 'resource':
      return {
        code: 'no-endpoints',
        text: `${name} names ${backend.resourceKind} ${backend.name}, which is no service: whether the controller serves it is not modelled`,
        remedy: null,
      };
  }
}

function withoutEndpoints(cluster: Cluster, { ingress }: Backend, { service }: ServiceBackend): EndingCause {
  const { text: why, remedy } = whyEmpty(cluster, service);
  const text = `Service ${service.namespace}/${service.name}, to which Ingress ${ingress.namespace}/${ingress.name} leads, has no ready endpoint, so the controller answers 503: ${why}`;
  return { code: 'no-endpoints', text, remedy };
}
