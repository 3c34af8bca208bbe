import { once } from '../../../support/once.ts';
import { selectEndpoints } from '../../services/select-endpoints.ts';
import { endpointBase, servicePortBase } from './names.ts';
import type { NftElement, NftRule } from '../../../kernel/netfilter/nftables/ruleset.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { EndpointSelection } from '../../services/select-endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';
import type { NftSettings } from './settings.ts';

/** A service port as one node sees it: all that its part of the table is made from. */
export interface PortView {
  readonly port: ProxyServicePort;
  readonly selection: EndpointSelection;
  readonly settings: NftSettings;
  /** Behind the prefix of its chains' names; computed when first needed. */
  readonly base: string;
  /** Chain external- exists: there is something to reach, and a way in from outside. */
  readonly usesExternalChain: boolean;
  /** Chain firewall- exists, even without endpoints. */
  readonly usesFirewall: boolean;
  /** Each endpoint has a chain: always in 1.30, later only where the client is remembered. */
  readonly usesEndpointChains: boolean;
}

export function portViewOf(port: ProxyServicePort, endpoints: readonly ProxyEndpoint[], settings: NftSettings): PortView {
  const selection = selectEndpoints(port, endpoints, settings.endpointPolicy);
  const base = once(() => servicePortBase(port));
  return {
    port,
    selection,
    settings,
    get base() {
      return base();
    },
    usesExternalChain: selection.hasEndpoints && port.hasExternal,
    usesFirewall: port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0,
    usesEndpointChains: settings.generation === 'alpha' || port.affinitySeconds !== null,
  };
}

/** Name of an endpoint's chain. */
export function endpointChain({ port }: PortView, endpoint: ProxyEndpoint): string {
  return `endpoint-${endpointBase(port, endpoint)}`;
}

/** Name of the set of clients that an endpoint has served of late. */
export function affinitySet({ port }: PortView, endpoint: ProxyEndpoint): string {
  return `affinity-${endpointBase(port, endpoint)}`;
}

/** A rule of a service port. */
export function portRule(view: PortView, role: ProxyRole, text: string): NftRule {
  return { text, origin: originOf(view, role) };
}

/** A rule that belongs to no service. */
export function proxyRule(role: ProxyRole, text: string): NftRule {
  return { text, origin: { object: null, by: 'kube-proxy', role } };
}

/** An element that a service port puts into a map of all services. */
export function portElement(view: PortView, role: ProxyRole, key: string, data: string, comment: string | null): NftElement {
  return { key, data, comment, options: [], origin: originOf(view, role) };
}

function originOf({ port: { service } }: PortView, role: ProxyRole): Origin {
  return { object: `Service ${service.namespace}/${service.name}`, by: 'kube-proxy', role };
}
