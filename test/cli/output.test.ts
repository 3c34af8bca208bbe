import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { k8snet, ROOT, SMALL } from './run-k8snet.ts';

const folder = mkdtempSync(join(tmpdir(), 'k8snet-'));
afterAll(() => rmSync(folder, { recursive: true }));

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const ESCAPE = /\u001b\[/;

describe('the bare trace', () => {
  const { status, stdout, stderr } = k8snet(['trace']);
  const lines = stdout.trimEnd().split('\n');

  test('runs the bundled tutorial and says so', () => {
    expect(stderr).toContain('scenarios/tutorial.yaml');
    expect(status).toBe(0);
  });

  test('starts with the packet fully resolved', () => {
    expect(lines[0]).toMatch(/^TCP {2}pod\/default\/client 10\.244\.0\.2:\d+ → svc\/default\/web:80 10\.96\.0\.20:80 /);
  });

  test('shows the rewrite, the tunnel and both servers', () => {
    expect(stdout).toMatch(/DNAT 10\.96\.0\.20:80 ⇒ 10\.244\.1\.\d+:8080/);
    expect(stdout).toContain('192.168.0.11 → 192.168.0.12');
    expect(stdout).toMatch(/^CONNECTED .*pod\/web-1 \(50 %\) or pod\/web-2 \(50 %\)/m);
  });

  test('ends with the reply’s fate', () => {
    expect(lines.slice(-8).join('\n')).toMatch(/^ {2}reply /m);
  });

  test('gives the same bytes again', () => {
    expect(k8snet(['trace']).stdout).toBe(stdout);
  });
});

describe('colour', () => {
  test.each<[string, string[], Record<string, string>, boolean]>([
    ['none in a pipe', [], {}, false],
    ['FORCE_COLOR', [], { FORCE_COLOR: '1' }, true],
    ['NO_COLOR beats FORCE_COLOR', [], { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ['--color always', ['--color', 'always'], { NO_COLOR: '1' }, true],
    ['--color never', ['--color', 'never'], { FORCE_COLOR: '1' }, false],
    ['--no-color', ['--no-color'], { FORCE_COLOR: '1' }, false],
  ])('%s', (_, args, env, coloured) => {
    expect(ESCAPE.test(k8snet(['trace', ...args], { env }).stdout)).toBe(coloured);
  });

  test('takes nothing away and adds nothing but itself', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
    const stripped = k8snet(['trace', '--color', 'always']).stdout.replace(/\u001b\[\d+m/g, '');
    expect(stripped).toBe(k8snet(['trace']).stdout);
  });
});

test('a locale without UTF-8 gets ASCII', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
  expect(k8snet(['trace'], { env: { LC_ALL: 'C' } }).stdout).toMatch(/^[\x00-\x7f]+$/);
});

test.each(['summary', 'hops', 'rules'])('detail %s', (detail) => {
  const { status, stdout } = k8snet(['trace', '-', '--detail', detail], { input: SMALL });
  expect(status).toBe(0);
  expect(stdout.includes('-A KUBE-SERVICES')).toBe(detail === 'rules');
  expect(stdout.includes('route ')).toBe(detail !== 'summary');
});

test('the summary of the tutorial is stable', async () => {
  await expect(k8snet(['trace', '--detail', 'summary']).stdout).toMatchFileSnapshot('golden/tutorial-summary.txt');
});

describe('JSON', () => {
  test('a trace', () => {
    const trace = JSON.parse(k8snet(['trace', '-', '-o', 'json'], { input: SMALL }).stdout);
    expect(trace).toMatchObject({ apiVersion: 'k8snet/v1', kind: 'Trace', from: 'pod/default/client', to: 'svc/default/web:80' });
    expect(trace.outcomes).toHaveLength(1);
    expect(trace.outcomes[0]).toMatchObject({
      probability: 1,
      verdict: 'connected',
      server: 'pod/default/web',
      source: '10.244.0.2',
    });
  });

  test('--repeat gives a list', () => {
    const list = JSON.parse(k8snet(['trace', '-', '-o', 'json', '--repeat', '2'], { input: SMALL }).stdout);
    expect(list).toMatchObject({ kind: 'TraceList', items: [{ kind: 'Trace' }, { kind: 'Trace' }] });
  });

  test('--no-reply has none', () => {
    const trace = JSON.parse(k8snet(['trace', '-', '-o', 'json', '--no-reply'], { input: SMALL }).stdout);
    expect(trace.outcomes[0].reply).toEqual([]);
  });
});

test('Mermaid', () => {
  const { stdout } = k8snet(['trace', '-', '-o', 'mermaid'], { input: SMALL });
  expect(stdout).toMatch(/^sequenceDiagram\n/);
  expect(stdout).toMatch(/participant h0 as pod\/client/);
});

test('check writes reports beside stdout, whole or not at all', () => {
  const xml = join(folder, 'report.xml');
  const json = join(folder, 'report.json');
  const { status, stdout } = k8snet(['check', '-', '--output-file', `junit=${xml}`, '--output-file', `json=${json}`], {
    input: SMALL,
  });
  expect(status).toBe(0);
  expect(stdout).toContain('2 passed, 0 failed');
  expect(readFileSync(xml, 'utf8')).toContain('<testsuites name="k8snet" tests="2" failures="0" errors="0">');
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ kind: 'CheckReport', passed: 2, failed: 0 });
  expect(readdirSync(folder).sort()).toEqual(['report.json', 'report.xml']);
});

test('a closed pipe ends quietly', () => {
  const command = `"${process.execPath}" bin/k8snet.js trace --detail rules -o json | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
  expect(stdout.split('\n')[0]).toBe('{');
  expect(stderr).not.toMatch(/EPIPE|Error/);
});

describe('help', () => {
  const commands = ['trace', 'rules', 'check', 'explain'];

  test('names every command and the exit codes', () => {
    const { stdout } = k8snet(['--help']);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(stdout).toContain('Exit codes:');
  });

  test.each(commands)('%s has examples', (command) => {
    expect(k8snet([command, '--help']).stdout).toMatch(new RegExp(`Examples:\n  k8snet ${command} `));
  });
});

test('without its bundle the executable says how to build it', () => {
  const bare = mkdtempSync(join(folder, 'bare-'));
  spawnSync('cp', ['-r', join(ROOT, 'bin'), join(ROOT, 'package.json'), bare]);
  const { status, stderr } = spawnSync(process.execPath, [join(bare, 'bin/k8snet.js')], { encoding: 'utf8' });
  expect(existsSync(join(bare, 'dist'))).toBe(false);
  expect(stderr).toContain('npm install');
  expect(status).toBe(3);
});
