import { podKey } from './cluster-index.ts';
import type { Listener } from '../kernel/socket/listener.ts';
import type { ExternalHost, Pod } from './model/cluster.ts';

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
