import type { IpAddress } from '../../net/ip.ts';

/** PodSpec.dnsPolicy. */
export type DnsPolicy = 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';

/** What of a PodSpec decides the pod's name and its resolv.conf. */
export interface PodDns {
  /** spec.hostname; null: not given, the kernel's host name is the pod's name. */
  readonly hostname: string | null;
  /** spec.subdomain: the headless service under which the host name is found. */
  readonly subdomain: string | null;
  readonly policy: DnsPolicy;
  /** spec.dnsConfig */
  readonly config: DnsConfig | null;
}

/** Name servers, search list and options, as PodSpec.dnsConfig and resolv.conf(5) have them. */
export interface DnsConfig {
  readonly nameservers: readonly IpAddress[];
  readonly searches: readonly string[];
  /** `ndots` with "2"; an option without a value, such as `edns0`, with null. */
  readonly options: readonly { readonly name: string; readonly value: string | null }[];
}

/** An entry of the scenario's `externalDNS`: what the DNS of the world says of a name outside of the cluster. */
export interface ExternalName {
  /** In lower case, without the last dot; may begin with "*.": every name below that has no entry of its own (RFC 4592). */
  readonly name: string;
  readonly addresses: readonly IpAddress[];
  /** A name that this one is an alias of (CNAME), in lower case; then there are no addresses. */
  readonly alias: string | null;
}
