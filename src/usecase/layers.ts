import { formatIp } from '../net/ip.ts';
import { interfacesOf } from '../kubernetes/model/node-interfaces.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { KernelEvent, Layer, NatFields, TraceEvent } from '../trace/event.ts';

/** What layers depend on beside the event itself. */
export interface LayerContext {
  /** A node's physical interface, or its loopback. */
  readonly isNic: (host: string, device: string) => boolean;
  /** A cluster, external or load balancer IP of a service, as text. */
  readonly isServiceAddress: (address: string) => boolean;
  /** The connection was opened by a host outside the cluster. */
  readonly fromOutside: boolean;
}

/** The layer context of a connection; `client` as in "external/laptop". Looks through the cluster only when an event asks for it. */
export function layerContext(cluster: Cluster, client: string): LayerContext {
  const nics = new Map<string, ReadonlySet<string>>();
  const nicsOf = (host: string): ReadonlySet<string> => {
    const known = nics.get(host);
    if (known) return known;
    const node = cluster.nodes.find(({ name }) => host === `node/${name}`);
    const names = new Set(['lo', ...(node ? interfacesOf(node).map(({ device }) => device) : ['eth0'])]);
    nics.set(host, names);
    return names;
  };
  let addresses: ReadonlySet<string> | undefined;
  return {
    isNic: (host, device) => nicsOf(host).has(device),
    isServiceAddress: (address) => {
      addresses ??= serviceAddresses(cluster);
      return addresses.has(address);
    },
    fromOutside: client.startsWith('external/'),
  };
}

function serviceAddresses(cluster: Cluster): Set<string> {
  const addresses = new Set<string>();
  for (const service of cluster.services) {
    for (const address of [...service.clusterIps, ...service.externalIps]) addresses.add(formatIp(address));
    for (const { ip } of service.loadBalancerIngress) if (ip !== null) addresses.add(formatIp(ip));
  }
  return addresses;
}

/**
 * Says for each event of one part which of the four layers it belongs to (design, section 3):
 * - L0 node network: the underlay, everything about an outer packet of a tunnel (putting it on and taking it off too), and what
 *   passes a node's physical interfaces and loopback.
 * - L1 pod network: pods, bridges, veths, tunnel devices, routes through them, and rules that are not kube-proxy's.
 * - L2 service network: kube-proxy's rules and the address translation they cause.
 * - L3 external access: hosts outside, and on a connection from outside the rules that open node ports, load balancer and
 *   external addresses; hostPort rules.
 * A drop belongs to the layer of what led to it.
 */
export function withLayers(events: readonly KernelEvent[], context: LayerContext): TraceEvent[] {
  const layered: TraceEvent[] = [];
  for (const event of events) {
    const previous = layered.at(-1);
    const before = previous?.host === event.host && previous.outer === event.outer ? previous : undefined;
    layered.push({ ...event, layer: layerOf(event, before, context) });
  }
  return layered;
}

function layerOf(event: KernelEvent, before: TraceEvent | undefined, context: LayerContext): Layer {
  if (event.outer || event.host === 'underlay') return 'L0';
  if (event.host.startsWith('external/') || event.host.startsWith('balancer/')) return 'L3';
  if (event.host.startsWith('pod/')) return 'L1';
  const isNic = (device: string | null): boolean => device !== null && context.isNic(event.host, device);
  switch (event.kind) {
    case 'encapsulate':
    case 'decapsulate':
    case 'socket':
      return 'L0';
    case 'tx':
    case 'rx':
    case 'neighbour':
      return isNic(event.device) ? 'L0' : 'L1';
    case 'route':
      return isNic(event.dev) ? 'L0' : 'L1';
    case 'rule':
      return ruleLayer(event.chain, event.origin?.by, event.origin?.role, context);
    case 'nat':
      if (event.ipvs) return ipvsLayer(event.origin?.role, context);
      if (before?.kind === 'rule') return before.layer;
      return isService(event.before, context) || isService(event.after, context) ? 'L2' : 'L1';
    case 'drop':
      if (event.origin?.by === 'kube-proxy') return ipvsLayer(event.origin.role, context);
      return before?.layer ?? (isNic(event.device ?? null) ? 'L0' : 'L1');
    case 'policy':
    case 'bridge':
    case 'conntrack':
    case 'proxy':
      return 'L1';
  }
}

/** Virtual servers for those outside, and the others. */
function ipvsLayer(role: string | undefined, context: LayerContext): Layer {
  return context.fromOutside && role !== 'cluster-ip' ? 'L3' : 'L2';
}

/** kube-proxy's chains that only traffic from outside has to enter. */
const OUTSIDE_CHAIN = /^KUBE-(NODEPORTS|EXT-|FW-|XLB-|EXTERNAL-SERVICES|PROXY-FIREWALL)/;

function ruleLayer(chain: string, by: string | undefined, role: string | undefined, context: LayerContext): Layer {
  if (by === 'portmap' || chain.startsWith('CNI-HOSTPORT') || chain.startsWith('CNI-DN-')) return 'L3';
  if (by !== 'kube-proxy' && !chain.startsWith('KUBE-')) return 'L1';
  const opens = OUTSIDE_CHAIN.test(chain) || role === 'node-ports';
  return context.fromOutside && opens ? 'L3' : 'L2';
}

function isService({ src, dst }: NatFields, context: LayerContext): boolean {
  return (src !== undefined && context.isServiceAddress(src)) || (dst !== undefined && context.isServiceAddress(dst));
}
