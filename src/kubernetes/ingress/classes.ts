import type { Cluster } from '../model/cluster.ts';
import type { Ingress } from '../model/ingress.ts';
import type { IngressController } from './controllers.ts';

/** The deprecated annotation that names a class; controllers heed it before spec.ingressClassName. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Why a controller serves an Ingress, or does not. */
export type ClassDecision =
  | { readonly serves: true; readonly by: 'class' | 'annotation' | 'default-class'; readonly className: string }
  /** Nothing given says whose it is: the input has no IngressClass of that name, or none at all. */
  | { readonly serves: true; readonly by: 'assumption'; readonly className: string | null }
  | { readonly serves: false; readonly by: 'other-class'; readonly className: string }
  /** It names no class, and no class is the default. */
  | { readonly serves: false; readonly by: 'no-class'; readonly className: null };

/** Does a controller serve an Ingress? */
export function classDecision(cluster: Cluster, controller: IngressController, ingress: Ingress): ClassDecision {
  const annotated = ingress.annotations[CLASS_ANNOTATION];
  if (annotated !== undefined && annotated !== '') return byAnnotation(controller, annotated);
  const given = ingress.className;
  // The admission plugin DefaultIngressClass writes the default into an Ingress that names none.
  const className = given ?? cluster.ingressClasses.find(({ isDefault }) => isDefault)?.name ?? null;
  if (className === null) {
    return cluster.ingressClasses.length === 0
      ? { serves: true, by: 'assumption', className }
      : { serves: false, by: 'no-class', className };
  }
  if (controller.classes.includes(className)) return { serves: true, by: given === null ? 'default-class' : 'class', className };
  const isKnown = cluster.ingressClasses.some(({ name }) => name === className);
  const isSaid = cluster.ingressSettings.className !== null;
  return isKnown || isSaid || isOfAnother(controller, className)
    ? { serves: false, by: 'other-class', className }
    : { serves: true, by: 'assumption', className };
}

/** The Ingresses that a controller serves, in the order of the file. */
export function ingressesOf(cluster: Cluster, controller: IngressController): readonly Ingress[] {
  return cluster.ingresses.filter((ingress) => classDecision(cluster, controller, ingress).serves);
}

function byAnnotation(controller: IngressController, className: string): ClassDecision {
  const { classes, implementation } = controller;
  const serves = classes.includes(className) || implementation === null || implementation.annotation === className;
  return serves ? { serves, by: 'annotation', className } : { serves, by: 'other-class', className };
}

/** A class that is not given, but bears the usual name of another implementation's. */
function isOfAnother({ implementation }: IngressController, className: string): boolean {
  return implementation !== null && implementation.annotation !== className && implementation.name !== className;
}
