import { cidrOf } from '../net/cidr.ts';
import { ipv4, ipv6 } from '../net/ip.ts';
import type { Cidr } from '../net/cidr.ts';
import type { IpFamily } from '../net/ip.ts';

/** 0.0.0.0/0 and ::/0. */
export const EVERYWHERE: Readonly<Record<IpFamily, Cidr>> = { 4: cidrOf(ipv4(0), 0), 6: cidrOf(ipv6(0n), 0) };
