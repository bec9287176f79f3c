import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Constraint } from '../../job/scheduling-shapes.ts'
import type { Node } from '../model/node-shapes.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import { computedClass } from '../nodes/computed-class.ts'
import { meetsConstraint } from './constraints.ts'

/** Members of a blocked evaluation that define which nodes can unblock it. */
export type ClassEligibility = Pick<Evaluation, 'ClassEligibility' | 'EscapedComputedClass'>

/** Beginnings of the targets that nodes of one class do not share. */
const uniqueTargets = ['${node.unique.', '${attr.unique.', '${meta.unique.']

/**
 * Returns which classes of nodes are feasible for at least one of the groups that an evaluation has
 * tried to place (behaviour/scheduler#evaluations). A job with a constraint on a unique property of
 * nodes has no classes.
 *
 * @param isFeasible returns whether a node is feasible for a group regardless of its load
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
