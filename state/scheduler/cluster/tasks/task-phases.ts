import type { World } from '../../../kernel/worlds/world.ts'
import type { Task } from '../../job/task-shape.ts'
import type { TaskEventFields, TaskEventType } from '../allocations/task-events.ts'
import type { Delay } from '../model/steps.ts'
import { type PhaseConditions, phaseOf, type TaskPhase } from '../model/task-machine.ts'
import { resolveOutcome, type TaskOutcome } from '../model/task-outcomes.ts'
import type { TaskInstance } from './task-instances.ts'

/** Returns the outcome of the task's current run. */
export function currentOutcome(
  world: World,
  { allocation, group, task, runtime: life }: TaskInstance,
): TaskOutcome {
  return resolveOutcome(world, allocation, group, task, Math.max(1, life.attempt))
}

/** Returns the conditions that decide the task's next transition. */
export function phaseConditions(
  { task, runtime: life }: TaskInstance,
  willRestart: boolean,
): PhaseConditions {
  const isFirst = life.attempt === 0
  return {
    artifacts: isFirst && (task.Artifacts?.length ?? 0) > 0,
    image: isFirst && task.Driver === 'docker' && imageName(task) !== '',
    willRestart,
  }
}

function imageName({ Config }: Task): string {
  const image = Config !== null && Object.hasOwn(Config, 'image') ? Config['image'] : undefined
  return typeof image === 'string' ? image : ''
}

/** Returns the task events of a task that enters a phase. */
export function phaseEvents(
  phase: TaskPhase,
  task: Task,
): readonly (readonly [TaskEventType, TaskEventFields?])[] {
  if (phase === 'fetching') return [['Downloading Artifacts']]
  if (phase !== 'pulling') return []
  return [['Driver', { DriverMessage: `Downloading image ${imageName(task)}` }]]
}

/** Returns the task state that the API reports for a phase. */
export function reportedState(phase: TaskPhase): 'pending' | 'running' | 'dead' {
  if (phase === 'dead') return 'dead'
  return phase === 'running' || phase === 'killing' ? 'running' : 'pending'
}

/** Returns how long a task stays in its phase; undefined if it waits for an event. */
export function phaseDelay(world: World, instance: TaskInstance, wait?: Delay): Delay | undefined {
  const currentTaskOutcome = () => currentOutcome(world, instance)
  switch (phaseOf(instance.runtime.phase)) {
    case 'created':
      return { option: 'receivedDelay' }
    case 'received':
      return { option: 'setupDelay' }
    case 'fetching':
    case 'pulling':
      return { option: 'imageDelay' }
    case 'starting':
      return { option: 'startedDelay', extra: currentTaskOutcome().startBlockFor }
    case 'running':
      return runDelay(currentTaskOutcome())
    case 'restarting':
      return wait ?? { asked: 0 }
    case 'killing':
      return killDelay(currentTaskOutcome(), instance.task)
    case 'dead':
      return undefined
  }
}

function runDelay({ runFor }: TaskOutcome): Delay | undefined {
  if (runFor === undefined) return undefined
  return runFor === 'usual' ? { option: 'batchRunTime' } : { asked: runFor }
}

function killDelay({ killAfter }: TaskOutcome, { KillTimeout }: Task): Delay {
  if (killAfter === undefined) return { option: 'killDelay' }
  return { asked: Math.min(killAfter, KillTimeout) }
}
