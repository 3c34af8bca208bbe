import { selectEndpoints } from '../../services/select-endpoints.ts';
import { endpointChainName, servicePortHash } from './names.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { EndpointSelection } from '../../services/select-endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';
import type { ProxySettings } from './settings.ts';

/** A service port as one node sees it: all that its rules are made from. */
export interface PortView {
  readonly port: ProxyServicePort;
  readonly selection: EndpointSelection;
  readonly settings: ProxySettings;
  /** Hash in the names of its chains; computed when first needed. */
  readonly hash: string;
  /** Name of an endpoint's chain; computed when first needed. */
  endpointChain(endpoint: ProxyEndpoint): string;
  /** Chain KUBE-EXT exists. */
  readonly usesExternalChain: boolean;
  /** Chain KUBE-FW exists. */
  readonly usesFirewall: boolean;
  /** A rule with this port's origin. */
  line(role: ProxyRole, body: string): RuleLine;
}

export function portViewOf(port: ProxyServicePort, endpoints: readonly ProxyEndpoint[], settings: ProxySettings): PortView {
  const selection = selectEndpoints(port, endpoints, settings.endpointPolicy);
  const object = `Service ${port.service.namespace}/${port.service.name}`;
  const origins = new Map<ProxyRole, Origin>();
  const endpointChains = new Map<string, string>();
  let hash: string | undefined;
  return {
    port,
    selection,
    settings,
    get hash() {
      return (hash ??= servicePortHash(port.name, port.protocol));
    },
    endpointChain({ text }) {
      let chain = endpointChains.get(text);
      if (chain === undefined) endpointChains.set(text, (chain = endpointChainName(port.name, port.protocol, text)));
      return chain;
    },
    usesExternalChain: selection.hasEndpoints && port.hasExternal,
    usesFirewall: selection.hasEndpoints && port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0,
    line(role, body) {
      let origin = origins.get(role);
      if (origin === undefined) origins.set(role, (origin = { object, by: 'kube-proxy', role }));
      return { body, origin };
    },
  };
}

/** A rule that belongs to no service. */
export function proxyLine(role: ProxyRole, body: string): RuleLine {
  return { body, origin: { object: null, by: 'kube-proxy', role } };
}

/** `-m comment --comment "TEXT" `: iptables-save quotes every comment with a blank or a slash. */
export function comment(text: string): string {
  return `-m comment --comment "${text}" `;
}
