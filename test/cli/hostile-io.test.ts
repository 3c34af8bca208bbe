import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, SMALL } from './run-k8snet.ts';

const folder = mkdtempSync(join(tmpdir(), 'k8snet-io-'));
beforeAll(() => {
  writeFileSync(join(folder, 'small.yaml'), SMALL);
  symlinkSync('loop-2', join(folder, 'loop-1'));
  symlinkSync('loop-1', join(folder, 'loop-2'));
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, 'links/deep.yaml'), { recursive: true });
  symlinkSync('nowhere', join(folder, 'links/broken.yaml'));
  mkdirSync(join(folder, 'round'));
  symlinkSync('.', join(folder, 'round/self'));
  writeFileSync(join(folder, 'round/small.yaml'), SMALL);
  spawnSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'report'), 'old');
  symlinkSync('report', join(folder, 'report-link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a shell line in the folder; `$K` is the executable. */
function sh(line: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, K: join(ROOT, 'bin/k8snet.js'), NODE: process.execPath };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line.replaceAll('$K', '"$NODE" "$K"')], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 25_000,
  });
  expect(stderr).not.toMatch(/internal error|\n {4}at /);
  return { status, stdout, stderr };
}

describe('what can’t be read is one message', () => {
  test.each([
    ['a loop of links', '$K check loop-1', 'loop-1: too many symbolic links'],
    ['an empty folder', '$K check empty', 'empty: no .yaml, .yml or .json file'],
    ['a link to nowhere in a folder', '$K check links', 'links/broken.yaml: no such file'],
    ['a device', '$K check /dev/zero', '/dev/zero: neither a file nor a folder'],
    ['a file that has no end or no sense', '$K check /proc/self/mem', '/proc/self/mem: '],
    ['a name that is too long', `$K check ${'a'.repeat(5000)}`, ': the name is too long'],
    ['an empty name', "$K check ''", 'no such file or folder'],
    ['standard input that is closed', '$K check - <&-', 'standard input'],
    ['standard input that only takes', '$K check - 0>out', 'standard input cannot be read (EBADF)'],
    ['standard input twice', '$K check - - < small.yaml', 'standard input can be read only once'],
    ['binary', `$K check "$NODE"`, ''],
  ])('%s', (name, line, message) => {
    const { status, stdout, stderr } = sh(line);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    // Node opens the null device in place of a closed descriptor.
    expect(stderr).toMatch(/^(k8snet|[^\n]+:\d+:\d+): error: /);
    if (!name.endsWith('closed')) expect(stderr).toContain(message);
  });

  test('a pipe and a folder that holds itself are read', () => {
    expect(sh('(cat small.yaml > pipe &); $K check pipe').status).toBe(0);
    expect(sh('$K check round/self/self/self').status).toBe(0);
  });
});

describe('what can’t be written', () => {
  test.each([
    ['a full disk', '$K check small.yaml > /dev/full', 'standard output cannot be written to (ENOSPC)'],
    [
      'a report in no folder',
      '$K check small.yaml --output-file junit=no/such/x.xml',
      'no/such/x.xml: cannot be written (ENOENT)',
    ],
    [
      'a report below a file',
      '$K check small.yaml --output-file junit=small.yaml/x',
      'small.yaml/x: cannot be written (ENOTDIR)',
    ],
    ['a report in place of a folder', '$K check small.yaml --output-file junit=empty', 'empty: cannot be written (EISDIR)'],
  ])('%s is a message', (_, line, message) => {
    const { status, stderr } = sh(line);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  test('a reader that goes away ends it quietly', () => {
    const { status, stdout, stderr } = sh('set -o pipefail; $K trace small.yaml -o json | head -c 10');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toHaveLength(10);
  });

  test.each(['$K check nosuch 2>&-', '$K check nosuch >&- 2>&-', '$K check nosuch 2> /dev/full'])(
    '%s keeps its exit code',
    (line) => {
      expect(sh(line).status).toBe(2);
    },
  );

  // A pipe stands for all that is no file: nobody's devices are put at risk.
  test('what is no file is written to, never replaced', () => {
    expect(sh('cat pipe > taken & $K check small.yaml --output-file junit=pipe; status=$?; wait; exit $status').status).toBe(0);
    expect(lstatSync(join(folder, 'pipe')).isFIFO()).toBe(true);
    expect(readFileSync(join(folder, 'taken'), 'utf8')).toContain('<testsuites');
  });

  test('behind a link the file is replaced, and nothing is left beside it', () => {
    expect(sh('$K check small.yaml --output-file junit=report-link').status).toBe(0);
    expect(lstatSync(join(folder, 'report-link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'report'), 'utf8')).toContain('<testsuites');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('nothing is run and nothing fetched', () => {
  test.each([
    'touch ran',
    'ip route show; touch ran',
    'ip route show $(touch ran)',
    'iptables -A INPUT -m comment --comment "`touch ran`"',
    'sysctl -w net.ipv4.ip_forward=1 > ran',
    '/bin/sh -c "touch ran"',
    'sudo bash -c "touch ran"',
    'curl http://127.0.0.1:9/',
  ])('--do "%s"', (command) => {
    const { status } = sh(`$K trace small.yaml --from pod/client --to pod/web:8080 --do 'node-1: ${command}'`);
    expect(status).toBe(2);
    expect(readdirSync(folder)).not.toContain('ran');
  });
});
