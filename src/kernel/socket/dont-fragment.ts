import { isIpv4 } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';

/** DF of what a socket sends: as it asks for (null: path MTU discovery, so set). No router cuts an IPv6 packet, whatever is asked for. */
export function sentWhole(asked: boolean | null, towards: IpAddress): boolean {
  return !isIpv4(towards) || (asked ?? true);
}
