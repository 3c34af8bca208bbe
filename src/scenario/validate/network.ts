import type { Cluster, Node } from '../../kubernetes/model/cluster.ts';
import { candidatesOf, externalInterface } from '../../kubernetes/model/external-interface.ts';
import { familyOf, formatIp, parseIp } from '../../net/ip.ts';
import { parseMac } from '../../net/mac.ts';
import type { Problems } from '../reading/problems.ts';

const PUBLIC_IP = 'flannel.alpha.coreos.com/public-ip';
const PUBLIC_IP_OVERWRITE = 'flannel.alpha.coreos.com/public-ip-overwrite';

const ADDRESS_ANNOTATIONS: readonly (readonly [string, 4 | 6])[] = [
  [PUBLIC_IP, 4],
  [PUBLIC_IP_OVERWRITE, 4],
  ['flannel.alpha.coreos.com/public-ipv6', 6],
  ['flannel.alpha.coreos.com/public-ipv6-overwrite', 6],
];
const DATA_ANNOTATIONS: readonly string[] = ['flannel.alpha.coreos.com/backend-data', 'flannel.alpha.coreos.com/backend-v6-data'];

/** Suspicious about the pod network: one public IP for two flannel nodes, IPv6 under Weave Net, policies that nobody enforces. */
export function validateNetwork(cluster: Cluster, problems: Problems): void {
  const { plugin } = cluster.cni;
  if (plugin === 'flannel') {
    validateIface(cluster, problems);
    validatePublicIps(cluster, problems);
    validateAnnotations(cluster, problems);
  }
  if (plugin === 'weave') validateWeave(cluster, problems);
  const policies = cluster.notModelled.filter((object) => object.kind.endsWith('NetworkPolicy'));
  const enforcesPolicies = cluster.cni.plugin === 'weave' && cluster.cni.npc;
  if (policies.length > 0 && !enforcesPolicies) {
    const which =
      policies.length === 1
        ? `NetworkPolicy ${policies[0]?.namespace}/${policies[0]?.name} is`
        : `${policies.length} NetworkPolicies are`;
    problems.warning('policy-not-enforced', `${which} given, but the CNI (${plugin}) enforces none`, null);
  }
}

/** Weave Net knows IPv4 only: neither its peers nor its pods have an IPv6 address. */
function validateWeave({ nodes, podCidrs }: Cluster, problems: Problems): void {
  const node = nodes.find(({ addresses }) => addresses.length > 0 && addresses.every((address) => familyOf(address) === 6));
  if (node) {
    const message = `Node ${node.name} has no IPv4 address, and Weave Net connects its peers over IPv4 only`;
    problems.warning('ipv4-only', message, node.position);
  } else if (podCidrs.some(({ address }) => familyOf(address) === 6))
    problems.warning('ipv4-only', 'Weave Net gives pods no IPv6 addresses: the IPv6 range of pods is not used', null);
}

/** flanneld passes over what it can't read, with a line in its log. */
function validateAnnotations(cluster: Cluster, problems: Problems): void {
  for (const { name, annotations, position } of cluster.nodes) {
    const wrong = (key: string, expected: string): void => {
      const message = `Node ${name}: annotation ${key} must be ${expected}, not ${JSON.stringify(annotations[key])}; it is passed over`;
      problems.warning('wrong-value', message, position);
    };
    for (const [key, family] of ADDRESS_ANNOTATIONS) {
      const text = annotations[key];
      const address = text === undefined ? undefined : parseIp(text);
      if (address !== undefined && (address === null || familyOf(address) !== family)) wrong(key, `an IPv${family} address`);
    }
    for (const key of DATA_ANNOTATIONS) {
      const mac = /"VtepMAC"\s*:\s*"([^"]*)"/.exec(annotations[key] ?? '')?.[1];
      if (mac !== undefined && parseMac(mac) === null) wrong(key, 'JSON with a MAC address as VtepMAC');
    }
  }
}

function validatePublicIps({ nodes, cni }: Cluster, problems: Problems): void {
  const holders = new Map<string, string>();
  for (const node of nodes) {
    const ip = node.annotations[PUBLIC_IP_OVERWRITE] ?? node.annotations[PUBLIC_IP] ?? announcedIp(node, cni);
    if (ip === null) continue;
    const other = holders.get(ip);
    if (other !== undefined) {
      const message = `Nodes ${other} and ${node.name} have one flannel public IP, ${ip}: tunnels to them can't be told apart`;
      problems.warning('duplicate-public-ip', message, node.position);
    }
    holders.set(ip, node.name);
  }
}

/** The IPv4 address of the interface that a node's daemon takes. */
function announcedIp(node: Node, cni: Cluster['cni']): string | null {
  const iface = cni.plugin === 'flannel' ? (cni.iface ?? []) : [];
  const taken = externalInterface(candidatesOf(node), iface, 4);
  return taken === null ? null : formatIp(taken.address);
}

/** flanneld stops where a node has none of the interfaces of --iface. */
function validateIface({ nodes, cni }: Cluster, problems: Problems): void {
  if (cni.plugin !== 'flannel' || cni.iface === undefined) return;
  for (const node of nodes) {
    const candidates = candidatesOf(node);
    if (candidates.length === 0 || ([4, 6] as const).some((f) => externalInterface(candidates, cni.iface ?? [], f))) continue;
    const message = `Node ${node.name} has no interface ${cni.iface.join(' or ')} (cni.iface): flanneld does not start there`;
    const names = candidates.map(({ device, addresses }) => `${device} (${addresses.map(formatIp).join(', ')})`);
    problems.warning('unknown-interface', message, node.position, `It has ${names.join(', ')}`);
  }
}
