import { formatIp } from '../../net/ip.ts';
import { MOST_BACKENDS, balancersOf } from '../../kubernetes/balancer/balancers.ts';
import type { ConnectionResult } from '../../kernel/walk/connection.ts';
import type { Balancer } from '../../kubernetes/balancer/balancers.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Ending } from '../journey/step.ts';
import type { Plan } from '../plan.ts';

type Remarks = Pick<Ending, 'notes' | 'assumptions'>;

/** What is worth saying of a connection to a balancer's address: whether it came there at all, and what became of the client's address. */
export function balancerRemarks(cluster: Cluster, { request, source }: Plan, result: ConnectionResult): Remarks {
  const balancer = balancersOf(cluster).find(({ publicAddresses }) => publicAddresses.includes(request.destination));
  if (balancer === undefined) return { notes: [], assumptions: [] };
  const passed = result.request.some(({ host }) => host === balancer.host);
  const assumptions =
    passed && cluster.nodes.length > MOST_BACKENDS
      ? [`the balancer of ${balancer.name} sends to the first ${MOST_BACKENDS} of ${cluster.nodes.length} nodes only`]
      : [];
  const isInside = !source.host.startsWith('external/');
  const notes = passed
    ? [...(isInside ? [wayOut(balancer, result)] : []), ...clientAddress(balancer, result)]
    : shortCut(formatIp(request.destination), result);
  return { notes: notes.filter((note) => note !== ''), assumptions };
}

function wayOut({ service, publicAddresses }: Balancer, result: ConnectionResult): string {
  const isProxy = service.loadBalancerIngress.every(({ ipMode }) => ipMode === 'Proxy');
  const node = result.request.find(({ host }) => host.startsWith('node/'))?.host.slice('node/'.length);
  if (!isProxy || node === undefined) return '';
  return `ipMode Proxy: ${node} has no rule for ${formatIp(publicAddresses[0]!)}, so the packet went out to the balancer and came back in`;
}

function shortCut(address: string, result: ConnectionResult): string[] {
  const event = result.request.find((e) => e.kind === 'nat' && e.type === 'dnat' && e.before.dst === address);
  if (event === undefined) return [];
  const node = event.host.slice(event.host.indexOf('/') + 1);
  return [
    `${address} is the balancer's address, but ${node} translated it by its own rules (ipMode VIP): the packet never left for the balancer, whose health checks had no say`,
  ];
}

/** Where the client's address was put away, and what decided that. */
function clientAddress(balancer: Balancer, result: ConnectionResult): string[] {
  const { service } = balancer;
  const client = result.local && formatIp(result.local.address);
  const seen = result.source && formatIp(result.source.address);
  if (client === null || seen === null) return [];
  if (seen === client) {
    return service.externalTrafficPolicy === 'Local'
      ? [
          'externalTrafficPolicy Local keeps the client’s address: a node hands connections to its own endpoints only, and nodes without any fail the health check',
        ]
      : [];
  }
  const lost = result.request.find((e) => e.kind === 'nat' && e.type === 'snat' && e.before.src === client);
  if (lost === undefined) return [];
  if (lost.host === balancer.host) {
    return [
      `the balancer masquerades ${client}: the node would answer this client directly, and the client would not know the answer for one`,
    ];
  }
  if (service.externalTrafficPolicy === 'Local') return [];
  return [
    `externalTrafficPolicy Cluster: a node may send the connection on to another one, so it masquerades ${client} to have the answer come back; policy Local would keep the address`,
  ];
}
