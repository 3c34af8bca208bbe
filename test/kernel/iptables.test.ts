import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseSave } from '../../src/kernel/netfilter/iptables/save-format/parse.ts';
import { printSave } from '../../src/kernel/netfilter/iptables/save-format/print.ts';
import { caseScript, readCases } from '../support/iptables-cases.ts';
import { cannotRun, runInNamespace } from '../support/netns.ts';

// The real programs on the real kernel. Skipped, with the reason in the title, where they can't be run.
const reason = cannotRun(['iptables', 'iptables-restore', 'iptables-save', 'ipset']);
const SAVES = new URL('../golden/iptables-save/', import.meta.url);
const GOLDEN = new URL('../golden/kube-proxy/', import.meta.url);

/** Lines that say something: no comments, no counters. */
function meaning(save: string): readonly string[] {
  return save.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.replace(/ \[\d+:\d+\]$/, '')]));
}

describe.skipIf(reason !== null)(`the real iptables${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  const plain = [
    '01-kubeproxy-1.18-iptables-flannel.save',
    '12-docker-28-swarm-host.save',
    '16-istio-sidecar-podns.save',
    '25-ufw-host.save',
  ];
  const kubeProxy = readdirSync(GOLDEN)
    .slice(0, 5)
    .map((name) => new URL(`${name}/iptables.txt`, GOLDEN));

  test.each([...plain.map((file) => new URL(file, SAVES)), ...kubeProxy])(
    'iptables-restore takes what we print of %s',
    (file) => {
      const { tables } = parseSave(readFileSync(file, 'utf8'), 'dump');
      const printed = printSave(tables, 4);
      const back = runInNamespace(`iptables-restore <<'END-OF-RULES'\n${printed}END-OF-RULES\niptables-save`);
      expect(meaning(back)).toEqual(meaning(printed));
    },
  );

  // Every tenth; REAL_IPTABLES=all takes the half minute that all of them need.
  const step = process.env.REAL_IPTABLES === 'all' ? 1 : 10;
  test('test/golden/iptables-commands.txt is what iptables makes of these command lines', { timeout: 180_000 }, () => {
    const cases = readCases().filter((_, i) => i % step === 0);
    const lines = (command: string) => cases.find((each) => each.command === command);
    const real = runInNamespace(caseScript(cases.map((each) => each.command)));
    for (const block of real.split(/^> /m).slice(1)) {
      const [command, ...printed] = block.trimEnd().split('\n') as [string, ...string[]];
      const expected = lines(command);
      expect(printed, command).toEqual(expected?.rules ?? [`! ${expected?.message}`]);
    }
  });
});
