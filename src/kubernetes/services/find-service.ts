import type { Cluster, Service } from '../model/cluster.ts';

/** The service of a namespace with this very name; undefined: there is none. */
export function findServiceNamed({ services }: Pick<Cluster, 'services'>, namespace: string, name: string): Service | undefined {
  return services.find((service) => service.name === name && service.namespace === namespace);
}
