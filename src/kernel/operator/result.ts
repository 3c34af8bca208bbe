import type { Host } from '../host.ts';

/** What a command line did: the changed host, or why nothing changed. */
export type OperatorResult =
  | { readonly ok: true; readonly host: Host }
  /** Linux refuses it too; `message` is what the program prints. */
  | { readonly ok: false; readonly kind: 'refused'; readonly message: string }
  /** Linux might do it, but k8snet does not model it; `message` says what. */
  | { readonly ok: false; readonly kind: 'not-modelled'; readonly message: string };

export function refused(message: string): OperatorResult {
  return { ok: false, kind: 'refused', message };
}

export function notModelled(message: string): OperatorResult {
  return { ok: false, kind: 'not-modelled', message };
}
