import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Constraint } from '../../job/scheduling-shapes.ts'
import type { Node } from '../model/node-shapes.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import { computedClass } from '../nodes/computed-class.ts'
import { meetsConstraint } from './constraints.ts'

/**
 * Members of a blocked evaluation that report which classes of nodes suit the job's groups. The
 * members have no effect.
 */
export type ClassEligibility = Pick<Evaluation, 'ClassEligibility' | 'EscapedComputedClass'>

/** Prefixes of targets whose values differ between the nodes of a class. */
const uniqueTargets = ['${node.unique.', '${attr.unique.', '${meta.unique.']

/**
 * Returns, for each class of nodes, whether at least one of the groups is feasible on the class
 * (behaviour/scheduler#evaluations). If a constraint refers to a unique property, nodes of one
 * class can differ in that property, so the result contains no classes.
 *
 * @param isFeasible returns true if a node is feasible for a group; the node's load is not
 *   considered
 */
export function classEligibilityOf(
  job: Job,
  groups: readonly TaskGroup[],
  nodes: readonly Node[],
  isFeasible: (group: TaskGroup, node: Node) => boolean,
): ClassEligibility {
  if (hasUniqueConstraint(job)) return { ClassEligibility: null, EscapedComputedClass: true }
  const classes: Record<string, boolean> = {}
  for (const node of nodes) {
    const name = computedClass(node)
    const isExcluded = (job.Constraints ?? []).some((each) => !meetsConstraint(node, each))
    if (isExcluded) classes[name] = false
    else classes[name] ||= groups.some((group) => isFeasible(group, node))
  }
  return { ClassEligibility: classes, EscapedComputedClass: false }
}

function hasUniqueConstraint({ Constraints, TaskGroups }: Job): boolean {
  return [
    Constraints,
    ...(TaskGroups ?? []).flatMap((group) => [
      group.Constraints,
      ...(group.Tasks ?? []).map((task) => task.Constraints),
    ]),
  ].some((constraints) => constraints?.some(isUnique))
}

function isUnique({ LTarget, RTarget }: Constraint): boolean {
  return uniqueTargets.some((start) => LTarget.startsWith(start) || RTarget.startsWith(start))
}
