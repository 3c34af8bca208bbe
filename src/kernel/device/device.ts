import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Origin } from '../../trace/origin.ts';
import type { HostName } from '../host.ts';

/** An address of a device as `ip addr` prints it. */
export interface DeviceAddress {
  readonly address: IpAddress;
  /** The connected prefix (a /32 or /128 makes no connected route). */
  readonly prefix: Cidr;
  readonly broadcast: IpAddress | null;
  readonly scope: 'global' | 'link' | 'host';
  /** A further address of the same subnet, skipped by source address selection (IFA_F_SECONDARY). */
  readonly secondary: boolean;
}

interface DeviceBase {
  readonly name: string;
  /** Further names that `ip` and `bridge` take (IFLA_ALT_IFNAME); rules match by `name` alone. */
  readonly altNames?: readonly string[];
  readonly mac: Mac | null;
  readonly mtu: number;
  readonly up: boolean;
  readonly addresses: readonly DeviceAddress[];
  /** The bridge that this device is a port of. */
  readonly master: string | null;
  /** Hairpin mode of the bridge port: a frame may go back out of the port it came in by. */
  readonly hairpin: boolean;
  /** Every frame that comes in by this device goes out by that one before a bridge or the IP layer sees it (tc: ingress, mirred redirect). */
  readonly redirect?: string;
  readonly origin?: Origin;
}

export interface LoopbackDevice extends DeviceBase {
  readonly kind: 'loopback';
}

/** One end of a veth pair. */
export interface VethDevice extends DeviceBase {
  readonly kind: 'veth';
  readonly peer: { readonly host: HostName; readonly device: string };
}

export interface BridgeDevice extends DeviceBase {
  readonly kind: 'bridge';
  /** The MTU was set by hand; otherwise it follows the smallest port (BROPT_MTU_SET_BY_USER). */
  readonly mtuFixed?: true;
  /** What the bridge has learnt: the port behind which a MAC is; undefined: unknown, flooded. */
  readonly learnt: (mac: Mac) => string | undefined;
  /** Frames between ports that the network drops (`underlay.firewall`). */
  readonly filter?: (frame: import('../../net/packet.ts').Frame, inPort: string | null, outPort: string) => boolean;
}

export interface VxlanDevice extends DeviceBase {
  readonly kind: 'vxlan';
  readonly vni: number;
  readonly local: IpAddress | null;
  readonly port: number;
  /** The lower device ("dev eth0"). */
  readonly lower: string | null;
  readonly learning: boolean;
  /** Outer packets must not be cut ("df set"). */
  readonly df?: true;
  /** What the device has learnt: the VTEP behind which a MAC is; undefined: unknown. */
  readonly learnt?: (mac: Mac) => IpAddress | undefined;
}

export interface DummyDevice extends DeviceBase {
  readonly kind: 'dummy';
}

export type Device = LoopbackDevice | VethDevice | BridgeDevice | VxlanDevice | DummyDevice;
