import { Refusal } from '../../state/kernel/refusal.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Node } from '../../state/scheduler/cluster/model/node-shapes.ts'
import {
  addOutcomeRule,
  type OutcomeRule,
  outcomeRuleShape,
  outcomeRules,
  removeOutcomeRules,
} from '../../state/scheduler/cluster/model/task-outcomes.ts'
import { applyNodeStateChange } from '../../state/scheduler/cluster/node-state-changes.ts'
import {
  isReady,
  type NodeSettings,
  nodeSettingsShape,
  putNode,
} from '../../state/scheduler/cluster/nodes/nodes.ts'
import { step } from '../../state/scheduler/cluster/step-runner.ts'
import type { JobDiff } from '../../state/scheduler/diff/shapes.ts'
import { type JobFixture, jobFixture, registerFixture } from '../../state/scheduler/fixtures.ts'
import type { Job } from '../../state/scheduler/job/job-shape.ts'
import { versionsOf } from '../../state/scheduler/jobs/versions.ts'
import { jobs } from '../../state/scheduler/records/tables.ts'
import type { ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import { InputError, type Validator } from '../http/declare/validate.ts'
import type { ControlPart } from './control-part.ts'
import { stepCountShape } from './scheduler-shapes.ts'

/** A rule about what comes of tasks, with its name. */
type NamedOutcomeRule = OutcomeRule & { readonly id: string }

/** A step that the cluster took. */
interface SchedulerStep {
  /** When it was due, in RFC 3339. */
  readonly at: string
  readonly kind: string
  readonly id: string
}

/** A version of a job, and what has changed in it since the one before. */
interface JobVersion {
  readonly version: number
  /** Null for the first that is kept. */
  readonly since: number | null
  readonly diff: JobDiff | null
}

/** The simulated cluster of one world's job scheduler. */
export class SchedulerControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /**
   * Registers a job, as a client with every right would; its tasks start with the world's clock.
   *
   * @param job a job file's text, or the job as the API takes it, in `Job` or by itself
   * @returns its ID
   * @throws {InputError} for what is no job at all
   * @throws Refusal for what the API would refuse too
   */
  run(job: JobFixture): string {
    this.#check(jobFixture, job)
    return this.#world.write(() => registerFixture(this.#world, job))
  }

  /** Returns every job as it is now, by namespace and ID. */
  jobs(): readonly Job[] {
    this.#world.runDueJobs()
    return [...this.#world.table(jobs).rows()]
  }

  /**
   * Returns how the versions of a job that are kept differ, the highest first; refuses (`absent`) an
   * unknown job.
   */
  jobVersions(id: string, namespace = 'default'): readonly JobVersion[] {
    const { Versions, Diffs } = versionsOf(this.#world, namespace, id, { diffs: true })
    return Versions.map(({ Version: version }, at) => ({
      version,
      since: Versions[at + 1]?.Version ?? null,
      diff: Diffs?.[at] ?? null,
    }))
  }

  /** The rules about what comes of tasks; the first that fits a task counts. */
  outcomes(): readonly NamedOutcomeRule[] {
    const rules = this.#world.table(outcomeRules).entries()
    return Array.from(rules, ([id, rule]) => ({ id, ...rule }))
  }

  /**
   * Adds a rule behind those that there are, for tasks that end or start from now on.
   *
   * @returns its name
   * @throws {InputError} for a rule that makes no sense
   */
  addOutcome(rule: OutcomeRule): string {
    this.#check(outcomeRuleShape, rule)
    return addOutcomeRule(this.#world, rule)
  }

  /** Takes a rule away, or, without a name, all of them. Refuses an unknown one (`absent`). */
  removeOutcomes(id?: string): void {
    if (id === undefined) {
      removeOutcomeRules(this.#world)
      return
    }
    this.#world.write(() => {
      if (this.#world.table(outcomeRules).delete(id)) return
      throw new Refusal('absent', `there is no outcome "${id}"`)
    })
  }

  /**
   * Takes the cluster's next steps, whether or not it is time: for the option `schedulerMode` manual.
   *
   * @returns those that were taken; fewer than `count` when there were no more, or it is frozen
   */
  step(count = 1): readonly SchedulerStep[] {
    this.#check(stepCountShape, { count })
    const steps: SchedulerStep[] = []
    while (steps.length < count) {
      const taken = step(this.#world)
      if (taken === undefined) break
      steps.push({ ...taken, at: formatTimestamp(taken.at) })
    }
    return steps
  }

  /**
   * Adds a node, or replaces the one of the same id.
   *
   * @throws {InputError} for settings that make no sense
   */
  putNode(settings: NodeSettings): Node {
    this.#check(nodeSettingsShape, settings)
    return this.#world.write(() => {
      const node = putNode(this.#world, settings)
      // What waits for room may find it there; what was on one that is down now is placed anew.
      if (isReady(node)) return applyNodeStateChange(this.#world, node, 'ready')
      const { Status } = node
      const isGone = Status === 'down' || Status === 'disconnected'
      return isGone ? applyNodeStateChange(this.#world, node, Status) : node
    })
  }

  #check(described: ShapeOrSchema, value: unknown): void {
    const problems = this.#validator.check(described, value, 'body')
    if (problems.length > 0) throw new InputError(problems)
  }
}

/** The same as a part of a world's control. */
export const schedulerPart: ControlPart<SchedulerControl> = {
  make: (world, validator) => new SchedulerControl(world, validator),
}
