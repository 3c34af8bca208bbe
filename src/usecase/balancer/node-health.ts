import { familyOf } from '../../net/ip.ts';
import { KernelState } from '../../kernel/state.ts';
import { Choices } from '../../kernel/walk/choices.ts';
import { backendsOf, balancersOf } from '../../kubernetes/balancer/balancers.ts';
import { healthAnswer, healthCheckPort } from '../../kubernetes/balancer/health.ts';
import { once } from '../../support/once.ts';
import { findCause } from '../cause/find-cause.ts';
import { end } from '../journey/step.ts';
import type { HostName } from '../../kernel/host.ts';
import type { ConnectionRequest } from '../../kernel/walk/connection.ts';
import type { World } from '../../kernel/world.ts';
import type { Backend, Balancer } from '../../kubernetes/balancer/balancers.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Connect } from '../explore.ts';
import type { Step } from '../journey/step.ts';
import type { HealthCheck, NodeHealth } from './health-check.ts';

/** Where health checks are walked: balancers in it hold every node for healthy. */
export interface CheckedWorld {
  readonly cluster: Cluster;
  readonly world: () => World | null;
  readonly healthy: () => World | null;
  readonly connect: Connect;
}

/** Walks the health checks of a cloud's balancers as connections like any others. */
export function nodeHealth(checked: CheckedWorld): NodeHealth {
  const balancers = once(() => new Map(balancersOf(checked.cluster).map((balancer) => [balancer.host, balancer])));
  const known = new Map<HostName, readonly HealthCheck[]>();
  const checksOf = (host: HostName): readonly HealthCheck[] => {
    const there = known.get(host);
    if (there) return there;
    const balancer = balancers().get(host);
    const world = balancer ? checked.world() : null;
    const checks = balancer && world ? checkNodes(balancer, world, checked) : [];
    known.set(host, checks);
    return checks;
  };
  return {
    checksOf,
    unhealthy: ({ host }) => new Set(checksOf(host).flatMap(({ healthy, node }) => (healthy ? [] : [node]))),
  };
}

/** A check is over HTTP; a node with two addresses is asked by that of the first public one's family. */
function checkNodes(balancer: Balancer, world: World, checked: CheckedWorld): readonly HealthCheck[] {
  const [own] = balancer.ownAddresses;
  if (own === undefined) return [];
  return backendsOf(checked.cluster, familyOf(own)).map((backend, i) => checkNode(balancer, backend, i, world, checked));
}

/** Ports of the checks; a real kernel draws them at random. */
const FIRST_PORT = 50000;

function checkNode(balancer: Balancer, backend: Backend, index: number, world: World, checked: CheckedWorld): HealthCheck {
  const { cluster, connect } = checked;
  const { node, address } = backend;
  const port = healthCheckPort(balancer.service);
  const request: ConnectionRequest = {
    host: balancer.host,
    owner: balancer.host,
    protocol: 'tcp',
    destination: address,
    port,
    sourcePort: FIRST_PORT + index,
    sourceAddress: null,
    payload: null,
    dontFragment: null,
    ttl: null,
    noReply: false,
  };
  const result = connect(request, { world, state: new KernelState(), choices: new Choices(), record: true });
  const answer = result.verdict === 'connected' ? healthAnswer(cluster, balancer.service, node) : null;
  const told = answer && `HTTP ${answer.status}, ${answer.text}`;
  const { host, ownAddresses } = balancer;
  const step: Step = {
    request,
    pin: null,
    purpose: 'probe',
    text: 'health check',
    ...(told !== null && { answer: () => told }),
    source: { label: host, host, owner: host, addresses: ownAddresses, bind: null, pod: null, assumptions: [] },
    destination: { label: `node/${node.name}:${port}`, address, port, protocol: 'tcp', pod: null, assumptions: [] },
    next: () => end(),
  };
  const { source, destination } = step;
  const cause =
    answer === null ? findCause({ cluster, world, healthy: checked.healthy, source, destination, request, result }) : null;
  return {
    node: node.name,
    healthy: answer?.status === 200,
    answer: told,
    made: { connection: step, result },
    cause,
  };
}
