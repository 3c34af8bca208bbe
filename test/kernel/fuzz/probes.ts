import type { ClusterDraft } from './cluster.ts';
import type { Random } from './random.ts';

/** Adds checks to a cluster, without expectations: connections of all kinds. */
export function addProbes(random: Random, draft: ClusterDraft, count: number): void {
  let patience = 1;
  for (let i = 0; i < count; i++) {
    let probe = generateProbe(random, draft);
    // A missing address costs seconds: one a cluster.
    if (probe.kind === 'missing' && patience-- <= 0) probe = generateProbe(random, draft, 'pod');
    const { kind, ...check }: Probe = probe;
    const { from, to, protocol, sourcePort } = probe;
    const before = random.chance(0.1)
      ? { before: [beforeOf({ from, to, protocol, ...(sourcePort !== undefined && { sourcePort }) })] }
      : {};
    draft.scenario.checks.push({ name: `${i + 1}: ${kind}, ${from} to ${to}/${protocol}`, ...check, ...before });
  }
}

interface Probe {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly sourcePort?: number;
  readonly [option: string]: unknown;
}

function beforeOf({
  from,
  to,
  protocol,
  sourcePort,
}: Pick<Probe, 'from' | 'to' | 'protocol' | 'sourcePort'>): Record<string, unknown> {
  return { from, to, protocol, ...(sourcePort !== undefined && { sourcePort: sourcePort + 1 }) };
}

const KINDS = [
  'cluster-ip',
  'cluster-ip',
  'cluster-ip',
  'cluster-ip',
  'node-port',
  'node-port',
  'node-port',
  'pod',
  'pod',
  'pod',
  'host-network',
  'host-port',
  'external-ip',
  'load-balancer',
  'outside',
  'outside',
  'ping',
  'ping',
  'closed-port',
  'closed-port',
  'node-address',
  'operator-dnat',
  'localhost',
  'missing',
];

function generateProbe(random: Random, draft: ClusterDraft, wanted?: string): Probe {
  const { scenario, services } = draft;
  const kind = wanted ?? random.pick(KINDS);
  const inPods = scenario.pods.filter(({ ip }) => ip !== undefined);
  const client = random.chance(0.55)
    ? `pod/${random.chance(0.5) ? 'client' : random.pick(inPods).name}`
    : random.chance(0.5)
      ? `node/${random.pick(scenario.nodes).name}`
      : random.pick(['external/laptop', 'external/neighbour']);
  const pod = random.pick(inPods);
  const node = random.pick(scenario.nodes);
  const service = random.pick(services);
  const port = random.pick(service.ports);
  const common = { kind, from: client, ...sourcePort(random) };
  const to = (address: string, number: number, protocol: string): Probe => ({
    ...common,
    to: `${address}:${number}`,
    protocol: protocol.toLowerCase(),
    ...(protocol.toLowerCase() === 'udp' ? datagram(random) : segment(random)),
  });
  switch (kind) {
    case 'cluster-ip':
      return to(service.clusterIP, random.chance(0.06) ? 81 : port.port, port.protocol);
    case 'node-port':
      return to(node.ip, port.nodePort ?? 30999, port.protocol);
    case 'localhost':
      return { ...to('127.0.0.1', port.nodePort ?? 8080, port.protocol), from: `node/${node.name}` };
    case 'host-network': {
      const host = scenario.pods.find(({ hostNetwork }) => hostNetwork === true);
      const open = host && random.pick(host.ports);
      return host && open
        ? to(scenario.nodes.find(({ name }) => name === host.node)!.ip, open.containerPort, open.protocol)
        : to(pod.ip!, 8080, 'TCP');
    }
    case 'host-port': {
      const open = inPods.flatMap((p) => p.ports.filter(({ hostPort }) => hostPort !== undefined).map((o) => ({ pod: p, ...o })));
      if (open.length === 0) return to(pod.ip!, 8080, 'TCP');
      const chosen = random.pick(open);
      return to(scenario.nodes.find(({ name }) => name === chosen.pod.node)!.ip, chosen.hostPort ?? 0, chosen.protocol);
    }
    case 'external-ip':
      return to(service.externalIPs[0] ?? service.clusterIP, port.port, port.protocol);
    case 'load-balancer':
      return to(service.ingress ?? service.clusterIP, port.port, port.protocol);
    case 'outside': {
      const udp = random.chance(0.3);
      return udp ? to('192.0.2.10', 53, 'UDP') : to(random.chance(0.7) ? '192.0.2.10' : scenario.external[1]!.ip, 443, 'TCP');
    }
    case 'ping':
      return {
        kind,
        from: client,
        to: random.pick([pod.ip!, node.ip, node.podCIDR.replace('0/24', '1'), service.clusterIP, '192.0.2.10']),
        protocol: 'icmp',
        ...echo(random),
      };
    case 'closed-port':
      return to(random.pick([pod.ip!, node.ip, scenario.external[1]!.ip]), 6666, random.pick(['TCP', 'UDP']));
    case 'node-address':
      return to(random.pick([node.ip, node.podCIDR.replace('0/24', '1')]), random.pick([22, 8080]), 'TCP');
    case 'operator-dnat':
      return to('198.51.100.80', 8888, random.pick(['TCP', 'UDP']));
    case 'missing':
      return to(random.pick([pod.ip!.replace(/\d+$/, '77'), node.ip.replace(/\d+$/, '99')]), 8080, 'TCP');
    default: {
      const open = random.pick(pod.ports);
      return to(pod.ip!, open.containerPort, open.protocol);
    }
  }
}

function sourcePort(random: Random): { sourcePort: number } {
  return { sourcePort: random.chance(0.6) ? 40000 : random.int(33000, 60000) };
}

function datagram(random: Random): Record<string, unknown> {
  if (random.chance(0.7)) return ttl(random);
  return {
    payload: random.pick([64, 200, 1372, 1400, 1422, 1423, 1472, 3000]),
    ...(random.chance(0.6) && { dontFragment: random.chance(0.5) }),
  };
}

function segment(random: Random): Record<string, unknown> {
  return random.chance(0.1) ? { payload: random.pick([100, 1300, 1448]) } : ttl(random);
}

function echo(random: Random): Record<string, unknown> {
  return random.chance(0.15) ? { payload: random.pick([64, 1400, 1472, 3000]) } : ttl(random);
}

function ttl(random: Random): Record<string, unknown> {
  return random.chance(0.06) ? { ttl: random.pick([1, 2, 3]) } : {};
}
