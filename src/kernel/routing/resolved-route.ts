import type { IpAddress } from '../../net/ip.ts';
import type { Route } from './route.ts';

/** A routing decision attached to a packet (struct rtable). */
export type ResolvedRoute =
  | {
      readonly kind: 'unicast' | 'local' | 'broadcast';
      /** The device it leaves by; lo for what is delivered here. */
      readonly device: string;
      /** Next hop; null: the destination itself is on the link. */
      readonly gateway: IpAddress | null;
      readonly onlink: boolean;
      /** The entry that decided. */
      readonly route: Route;
      readonly table: number;
      /** Set for a packet of the host itself: the source address that the look-up chose or kept. */
      readonly source: IpAddress | null;
    }
  /** dst.input = ip_error: the packet is answered or dropped when it would be delivered. */
  | { readonly kind: 'error'; readonly error: RouteError; readonly route: Route | null; readonly table: number | null };

/** Negative results of a FIB look-up (fib_props[].error and no route). */
export type RouteError = 'ENETUNREACH' | 'EHOSTUNREACH' | 'EACCES' | 'EINVAL';
