import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { k8snet, SMALL } from './run-k8snet.ts';

const folder = mkdtempSync(join(tmpdir(), 'k8snet-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('0: yes', () => {
  test.each([
    ['a connection', ['trace', '-']],
    ['its checks', ['check', '-']],
    ['rules', ['rules', '-', '--node', 'node-1']],
    ['rules of a node reference', ['rules', '-', '--node', 'node/node-1']],
    ['help', ['--help']],
    ['help of a command', ['trace', '--help']],
    ['the bare name prints help', []],
  ])('%s', (_, args) => {
    const { status, stdout } = k8snet(args, { input: SMALL });
    expect(stdout).not.toBe('');
    expect(status).toBe(0);
  });

  test('the version is that of the package', async () => {
    const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
    expect(k8snet(['--version'])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });
});

describe('a folder of scenarios', () => {
  const several = mkdtempSync(join(folder, 'several-'));
  writeFileSync(join(several, 'a.yaml'), SMALL);
  writeFileSync(join(several, 'b.yaml'), SMALL.replace('10.96.0.20', '10.96.0.21'));

  test('each by itself, named above its checks', () => {
    const { status, stdout, stderr } = k8snet(['check', several]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/a\.yaml\n✓ answers .*b\.yaml\n✓ answers .*4 passed, 0 failed/s);
    expect(status).toBe(0);
  });

  test('what is wrong with any of them is told', () => {
    writeFileSync(join(several, 'c.yaml'), SMALL.replace('node: node-1', 'node: node-2'));
    const { status, stdout, stderr } = k8snet(['check', several]);
    expect(stderr).toMatch(/c\.yaml:\d+:\d+: error: .*node-2/);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});

describe('1: no', () => {
  test('a connection that fails, whatever its check expects', () => {
    const { status, stdout } = k8snet(['trace', '-', '--check', 'no such port'], { input: SMALL });
    expect(stdout).toContain('CONNECTION REFUSED');
    expect(status).toBe(1);
  });

  test('a check that does not hold', () => {
    const { status, stdout } = k8snet(['check', '-'], { input: SMALL.replace('verdict: refused', 'verdict: timeout') });
    expect(stdout).toContain('expected timeout, found refused');
    expect(status).toBe(1);
  });
});

describe('2: the input or the command line is wrong; nothing on stdout', () => {
  const empty = join(folder, 'empty');
  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['trance'], /^k8snet: error: .*unknown command 'trance'/],
    ['an unknown option', ['trace', '--frm', 'x'], /^k8snet: error: unknown option '--frm'.*--from.*Try 'k8snet trace --help'/s],
    ['a missing argument of an option', ['trace', '--from'], /^k8snet: error: .*argument missing/],
    ['a port beyond 65535', ['trace', '-', '--sport', '65536'], /whole number from 1 to 65535/],
    ['a level that does not exist', ['trace', '-', '--detail', 'all'], /Allowed choices are summary, hops, rules/],
    ['a format that does not exist', ['trace', '-', '-o', 'xml'], /Allowed choices are text, json, mermaid/],
    ['a file that does not exist', ['trace', 'nope.yaml'], /^k8snet: error: nope.yaml: no such file or folder\n/],
    ['a reference among the files', ['trace', 'pod/client'], /hint: a reference goes with --from or --to/],
    ['a device', ['trace', '/dev/zero'], /neither a file nor a folder/],
    ['a file twice', ['check', 'scenarios/tutorial.yaml', './scenarios/tutorial.yaml'], /the same file is given twice/],
    ['standard input twice', ['trace', '-', '-'], /only once/],
    ['no such check', ['trace', '-', '--check', 'nope'], /no check "nope".*hint: checks: 1 "answers", 2 "no such port"/s],
    ['half a question', ['trace', '-', '--from', 'pod/client'], /--to is missing/],
    [
      'an unknown service to explain',
      ['explain', 'svc/wbe', '-'],
      /^k8snet: error: no service "default\/wbe"; did you mean default\/web\?/,
    ],
    ['an unknown pod', ['trace', '-', '--from', 'pod/nope', '--to', 'svc/web'], /error: .*nope/],
    ['a mode that does not exist', ['trace', '-', '--proxy-mode', 'magic'], /expected iptables, ipvs/],
    ['a command without host', ['trace', '-', '--do', 'reboot'], /HOST: COMMAND/],
    ['a command of an unknown host', ['trace', '-', '--do', 'node-9: ip route del default'], /node-9/],
    ['a command that does not exist', ['trace', '-', '--do', 'node-1: reboot'], /reboot/],
    ['the same of a check', ['check', '-', '--do', 'node-1: reboot'], /reboot/],
    ['a command of an unknown host, of a check', ['check', '-', '--do', 'node-9: ip route del default'], /node-9/],
    ['help of no command', ['help', 'chek'], /^k8snet: error: unknown command 'chek'.*did you mean check\?/s],
    [
      'a chain that is not there',
      ['explain', 'KUBE-SERVICE', '-'],
      /no chain "KUBE-SERVICE" on node-1; did you mean KUBE-SERVICES\?/,
    ],
    ['a reference that never ends', ['trace', '-', '--from', `pod/${'x'.repeat(3000)}`, '--to', 'svc/web'], /^.{0,120}\n?$/],
    [
      'a backend that nothing leads to',
      ['trace', '-', '--from', 'pod/client', '--to', 'svc/web:80', '--backend', 'pod/client'],
      /backend pod\/default\/client: nothing is drawn on the way, it leads to pod\/default\/web/,
    ],
    ['rules of no node', ['rules', '-'], /--node/],
    ['rules of an unknown node', ['rules', '-', '--node', 'node-9'], /node-9/],
    ['a report format that does not exist', ['check', '-', '--output-file', 'xml=report'], /FORMAT=FILE/],
    [
      'a report where nothing can be written',
      ['check', '-', '--output-file', `json=${folder}/nowhere/report`],
      /cannot be written/,
    ],
    ['a report in place of a folder', ['check', '-', '--output-file', `json=${folder}`], /cannot be written/],
  ])('%s', (_, args, message) => {
    const { status, stdout, stderr } = k8snet(args, { input: SMALL });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  test('every mistake of a file at once, with its place', () => {
    const { status, stdout, stderr } = k8snet(['trace', '-'], { input: 'nods: []\nnodes:\n  - { name: node-1, ip: 1.2.3 }\n' });
    expect(stderr).toMatch(/^<stdin>:1:1: error: .*nods/m);
    expect(stderr).toMatch(/^<stdin>:3:\d+: error: .*1\.2\.3/m);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  test.each([
    ['nothing', ''],
    ['broken YAML', 'nodes: [\n'],
    ['a scalar', '42'],
    ['control characters', 'nodes: [{ name: "a\\e[2J", ip: 192.168.0.11 }]'],
    ['binary', '\u0000\u0001\u0002'],
  ])('input that is %s', (_, input) => {
    const { status, stdout, stderr } = k8snet(['trace', '-'], { input });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach a terminal
    expect(stderr).toMatch(/^[^\u0000-\u0009\u000b-\u001f]+$/);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  test('an empty folder', () => {
    const { status, stderr } = k8snet(['trace', mkdtempSync(`${empty}-`)]);
    expect(stderr).toContain('no .yaml, .yml or .json file in this folder');
    expect(status).toBe(2);
  });
});

test('files and folders add up; -f is the same as FILE', () => {
  const [cluster = '', checks = ''] = SMALL.split(/(?=^checks:)/m);
  writeFileSync(join(folder, 'cluster.yaml'), cluster);
  writeFileSync(join(folder, 'notes.txt'), 'not: [read');
  expect(k8snet(['check', folder, '-f', '-'], { input: checks })).toMatchObject({ status: 0, stderr: '' });
});
