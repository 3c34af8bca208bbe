import { formatIp } from '../../net/ip.ts';
import { formatRoute } from '../routing/format.ts';
import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from '../routing/route.ts';
import type { RouteEvent } from '../../trace/event.ts';
import type { Host } from '../host.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** Tells what a routing look-up decided. */
export function emitRoute(walk: Walk, host: Host, skb: Skb, result: ResolvedRoute, purpose: RouteEvent['purpose']): void {
  if (!walk.recording) return;
  const { route, table } = result;
  const resolved = result.kind === 'error' ? null : result;
  walk.emit(skb, host, {
    kind: 'route',
    table: tableName(table),
    entry: route && formatRoute(route),
    via: resolved?.gateway == null ? null : formatIp(resolved.gateway),
    dev: resolved?.device ?? null,
    source: resolved?.source == null ? null : formatIp(resolved.source),
    purpose,
    ...(route?.origin && { origin: route.origin }),
  });
}

/** A table as `ip route` names it. */
function tableName(table: number | null): string {
  switch (table) {
    case TABLE_LOCAL:
      return 'local';
    case TABLE_MAIN:
      return 'main';
    case TABLE_DEFAULT:
      return 'default';
    case null:
      return 'none';
    default:
      return String(table);
  }
}
