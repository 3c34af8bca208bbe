import { podKey } from './cluster-index.ts';
import type { Listener } from '../kernel/socket/listener.ts';
import type { ExternalHost, Node, Pod } from './model/cluster.ts';

/** Sockets of a pod: one on the wildcard address for each port it declares (unless it says it does not listen) or is taken to have. */
export function podListeners(pod: Pod): readonly Listener[] {
  const owner = `pod/${podKey(pod)}`;
  const object = `Pod ${podKey(pod)}`;
  return [
    ...pod.ports
      .filter(({ listens }) => listens)
      .map(
        ({ protocol, port }): Listener => ({
          protocol,
          address: null,
          port,
          owner,
          origin: { object, by: 'kubelet', role: 'container-port' },
        }),
      ),
    ...pod.assumedPorts.map(
      ({ protocol, port }): Listener => ({
        protocol,
        address: null,
        port,
        owner,
        origin: { object, by: 'kubelet', role: 'assumed-port' },
      }),
    ),
  ];
}

/** Sockets of a node's own processes, which no pod holds. */
export function nodeListeners({ name, assumedPorts = [] }: Node): readonly Listener[] {
  const origin = { object: `Node ${name}`, by: 'kubelet', role: 'assumed-port' };
  return assumedPorts.map(({ protocol, port }) => ({ protocol, address: null, port, owner: `node/${name}`, origin }));
}

export function externalListeners(external: ExternalHost): readonly Listener[] {
  const origin = { object: `External ${external.name}`, by: 'underlay', role: 'external-port' };
  return external.ports.map(({ port, protocol }) => ({
    protocol,
    address: null,
    port,
    owner: `external/${external.name}`,
    origin,
  }));
}
