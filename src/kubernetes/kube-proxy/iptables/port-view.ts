import { selectEndpoints } from '../../services/select-endpoints.ts';
import { endpointChainName, servicePortHash } from './names.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { EndpointSelection, Reachability } from '../../services/select-endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';
import type { ProxySettings } from './settings.ts';

/** A service port as one node sees it: all that its rules are made from. */
export interface PortView {
  readonly port: ProxyServicePort;
  /** "Service namespace/name", for origins. */
  readonly object: string;
  readonly selection: EndpointSelection;
  readonly settings: ProxySettings;
  /** Hash in the names of its chains; computed when first needed. */
  hash(): string;
  /** Names of the chains of `selection.reachable`; computed when first needed. */
  reachableChains(): readonly string[];
  /** Chain KUBE-EXT exists. */
  readonly usesExternalChain: boolean;
  /** Chain KUBE-FW exists. */
  readonly usesFirewall: boolean;
}

export function portViewOf(port: ProxyServicePort, endpoints: readonly ProxyEndpoint[], settings: ProxySettings): PortView {
  const selection = selectEndpoints(port, endpoints, settings.endpointPolicy);
  let hash: string | undefined;
  let reachableChains: readonly string[] | undefined;
  return {
    port,
    object: `Service ${port.service.namespace}/${port.service.name}`,
    selection,
    settings,
    hash: () => (hash ??= servicePortHash(port.name, port.protocol)),
    reachableChains: () => (reachableChains ??= chainsOfEndpoints(port, selection.reachable)),
    usesExternalChain: selection.hasEndpoints && port.hasExternal,
    usesFirewall: usesFirewall(port, selection),
  };
}

/** Source ranges are checked only where there is something to protect. */
export function usesFirewall(port: ProxyServicePort, { hasEndpoints }: Reachability): boolean {
  return hasEndpoints && port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;
}

/** Names of the chains of some of a view's endpoints, in order. */
export function endpointChainNames(view: PortView, endpoints: readonly ProxyEndpoint[]): readonly string[] {
  return endpoints === view.selection.reachable ? view.reachableChains() : chainsOfEndpoints(view.port, endpoints);
}

function chainsOfEndpoints({ name, protocol }: ProxyServicePort, endpoints: readonly ProxyEndpoint[]): readonly string[] {
  return endpoints.map((endpoint) => endpointChainName(name, protocol, endpoint.text));
}

/** A rule of a service port. */
export function portLine({ object }: PortView, role: ProxyRole, body: string): RuleLine {
  return { body, origin: { object, by: 'kube-proxy', role } };
}

/** A rule that belongs to no service. */
export function proxyLine(role: ProxyRole, body: string): RuleLine {
  return { body, origin: { object: null, by: 'kube-proxy', role } };
}

/** `-m comment --comment "TEXT" `: iptables-save quotes every comment with a blank or a slash. */
export function comment(text: string): string {
  return `-m comment --comment "${text}" `;
}
