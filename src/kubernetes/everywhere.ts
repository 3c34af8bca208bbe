import { cidrOf } from '../net/cidr.ts';
import { ipv4 } from '../net/ip.ts';
import type { Cidr } from '../net/cidr.ts';

/** 0.0.0.0/0 */
export const EVERYWHERE: Cidr = cidrOf(ipv4(0), 0);
