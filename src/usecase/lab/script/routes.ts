import { formatCidr } from '../../../net/cidr.ts';
import { formatRoute } from '../../../kernel/routing/format.ts';
import { formatRule } from '../../../kernel/routing/format-rule.ts';
import { DEFAULT_RULES } from '../../../kernel/routing/policy.ts';
import { TABLE_LOCAL, TABLE_MAIN } from '../../../kernel/routing/route.ts';
import type { Host } from '../../../kernel/host.ts';
import type { Route } from '../../../kernel/routing/route.ts';

/**
 * `ip` commands that add what the kernel does not make of addresses by itself; next hops on the link come before what goes by them. A
 * second route to one prefix stands behind the first.
 */
export function routeCommands(host: Host): readonly string[] {
  const commands: { readonly text: string; readonly direct: boolean }[] = [];
  for (const [id, table] of host.routing.tables) {
    if (id === TABLE_LOCAL) continue;
    const seen = new Set<string>();
    for (const route of table.routes()) {
      const key = `${formatCidr(route.dst)} ${route.tos} ${route.metric}`;
      const verb = seen.has(key) ? 'append' : 'add';
      seen.add(key);
      if (route.protocol === 'kernel') continue;
      commands.push({
        text: `route ${verb} ${formatRoute(route)}${id === TABLE_MAIN ? '' : ` table ${id}`}`,
        direct: isDirect(route),
      });
    }
  }
  return [...commands.filter(({ direct }) => direct), ...commands.filter(({ direct }) => !direct)].map(({ text }) => text);
}

/** `ip` commands that add the routing rules of a family which a fresh namespace lacks. */
export function routingRuleCommands({ routing }: Host, family: 4 | 6): readonly string[] {
  const added = routing.rules.filter((rule) => rule.family === family && !DEFAULT_RULES.includes(rule));
  return added.map((rule) => `rule add ${formatRule(rule)}`);
}

function isDirect({ nexthops }: Route): boolean {
  return nexthops.every(({ via }) => via === null);
}
