// Walks of packets in this process: how many a second, and whether a large cluster makes one dearer. Prints JSON.
// Built by bench.mjs; usage: node walks.js SIZES
import { KernelState } from '../../src/kernel/state.ts';
import { Choices } from '../../src/kernel/walk/choices.ts';
import { connect } from '../../src/kernel/walk/connection.ts';
import { compile } from '../../src/kubernetes/compile.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { jsonList, seeded } from './inputs.mjs';
import { median } from './measure.mjs';

const { many, growth, seed, rounds, walksOfARound } = JSON.parse(process.argv[2]);

function clusterOf(size) {
  const text = [...jsonList({ ...size, withPods: true }, seed)].join('');
  const result = loadScenario([{ name: 'cluster.json', text }], { readFile: () => null });
  if (!result.ok) throw new Error(result.diagnostics[0].message);
  const { cluster } = result.scenario;
  return { cluster, world: compile(cluster).world };
}

/** Connections from pods of `clients` to services, chosen at random, the same each time. */
function connections({ cluster }, clients, count) {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    const { namespace, name } = cluster.pods[random.below(clients)];
    const service = cluster.services[random.below(cluster.services.length)];
    return {
      host: `pod/${namespace}/${name}`,
      owner: `pod/${namespace}/${name}`,
      protocol: 'tcp',
      destination: service.clusterIps[0],
      port: service.ports[0].port,
      sourcePort: 40000,
      sourceAddress: null,
      payload: null,
      dontFragment: null,
      ttl: null,
      noReply: false,
    };
  });
}

/** CPU microseconds of a walk, over all of these connections. */
function microseconds({ world }, requests, record) {
  const start = process.cpuUsage();
  for (const request of requests) {
    const { verdict } = connect(request, { world, state: new KernelState(), choices: new Choices(), record });
    if (verdict !== 'connected') throw new Error(`${request.host}: ${verdict}`);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / requests.length;
}

/** Walks a second on one core: verdicts only, and with full events. */
function manyWalks() {
  const place = clusterOf(many);
  const requests = connections(place, place.cluster.pods.length, walksOfARound);
  const perSecond = (record) => {
    microseconds(place, requests, record);
    return 1e6 / median(Array.from({ length: rounds }, () => microseconds(place, requests, record)));
  };
  return { verdicts: perSecond(false), events: perSecond(true) };
}

/** Microseconds of a walk in clusters that differ in the number of their services. The clusters take turns. */
function walksByServices() {
  const places = growth.map((size) => {
    const place = clusterOf(size);
    // The same few clients everywhere: what is compared is the walk, not how many hosts are looked at for the first time.
    return { place, requests: connections(place, Math.min(30, place.cluster.pods.length), Math.ceil(walksOfARound / 4)) };
  });
  for (const { place, requests } of places) microseconds(place, requests, true);
  const turns = Array.from({ length: rounds }, () => places.map(({ place, requests }) => microseconds(place, requests, true)));
  return growth.map(({ services }, i) => ({
    services,
    microseconds: median(turns.map((turn) => turn[i])),
    ratio: median(turns.map((turn) => turn[i] / turn[0])),
  }));
}

console.log(JSON.stringify({ many: manyWalks(), growth: walksByServices() }));
