import { describe, expect, test } from 'vitest';
import { runCommand } from '../../../../src/kernel/operator/run.ts';
import { TABLE_NAMES } from '../../../../src/kernel/netfilter/iptables/table.ts';
import { PRELUDE, readCases } from '../../../support/iptables-cases.ts';
import { NO_RULES_HOST } from '../../../support/traverse-context.ts';
import type { Host } from '../../../../src/kernel/host.ts';

/** A host after command lines that must work. */
function after(host: Host, lines: readonly string[]): Host {
  return lines.reduce((current, line) => {
    const result = runCommand(current, line);
    if (!result.ok) throw new Error(`${line}: ${result.message}`);
    return result.host;
  }, host);
}

/** Every rule with its table, as iptables-save tells them. */
function rulesOf({ netfilter }: Host): readonly string[] {
  return TABLE_NAMES.flatMap((name) => {
    const table = netfilter.iptables.get(name);
    const chains = [...(table?.chainNames() ?? [])].map((chain) => table!.chain(chain)!);
    return chains.flatMap((chain) =>
      Array.from(
        { length: chain.length },
        (_, i) => `${name} -A ${chain.name}${chain.body(i) === '' ? '' : ` ${chain.body(i)}`}`,
      ),
    );
  });
}

const prepared = after(NO_RULES_HOST, PRELUDE);
const cases = readCases();

describe('iptables as the real one (test/golden/iptables-commands.txt)', () => {
  test.each(cases.filter((each) => each.rules !== null))('$command', ({ command, rules }) => {
    const result = runCommand(prepared, command);
    expect(result.ok ? rulesOf(result.host) : result.message).toEqual(rules);
  });

  test.each(cases.filter((each) => each.rules === null))('refused: $command', ({ command, message }) => {
    const result = runCommand(prepared, command);
    if (message.includes("Couldn't load match")) expect(result).toMatchObject({ ok: false, kind: 'not-modelled' });
    else expect(result).toEqual({ ok: false, kind: 'refused', message });
  });
});
