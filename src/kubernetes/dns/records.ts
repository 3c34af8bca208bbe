import type { IpAddress } from '../../net/ip.ts';

/** Types of records that are asked for. */
export type DnsType = 'A' | 'AAAA' | 'CNAME' | 'SRV' | 'PTR' | 'TXT';

/** A resource record. Names are in lower case and without the last dot. */
export type DnsRecord = { readonly name: string } & (
  | { readonly type: 'A' | 'AAAA'; readonly address: IpAddress }
  | { readonly type: 'CNAME' | 'PTR'; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | { readonly type: 'TXT'; readonly text: string }
);

/** Why a name has no records of a type. */
export type DnsMiss =
  /** Not of a form that the cluster's zone knows. */
  | 'not-a-cluster-name'
  | 'no-such-namespace'
  | 'no-such-service'
  /** The service has no port of that name and protocol. */
  | 'no-such-port'
  /** A headless service, none of whose endpoints is ready. */
  | 'no-ready-endpoint'
  /** The service has no ready endpoint of that name. */
  | 'no-such-endpoint'
  /** A name below `pod` that is not an address with dashes. */
  | 'not-an-address'
  /** The name is there, but not with the type that was asked for. */
  | 'no-such-type'
  /** The target of an ExternalName service, or of an alias, leads nowhere. */
  | 'alias-unresolved'
  /** Outside of the cluster's zone, and nobody there knows it. */
  | 'unknown-outside';

/** What a DNS server answers. */
export interface DnsAnswer {
  /** As asked, in lower case and without the last dot. */
  readonly name: string;
  readonly type: DnsType;
  /** NOERROR without answers is NODATA. */
  readonly rcode: 'NOERROR' | 'NXDOMAIN';
  readonly answers: readonly DnsRecord[];
  /** Addresses of the targets of SRV records. */
  readonly additional: readonly DnsRecord[];
  /** Who knew: the cluster's own zone, or the DNS of the world that the query was forwarded to. */
  readonly from: 'cluster' | 'upstream';
  /** "namespace/name" of the service whose records these are, or which lacks them; null: none. */
  readonly service: string | null;
  /** Why there is no answer; null where there is one. */
  readonly miss: DnsMiss | null;
}

/** The addresses of an answer, in its order. */
export function addressesOf(answer: DnsAnswer): readonly IpAddress[] {
  return answer.answers.flatMap((record) => (record.type === 'A' || record.type === 'AAAA' ? [record.address] : []));
}
