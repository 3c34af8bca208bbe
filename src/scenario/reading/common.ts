import type { CommandLine, ServiceType, TrafficPolicy } from '../../kubernetes/model/cluster.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import { isTransportProtocol } from '../../net/protocol.ts';
import type { Container, Key } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import type { Reader } from './reader.ts';

export const MAX_PORT = 65535;
export const SERVICE_TYPES: readonly ServiceType[] = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'];
export const TRAFFIC_POLICIES: readonly TrafficPolicy[] = ['Cluster', 'Local'];

/** TCP, UDP or SCTP in either case; TCP when not given. */
export function readTransport(reader: Reader, container: Container, key: Key): TransportProtocol {
  const value = valueAt(container, key);
  if (value === undefined || value === 'TCP') return 'tcp';
  const protocol = typeof value === 'string' ? value.toLowerCase() : '';
  if (isTransportProtocol(protocol)) return protocol;
  reader.wrong(container, key, 'TCP, UDP or SCTP');
  return 'tcp';
}

export function readPort(reader: Reader, container: Container, key: Key): number | undefined {
  return reader.integer(container, key, 1, MAX_PORT);
}

/** A list of command lines with their positions. */
export function readCommands(reader: Reader, container: Container, key: Key): readonly CommandLine[] | undefined {
  return reader.items(container, key, (list, i) => {
    const text = reader.string(list, i);
    return text === undefined ? undefined : { text, position: reader.position(list, i) };
  });
}

export function readMtu(reader: Reader, container: Container, key: Key): number | undefined {
  return reader.integer(container, key, 68, 65535);
}
