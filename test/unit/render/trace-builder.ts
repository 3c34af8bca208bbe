import type { PacketView, RuleVerdict, TraceEvent } from '../../../src/trace/event.ts';
import type { Outcome } from '../../../src/trace/outcome.ts';
import type { Trace } from '../../../src/trace/trace.ts';

/** Events of a small made-up way: client on node-1 calls a service with two endpoints. */
export const SYN: PacketView = {
  protocol: 'tcp',
  src: '10.0.0.2',
  sport: 40000,
  dst: '10.96.0.20',
  dport: 80,
  ttl: 64,
  df: true,
  length: 60,
  flags: 'SYN',
};
const NODE = { host: 'node/node-1', layer: 'L2' } as const;

export const connects = {
  host: 'pod/default/client',
  layer: 'L1',
  kind: 'socket',
  action: 'connect',
  owner: 'pod/default/client',
  packet: SYN,
} as const satisfies TraceEvent;

export function rule(
  hook: 'PREROUTING' | 'FORWARD',
  table: string,
  chain: string,
  number: number,
  rest: string,
  verdict: RuleVerdict,
): TraceEvent {
  return {
    ...NODE,
    kind: 'rule',
    hook,
    table,
    chain,
    rule: number,
    text: `-A ${chain} ${rest}`,
    verdict,
    passedOver: number - 1,
  };
}

export function dnat(to: string): TraceEvent {
  return {
    ...NODE,
    kind: 'nat',
    hook: 'PREROUTING',
    type: 'dnat',
    before: { dst: '10.96.0.20', dport: 80 },
    after: { dst: to, dport: 8080 },
  };
}

export function delivered(pod: string, address: string): TraceEvent {
  return { host: pod, layer: 'L1', kind: 'socket', action: 'deliver', owner: pod, packet: { ...SYN, dst: address, dport: 8080 } };
}

/** The server's answer leaves, and comes to the client. */
const sent = {
  host: 'pod/default/web-1',
  layer: 'L1',
  kind: 'tx',
  device: 'eth0',
  packet: { ...SYN, src: '10.0.0.3', sport: 8080, dst: '10.0.0.2', dport: 40000, flags: 'SYN,ACK' },
} as const satisfies TraceEvent;

const answered = {
  host: 'pod/default/client',
  layer: 'L1',
  kind: 'socket',
  action: 'answer',
  owner: 'pod/default/client',
  packet: { ...SYN, src: '10.96.0.20', sport: 80, dst: '10.0.0.2', dport: 40000, flags: 'SYN,ACK' },
} as const satisfies TraceEvent;

export function dropped(reason: string): TraceEvent {
  return { ...NODE, kind: 'drop', reason, where: 'nf_hook_slow', hook: 'FORWARD' };
}

/** The service's rules up to the choice of endpoint `number`. */
export function toEndpoint(number: number, address: string): readonly TraceEvent[] {
  return [
    rule('PREROUTING', 'nat', 'PREROUTING', 1, '-m comment --comment "service portals" -j KUBE-SERVICES', 'jump'),
    rule(
      'PREROUTING',
      'nat',
      'KUBE-SERVICES',
      4,
      '-d 10.96.0.20/32 -m comment --comment "default/web cluster IP" -j KUBE-SVC-A',
      'jump',
    ),
    rule(
      'PREROUTING',
      'nat',
      'KUBE-SVC-A',
      number,
      `-m comment --comment "default/web -> ${address}:8080" -j KUBE-SEP-${number}`,
      'jump',
    ),
    rule('PREROUTING', 'nat', `KUBE-SEP-${number}`, 2, `-j DNAT --to-destination ${address}:8080`, 'accept'),
    dnat(address),
    rule('FORWARD', 'filter', 'FORWARD', 1, '-j IDLE', 'jump'),
    rule('FORWARD', 'filter', 'FORWARD', 2, '-j ACCEPT', 'accept'),
  ];
}

export function outcome(fields: Partial<Outcome>): Outcome {
  return {
    probability: 1,
    verdict: 'connected',
    server: 'pod/default/web-1',
    source: '10.0.0.2',
    cause: null,
    request: [],
    reply: fields.server === null ? [] : [sent, answered],
    ack: [],
    legs: [],
    ...fields,
  };
}

export function trace(outcomes: readonly Outcome[], fields: Partial<Trace> = {}): Trace {
  return {
    apiVersion: 'k8snet/v1',
    kind: 'Trace',
    from: 'pod/default/client',
    to: 'svc/default/web:80',
    protocol: 'tcp',
    packet: { source: '10.0.0.2', sport: 40000, destination: '10.96.0.20', dport: 80 },
    network: { cni: 'flannel vxlan', proxyMode: 'iptables' },
    assumptions: [],
    notModelled: [],
    outcomes,
    sampled: false,
    ...fields,
  };
}
