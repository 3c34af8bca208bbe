import { describe, expect, test } from 'vitest';
import { BASE, outcome } from './lab.ts';

function whyNot(from: string, to: string, commands: readonly string[], text = BASE): string | undefined {
  const { cause } = outcome(text, from, to, commands);
  if (!cause) throw new Error('nothing went wrong');
  return cause.whyNot;
}

describe('whyNot', () => {
  test.each([
    ['-s', 'iptables -A FW -s 10.9.0.0/16 -j ACCEPT', '`-s 10.9.0.0/16` does not hold: its source is 10.244.1.2'],
    ['-d', 'iptables -A FW -d 10.244.2.0/30 -p udp -j ACCEPT', '`-p udp` does not hold: it is tcp'],
    [
      '--dport',
      'iptables -A FW -p tcp --dport 8081 -j ACCEPT',
      '`-m tcp --dport 8081` does not hold: its destination port is 8080',
    ],
    ['--dports', 'iptables -A FW -p tcp -m multiport --dports 80,443 -j ACCEPT', 'its destination port is 8080'],
    ['-i', 'iptables -A FW -i eth0 -j ACCEPT', '`-i eth0` does not hold: it came in by flannel.1'],
    ['-o', 'iptables -A FW -o eth0 -j ACCEPT', '`-o eth0` does not hold: it goes out by cni0'],
    ['--ctstate', 'iptables -A FW -m conntrack --ctstate ESTABLISHED -j ACCEPT', 'its connection is NEW'],
  ])('names the condition that failed: %s', (_option, accept, condition) => {
    const commands = [
      'iptables -N FW',
      accept,
      'iptables -A FW -j DROP',
      'iptables -F KUBE-FORWARD',
      'iptables -I FORWARD -j FW',
    ];
    const text = whyNot(
      'pod/client',
      'pod/web-2:8080',
      commands.map((line) => `node-2: ${line}`),
    );
    expect(text).toMatch(/^rule 1 of filter FW, /);
    expect(text).toContain(condition);
  });

  test('a rule behind the drop would not have helped', () => {
    const commands = ['iptables -F KUBE-FORWARD', 'iptables -I FORWARD -j ACCEPT -s 10.9.9.9', 'iptables -I FORWARD -j DROP'];
    expect(
      whyNot(
        'pod/client',
        'pod/web-2:8080',
        commands.map((line) => `node-2: ${line}`),
      ),
    ).toBeUndefined();
  });

  test.each([
    ['that is about something else', 'iptables -A INGRESS -p tcp --dport 3000 -j ACCEPT', undefined],
    ['that is for this server', 'iptables -A INGRESS -d 10.244.2.2 -p tcp --dport 3000 -j ACCEPT', /^rule 1 of filter INGRESS/],
  ])('a rule of another chain %s', (_what, accept, says) => {
    const commands = [
      'iptables -N INGRESS',
      accept,
      'iptables -F KUBE-FORWARD',
      'iptables -I FORWARD -j DROP',
      'iptables -I FORWARD -j INGRESS',
    ];
    const text = whyNot(
      'pod/client',
      'pod/web-2:8080',
      commands.map((line) => `node-2: ${line}`),
    );
    if (says) expect(text).toMatch(says);
    else expect(text).toBeUndefined();
  });

  test('rules that miss by more than two conditions are not named', () => {
    const commands = [
      'iptables -F KUBE-FORWARD',
      'iptables -I FORWARD -j DROP',
      'iptables -I FORWARD -s 10.9.9.9 -d 10.9.9.8 -i eth0 -j ACCEPT',
    ];
    expect(
      whyNot(
        'pod/client',
        'pod/web-2:8080',
        commands.map((line) => `node-2: ${line}`),
      ),
    ).toBeUndefined();
  });

  test('a service that refuses is no matter of other rules', () => {
    expect(
      whyNot('pod/client', 'svc/near', [], BASE.replace('app: web-1 }, ports: [{ port', 'app: wbe }, ports: [{ port')),
    ).toBeUndefined();
  });
});
