import type { World } from '../../kernel/world.ts'
import type { Task } from '../job/task-shape.ts'
import { resolveOutcome, type TaskOutcome } from './steering.ts'
import type { Delay } from './steps.ts'
import type { Actor } from './task-actors.ts'
import type { EventFields, EventType } from './task-events.ts'
import { phaseOf, type TaskPhase, type TaskPlan } from './task-machine.ts'

/** Returns what comes of a task's start that is under way. */
export function currentOutcome(
  world: World,
  { allocation, group, task, life }: Actor,
): TaskOutcome {
  return resolveOutcome(world, allocation, group, task, Math.max(1, life.attempt))
}

/** Returns what decides which way a task goes. */
export function phaseConditions({ task, life }: Actor, again: boolean): TaskPlan {
  const isFirst = life.attempt === 0
  return {
    artifacts: isFirst && (task.Artifacts?.length ?? 0) > 0,
    image: isFirst && task.Driver === 'docker' && imageName(task) !== '',
    again,
  }
}

function imageName({ Config }: Task): string {
  const image = Config !== null && Object.hasOwn(Config, 'image') ? Config['image'] : undefined
  return typeof image === 'string' ? image : ''
}

/** Returns what is said when a task comes to a phase. */
export function phaseEvents(
  phase: TaskPhase,
  task: Task,
): readonly (readonly [EventType, EventFields?])[] {
  if (phase === 'fetching') return [['Downloading Artifacts']]
  if (phase !== 'pulling') return []
  return [['Driver', { DriverMessage: `Downloading image ${imageName(task)}` }]]
}

/** Tells how the wire calls a phase. */
export function reportedState(phase: TaskPhase): 'pending' | 'running' | 'dead' {
  if (phase === 'dead') return 'dead'
  return phase === 'running' || phase === 'killing' ? 'running' : 'pending'
}

/** Tells how long a task stays in its phase; undefined: until something else happens. */
export function phaseDelay(world: World, actor: Actor, wait?: Delay): Delay | undefined {
  const currentTaskOutcome = () => currentOutcome(world, actor)
  switch (phaseOf(actor.life.phase)) {
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
      return killDelay(currentTaskOutcome(), actor.task)
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
