import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXECUTABLE = fileURLToPath(new URL('../../bin/k8snet.js', import.meta.url));

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the executable as a user would, with an environment that says nothing about colours, width or locale. */
export function k8snet(args: readonly string[], { input = '', cwd = ROOT, env = {} }: RunOptions = {}): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [EXECUTABLE, ...args], {
    input,
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** A cluster of one node and three pods, on which nothing is random. */
export const SMALL = `
nodes: [{ name: node-1, ip: 192.168.0.11 }]
pods:
  - { name: client, node: node-1 }
  - { name: web, node: node-1, labels: { app: web }, ports: [8080] }
services:
  - { name: web, clusterIP: 10.96.0.20, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
checks:
  - { name: answers, from: pod/client, to: 'svc/web:80', expect: { verdict: connected, server: pod/web } }
  - { name: no such port, from: pod/client, to: 'pod/web:81', expect: { verdict: refused } }
`;
