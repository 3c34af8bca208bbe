import type { IpAddress } from '../../net/ip.ts';
import type { Node } from './cluster.ts';

/** A network interface that a node has by itself. */
export interface NodeInterfaceSettings {
  readonly device: string;
  /** First the primary one. */
  readonly addresses: readonly [InterfaceAddress, ...InterfaceAddress[]];
  /** Name of a subnet; null: that of the address. */
  readonly subnet: string | null;
  readonly mtu: number;
}

/** `length` null: that of the link's range. */
export interface InterfaceAddress {
  readonly address: IpAddress;
  readonly length: number | null;
}

/**
 * The interfaces of a node. The first one with an address of a family has the default route of that family: eth0 with the node's own
 * addresses, unless the node says which interface comes first. Then the interface that lists one of the node's addresses has all of them.
 */
export function interfacesOf(node: Node): readonly NodeInterfaceSettings[] {
  const { addresses, extraAddresses, firstInterface, interfaces } = node;
  if (firstInterface === undefined) {
    const [primary, ...others] = addresses.map((address): InterfaceAddress => ({ address, length: null }));
    const further = interfaces.map((settings) => interfaceOf(settings, []));
    if (primary === undefined) return further;
    return [{ device: 'eth0', addresses: [primary, ...others, ...extraAddresses], subnet: null, mtu: node.mtu }, ...further];
  }
  const all = [firstInterface, ...interfaces];
  const own = all.find(({ address }) => addresses.includes(address));
  const listed = new Set(all.map(({ address }) => address));
  const others = addresses.filter((address) => !listed.has(address)).map((address) => ({ address, length: null }));
  return all.map((settings) =>
    interfaceOf(settings, [...(settings === own ? others : []), ...(settings === firstInterface ? extraAddresses : [])]),
  );
}

function interfaceOf(
  { name, address, length, subnet, mtu }: Node['interfaces'][number],
  more: readonly InterfaceAddress[],
): NodeInterfaceSettings {
  return { device: name, addresses: [{ address, length }, ...more], subnet, mtu };
}

/** Every address that a node has by itself, its own ones first. */
export function ownAddressesOf(node: Node): readonly IpAddress[] {
  const { addresses, extraAddresses, firstInterface, interfaces } = node;
  const further = [...extraAddresses, ...(firstInterface ? [firstInterface] : []), ...interfaces];
  return [...new Set([...addresses, ...further.map(({ address }) => address)])];
}
