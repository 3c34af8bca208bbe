import { selectEndpoints } from '../../services/select-endpoints.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { EndpointSelection } from '../../services/select-endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';
import type { IpvsSettings } from './settings.ts';

/** A service port as one node sees it. */
export interface PortView {
  readonly port: ProxyServicePort;
  readonly settings: IpvsSettings;
  readonly selection: EndpointSelection;
  /** Endpoints of this node, whether they are ready or not. */
  readonly onThisNode: readonly ProxyEndpoint[];
}

export function portViewOf(port: ProxyServicePort, endpoints: readonly ProxyEndpoint[], settings: IpvsSettings): PortView {
  return {
    port,
    settings,
    selection: selectEndpoints(port, endpoints, settings.endpointPolicy),
    onThisNode: endpoints.filter((endpoint) => endpoint.nodeName === settings.endpointPolicy.nodeName),
  };
}

export function portOrigin({ port: { service } }: PortView, role: ProxyRole): Origin {
  return { object: `Service ${service.namespace}/${service.name}`, by: 'kube-proxy', role };
}
