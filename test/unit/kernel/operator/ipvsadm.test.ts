import { describe, expect, test } from 'vitest';
import { printIpvsadmSave } from '../../../../src/kernel/ipvs/save-format.ts';
import { runCommand } from '../../../../src/kernel/operator/run.ts';
import { NO_RULES_HOST } from '../../../support/traverse-context.ts';

/** Runs `ipvsadm` command lines and gives what `ipvsadm -Sn` prints then, and the last message. */
function run(lines: readonly string[]): { readonly save: readonly string[]; readonly message: string | null } {
  let host = NO_RULES_HOST;
  let message: string | null = null;
  for (const line of lines) {
    const result = runCommand(host, `ipvsadm ${line}`);
    message = result.ok ? null : `${result.kind}: ${result.message}`;
    if (result.ok) host = result.host;
  }
  const save = printIpvsadmSave(host.netfilter.ipvs);
  return { save: save === '' ? [] : save.trimEnd().split('\n'), message };
}

const WEB = '-A -t 10.96.0.20:80 -s rr';

describe('ipvsadm', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['-A -t 10.96.0.20:80'], ['-A -t 10.96.0.20:80 -s wlc']],
    [['-A -u 10.96.0.10:domain -s sh -b sh-port'], ['-A -u 10.96.0.10:53 -s sh -b sh-port']],
    [['--add-service --tcp-service [fd00::1]:80 --scheduler=rr --persistent'], ['-A -t [fd00::1]:80 -s rr -p 300']],
    [['-A --sctp-service 10.96.0.20:38412 -s rr -p 60'], ['-A --sctp-service 10.96.0.20:38412 -s rr -p 60']],
    [[WEB, '-E -t 10.96.0.20:80 -s mh'], ['-A -t 10.96.0.20:80 -s mh']],
    [[WEB, '-D -t 10.96.0.20:80'], []],
    [[WEB, '-C'], []],
    [
      [WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2:8080 -m'],
      [WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2:8080 -m -w 1'],
    ],
    [
      [WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2 -m -w 5'],
      [WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2:80 -m -w 5'],
    ],
    [
      [WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2:8080 -m', '-e -t 10.96.0.20:80 -r 10.244.0.2:8080 -m -w 0'],
      [WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2:8080 -m -w 0'],
    ],
    [[WEB, '-a -t 10.96.0.20:80 -r 10.244.0.2:8080 -m', '-d -t 10.96.0.20:80 -r 10.244.0.2:8080'], [WEB]],
    [[WEB, '-ln', '-Ln --stats', '-S -n', '-Z', '-Z -t 10.96.0.20:80', '-lnc'], [WEB]],
  ])('%j', (lines, save) => expect(run(lines)).toEqual({ save, message: null }));

  test.each<[readonly string[], string]>([
    [[WEB, WEB], 'refused: Service already exists'],
    [['-A -t 10.96.0.20:80 -s best'], 'refused: Scheduler or persistence engine not found'],
    [['-E -t 10.96.0.20:80 -s rr'], 'refused: No such service'],
    [['-D -u 10.96.0.20:80'], 'refused: No such service'],
    [['-Z -t 10.96.0.20:80'], 'refused: No such service'],
    [['-a -t 10.96.0.20:80 -r 10.244.0.2:8080 -m'], 'refused: Service not defined'],
    [[WEB, '-e -t 10.96.0.20:80 -r 10.244.0.2:80 -m'], 'refused: No such destination'],
    [[WEB, '-d -t 10.96.0.20:80 -r 10.244.0.2:80'], 'refused: No such destination'],
    [[WEB, '-a -t 10.96.0.20:80 -r 10.0.0.1 -m', '-a -t 10.96.0.20:80 -r 10.0.0.1 -m'], 'refused: Destination already exists'],
    [['-A'], "refused: You need to supply the 'service-address' option for the 'add-service' command"],
    [['-a -t 10.96.0.20:80'], "refused: You need to supply the 'real-server' option for the 'add-server' command"],
    [['-A -t 10.96.0.20:80 -w 3'], "refused: Illegal 'weight' option with the 'add-service' command"],
    [['-C -t 10.96.0.20:80'], "refused: Illegal 'service-address' option with the 'flush' command"],
    [['-A -D -t 10.96.0.20:80'], 'refused: multiple commands specified'],
    [['-A -t web:80'], 'refused: illegal virtual server address[:port] specified'],
    [['-A -t 10.96.0.20:0 -s rr'], 'refused: Zero port specified for non-persistent service'],
    [['-A -t 10.96.0.20:80 -p 0'], "refused: invalid timeout value `0' specified"],
    [[WEB, '-a -t 10.96.0.20:80 -r 10.0.0.1 -w 70000'], 'refused: illegal weight specified'],
    [[WEB, '-a -t 10.96.0.20:80 -r'], 'refused: -r: missing argument'],
    [['--set 900 120'], 'refused: --set option requires 3 timeout values'],
    [['--set 900 x 300'], "refused: invalid timeout value `x' specified"],
    [['-A -t 10.96.0.20:80 --wrong'], 'refused: --wrong: unknown option'],
    [['-A -t 10.96.0.20:80 rr'], 'refused: unexpected argument rr'],
    [[WEB, '-a -t 10.96.0.20:80 -r 10.0.0.1'], 'not-modelled: ipvsadm without -m (direct routing) is not modelled'],
    [[WEB, '-a -t 10.96.0.20:80 -r 10.0.0.1 -i'], 'not-modelled: ipvsadm -i is not modelled'],
    [['-A -f 1 -s rr'], 'not-modelled: ipvsadm -f is not modelled'],
  ])('%j is refused', (lines, message) => expect(run(lines).message).toBe(message));
});

test('--set changes the times that are not 0 (ip_vs_set_timeout)', () => {
  const first = runCommand(NO_RULES_HOST, 'ipvsadm --set 600 0 30');
  if (!first.ok) throw new Error(first.message);
  expect(first.host.netfilter.ipvsTimeouts).toEqual({ tcp: 600_000, udp: 30_000 });
  const second = runCommand(first.host, 'ipvsadm --set 0 10 0');
  if (!second.ok) throw new Error(second.message);
  expect(second.host.netfilter.ipvsTimeouts).toEqual({ tcp: 600_000, tcpFin: 10_000, udp: 30_000 });
});
