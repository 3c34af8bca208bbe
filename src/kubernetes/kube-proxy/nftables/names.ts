import { base32Hash } from '../../services/base32-hash.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';

/** Names longer than this are cut: nft allows 256, kube-proxy keeps 16 for the prefix (chainNameBaseLengthMax). */
const MAX_LENGTH = 240;

/** "namespace/service/protocol/portname": tells a service port from others; nothing of it may stand in names of objects. */
export function servicePortPath({ service, protocol, portName }: ProxyServicePort): string {
  return `${service.namespace}/${service.name}/${protocol}/${portName}`;
}

/** What the names of a service port's chains have behind their prefix (servicePortChainNameBase). */
export function servicePortBase(port: ProxyServicePort): string {
  return hashedAndCut(servicePortPath(port));
}

/** What the names of an endpoint's chain and set have behind their prefix; colons are not allowed there (servicePortEndpointChainNameBase). */
export function endpointBase(port: ProxyServicePort, { text }: ProxyEndpoint): string {
  const colon = text.lastIndexOf(':');
  const address = text.slice(0, colon).replace(/[[\]]/g, '').replaceAll(':', '.');
  return hashedAndCut(`${servicePortPath(port)}__${address}/${text.slice(colon + 1)}`);
}

/** The path of the service port that an object's name belongs to; null for objects of no service. A cut name may give a cut path. */
export function pathOfName(name: string): string | null {
  return /^[a-z]+-[A-Z2-7]{8}-([^/]+\/[^/]+\/[a-z]+\/.*?)(?:__.*)?$/.exec(name)?.[1] ?? null;
}

function hashedAndCut(path: string): string {
  const name = `${base32Hash(path, 8)}-${path}`;
  return name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH - 3)}...` : name;
}
