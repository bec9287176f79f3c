import type { Task } from '../job/task-shape.ts'
import type { TaskState } from './allocation-shapes.ts'
import type { EventFields, EventType } from './task-events.ts'

/** When a task of a group runs: `main` without a lifecycle hook. */
type Hook = 'prestart' | 'main' | 'poststart' | 'poststop'

/** A task's hook. */
export function hookOf({ Lifecycle }: Task): Hook {
  const hook = Lifecycle?.Hook
  return hook === 'prestart' || hook === 'poststart' || hook === 'poststop' ? hook : 'main'
}

type States = Readonly<Record<string, TaskState>>

function areAll(
  tasks: readonly Task[],
  hook: Hook,
  states: States,
  test: (state: TaskState, task: Task) => boolean,
): boolean {
  return tasks
    .filter((task) => hookOf(task) === hook)
    .every((task) => {
      const state = states[task.Name]
      return state !== undefined && test(state, task)
    })
}

const isRunning = ({ State }: TaskState): boolean => State === 'running'
const isDead = ({ State }: TaskState): boolean => State === 'dead'

/** Tells whether every main task of a group is dead. */
function isMainDead(tasks: readonly Task[], states: States): boolean {
  return areAll(tasks, 'main', states, isDead)
}

/**
 * Tells whether a task's turn has come: prestart tasks at once; main tasks when those have done
 * their work, and sidecars among them run; poststart tasks when the main tasks run; poststop tasks
 * when those are dead.
 */
export function isItsTurn(task: Task, tasks: readonly Task[], states: States): boolean {
  switch (hookOf(task)) {
    case 'prestart':
      return true
    case 'main':
      return areAll(tasks, 'prestart', states, (state, { Lifecycle }) =>
        Lifecycle?.Sidecar ? isRunning(state) : isDead(state) && !state.Failed,
      )
    case 'poststart':
      return areAll(tasks, 'main', states, isRunning)
    case 'poststop':
      return isMainDead(tasks, states)
  }
}

/** The event that takes the other tasks of a group along when one is dead; undefined when none does. */
export function causeOfDeath(
  task: Task,
  tasks: readonly Task[],
  states: States,
): readonly [EventType, EventFields?] | undefined {
  if (hookOf(task) === 'poststop') return undefined
  if (states[task.Name]?.Failed) return ['Sibling Task Failed', { FailedSibling: task.Name }]
  if (task.Leader) return ['Leader Task Dead']
  return hookOf(task) === 'main' && isMainDead(tasks, states) ? ['Main Tasks Dead'] : undefined
}
