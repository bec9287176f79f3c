import { Refusal } from '../../../state/kernel/refusal.ts'
import { intOf, list, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { StoredOf } from '../../../state/kernel/shape/values.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { Node } from '../../../state/scheduler/cluster/model/node-shapes.ts'
import {
  addOutcomeRule,
  type OutcomeRule,
  outcomeRuleShape,
  outcomeRules,
  removeOutcomeRules,
} from '../../../state/scheduler/cluster/model/task-outcomes.ts'
import { applyNodeStateChange } from '../../../state/scheduler/cluster/node-writes.ts'
import {
  isReady,
  type NodeSettings,
  nodeSettingsShape,
  putNode,
} from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { step } from '../../../state/scheduler/cluster/step-runner.ts'
import { jobDiffShape } from '../../../state/scheduler/diff/shapes.ts'
import { type JobFixture, jobFixture, registerFixture } from '../../../state/scheduler/fixtures.ts'
import type { Job } from '../../../state/scheduler/job/job-shape.ts'
import { versionsOf } from '../../../state/scheduler/jobs/versions.ts'
import { jobs } from '../../../state/scheduler/records/tables.ts'
import { ControlPart, withCallersStack } from '../../http/declare/control-call.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'

export const stepCountShape = struct({
  count: optional(described(intOf({ minimum: 1, maximum: 10_000 }), '1 if left out')),
})

/** A rule about the outcome of tasks, with its id. */
type NamedOutcomeRule = OutcomeRule & { readonly id: string }

/** The steps that the cluster executed, in the order of execution. */
export const stepsShape = list(
  struct({ at: described(instant, 'Time when the step was due'), kind: text, id: text }),
)

/**
 * The retained versions of a job, highest version first, and their changes since the preceding
 * version.
 */
export const jobVersionsShape = list(
  struct({
    version: uint,
    since: described(nullable(uint), 'Preceding retained version; null if there is none'),
    diff: described(
      nullable(jobDiffShape),
      "Changes since the preceding version, in the API's format",
    ),
  }),
)

/** Control of the simulated cluster of one world for tests. No token is required. */
export class SchedulerControl extends ControlPart {
  /**
   * Registers a job with the rights of an administrator. The job's tasks start as the world's clock
   * advances.
   *
   * @param job text of a job file, or the job in the API's format with or without an enclosing
   *   `Job` member
   * @returns the ID of the job
   * @throws {InputError} for input that is not a job
   * @throws Refusal for jobs that the API would also refuse
   */
  run(job: JobFixture): string {
    this.check(jobFixture, job)
    return withCallersStack(this.run, () =>
      this.world.write(() => registerFixture(this.world, job)),
    )
  }

  /**
   * Runs the due jobs of the world, and returns every job in its current state, ordered by
   * namespace and ID.
   */
  jobs(): readonly Job[] {
    this.world.runDueJobs()
    return [...this.world.table(jobs).rows()]
  }

  /**
   * Returns the differences between the retained versions of a job, highest version first. Throws
   * an `absent` refusal if there is no such job.
   */
  jobVersions(id: string, namespace = 'default'): StoredOf<typeof jobVersionsShape> {
    const { Versions, Diffs } = versionsOf(this.world, namespace, id, { diffs: true })
    return Versions.map(({ Version: version }, at) => ({
      version,
      since: Versions[at + 1]?.Version ?? null,
      diff: Diffs?.[at] ?? null,
    }))
  }

  /** Returns the rules about the outcome of tasks; the first matching rule applies. */
  outcomes(): readonly NamedOutcomeRule[] {
    const rules = this.world.table(outcomeRules).entries()
    return Array.from(rules, ([id, rule]) => ({ id, ...rule }))
  }

  /**
   * Appends a rule. The rule applies to tasks that start or end from now on.
   *
   * @returns the id of the rule
   * @throws {InputError} for an invalid rule
   */
  addOutcome(rule: OutcomeRule): string {
    this.check(outcomeRuleShape, rule)
    return addOutcomeRule(this.world, rule)
  }

  /**
   * Removes one rule or, without an id, all rules. Throws an `absent` refusal for an unknown id.
   */
  removeOutcomes(id?: string): void {
    if (id === undefined) {
      removeOutcomeRules(this.world)
      return
    }
    this.world.write(() => {
      if (this.world.table(outcomeRules).delete(id)) return
      throw new Refusal('absent', `there is no outcome "${id}"`)
    })
  }

  /**
   * Executes the next steps of the cluster before they are due. Meant for worlds with the option
   * `schedulerMode: 'manual'`.
   *
   * @returns the executed steps; fewer than `count` if there are no more or if the cluster is
   *   frozen
   * @throws {InputError} for an invalid count
   */
  step(count = 1): StoredOf<typeof stepsShape> {
    this.check(stepCountShape, { count })
    const steps: StoredOf<typeof stepsShape>[number][] = []
    while (steps.length < count) {
      const ranStep = step(this.world)
      if (ranStep === undefined) break
      steps.push({ ...ranStep, at: formatTimestamp(ranStep.at) })
    }
    return steps
  }

  /**
   * Adds a node, or replaces the node with the same id. Evaluates the node's jobs if the node is
   * ready, down or disconnected.
   *
   * @throws {InputError} for invalid settings
   */
  putNode(settings: NodeSettings): Node {
    this.check(nodeSettingsShape, settings)
    return this.world.write(() => {
      const node = putNode(this.world, settings)
      // Pending allocations may fit on the new node, and allocations of a node that went down are
      // rescheduled.
      if (isReady(node)) return applyNodeStateChange(this.world, node, 'ready')
      const { Status } = node
      const isGone = Status === 'down' || Status === 'disconnected'
      return isGone ? applyNodeStateChange(this.world, node, Status) : node
    })
  }
}
