import type { ServicePort } from '../../kubernetes/model/cluster.ts';
import { cidrBits, cidrContains, cidrLast, isIpv4Cidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { ServiceDraft, ServicePortDraft } from '../drafts.ts';

/** Services whose address is an agreement: the first and the tenth of the range (kube-apiserver, kubeadm). */
const AGREED_OFFSETS: ReadonlyMap<string, number> = new Map([
  ['default/kubernetes', 1],
  ['kube-system/kube-dns', 10],
]);

/** Hands out cluster IPs in order, first from the band for dynamic allotment, then from the static one (KEP-3070). */
export class ClusterIpAllocator {
  readonly #taken: Set<IpAddress>;
  readonly #bands: readonly {
    readonly family: 4 | 6;
    readonly base: IpAddress;
    readonly cursors: { next: IpAddress; readonly last: IpAddress }[];
  }[];

  constructor(ranges: readonly Cidr[], given: readonly IpAddress[]) {
    this.#taken = new Set(given);
    this.#bands = ranges.map((range) => {
      for (const offset of AGREED_OFFSETS.values()) this.#taken.add(addToIp(range.address, offset));
      const first = addToIp(range.address, 1);
      const dynamic = addToIp(range.address, Math.max(1, staticBand(range)));
      // The last address of an IPv4 range is not handed out.
      const last = isIpv4Cidr(range) ? addToIp(cidrLast(range), -1) : cidrLast(range);
      const cursors = [
        { next: dynamic, last },
        { next: first, last: addToIp(dynamic, -1) },
      ];
      return {
        family: isIpv4Cidr(range) ? 4 : 6,
        base: range.address,
        cursors: cursors.filter((c) => cidrContains(range, c.next)),
      };
    });
  }

  /** The next free address of a family for a service "namespace/name"; null when there is none. */
  next(family: 4 | 6, service: string): IpAddress | null {
    for (const band of this.#bands) {
      if (band.family !== family) continue;
      const agreed = AGREED_OFFSETS.get(service);
      if (agreed !== undefined) return addToIp(band.base, agreed);
      for (const cursor of band.cursors) {
        while (cursor.next <= cursor.last) {
          const ip = cursor.next;
          cursor.next = addToIp(ip, 1);
          if (!this.#taken.has(ip)) return ip;
        }
      }
    }
    return null;
  }
}

/** Addresses at the start of a range that are kept for hand-picked ones: min(max(16, size/16), 256) (pkg/registry/core/service/ipallocator). */
function staticBand(range: Cidr): number {
  const bits = Math.min(cidrBits(range) - range.length, 16);
  const size = 2 ** bits;
  return size < 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 16)), 256);
}

/** The default range is 30000-32767; its first 86 ports are kept for hand-picked ones (KEP-3668). */
const FIRST_NODE_PORT = 30086;

/** Hands out node ports in order, to services that an API server has not seen yet. */
export class NodePortAllocator {
  readonly #taken = new Set<number>();
  #next = FIRST_NODE_PORT;

  constructor(drafts: readonly ServiceDraft[]) {
    for (const draft of drafts) {
      for (const port of draft.ports ?? []) if (port.nodePort !== undefined) this.#taken.add(port.nodePort);
      if (draft.healthCheckNodePort !== undefined) this.#taken.add(draft.healthCheckNodePort);
    }
  }

  /** The service's ports with their node ports. One port number with several protocols shares a node port. */
  portsOf(draft: ServiceDraft): readonly ServicePort[] {
    const allots =
      draft.complete !== true &&
      (draft.type === 'NodePort' || (draft.type === 'LoadBalancer' && draft.allocateLoadBalancerNodePorts !== false));
    if (!allots) return (draft.ports ?? []).map((port) => withNodePort(port, port.nodePort ?? 0));
    const byPort = new Map<number, number>();
    for (const { port, nodePort } of draft.ports ?? []) if (nodePort !== undefined && nodePort !== 0) byPort.set(port, nodePort);
    return (draft.ports ?? []).map((port) => {
      const given = port.nodePort ?? 0;
      const nodePort = given !== 0 ? given : (byPort.get(port.port) ?? this.#allot());
      byPort.set(port.port, nodePort);
      return withNodePort(port, nodePort);
    });
  }

  /** healthCheckNodePort: allotted to load balancers with externalTrafficPolicy Local. */
  healthCheckPortOf(draft: ServiceDraft): number {
    const given = draft.healthCheckNodePort ?? 0;
    const wants = draft.complete !== true && draft.type === 'LoadBalancer' && draft.externalTrafficPolicy === 'Local';
    return given === 0 && wants ? this.#allot() : given;
  }

  #allot(): number {
    while (this.#taken.has(this.#next)) this.#next++;
    return this.#next++;
  }
}

function withNodePort({ name, protocol, port, targetPort }: ServicePortDraft, nodePort: number): ServicePort {
  return { name, protocol, port, targetPort: targetPort ?? port, nodePort };
}
