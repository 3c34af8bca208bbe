/** A host or socket owner as people say it: `pod/client`, `pod/shop/client` (namespace left out when it is "default"), `node-1`, `external/laptop`. */
export function shortName(reference: string): string {
  return reference.replace(/^(pod|balancer)\/default\//, '$1/').replace(/^node\//, '');
}

/** `10.0.0.1:80`, `[fd00::1]:80`, or the address alone when there is no port. */
export function endpoint(address: string, port: number | null | undefined): string {
  if (port === null || port === undefined) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Protocol names as in /etc/protocols, in capitals; echo is what an ICMP probe sends. */
export function protocolName(protocol: string): string {
  return protocol === 'icmp' ? 'ICMP echo' : protocol.toUpperCase();
}
