import type { Task } from '../../job/task-shape.ts'
import type { TaskState } from '../model/allocation-shapes.ts'
import type { TaskEventFields, TaskEventType } from './task-events.ts'

/** Phase of a group in which a task runs; `main` for tasks without a lifecycle hook. */
type TaskHook = 'prestart' | 'main' | 'poststart' | 'poststop'

/** Returns a task's hook. */
export function hookOf({ Lifecycle }: Task): TaskHook {
  const hook = Lifecycle?.Hook
  return hook === 'prestart' || hook === 'poststart' || hook === 'poststop' ? hook : 'main'
}

type TaskStates = Readonly<Record<string, TaskState>>

function everyTaskWithHook(
  tasks: readonly Task[],
  hook: TaskHook,
  states: TaskStates,
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

/** Returns true if every main task of a group is dead. */
function areMainTasksDead(tasks: readonly Task[], states: TaskStates): boolean {
  return everyTaskWithHook(tasks, 'main', states, isDead)
}

/**
 * Returns true if a task may start. Prestart tasks start at once; main tasks after prestart tasks
 * have completed and sidecars are running; poststart tasks when the main tasks run; poststop tasks
 * when the main tasks are dead.
 */
export function canStart(task: Task, tasks: readonly Task[], states: TaskStates): boolean {
  switch (hookOf(task)) {
    case 'prestart':
      return true
    case 'main':
      return everyTaskWithHook(tasks, 'prestart', states, (state, { Lifecycle }) =>
        Lifecycle?.Sidecar ? isRunning(state) : isDead(state) && !state.Failed,
      )
    case 'poststart':
      return everyTaskWithHook(tasks, 'main', states, isRunning)
    case 'poststop':
      return areMainTasksDead(tasks, states)
  }
}

/**
 * Returns the event with which a dead task stops the other tasks of its group; undefined if it does
 * not stop them.
 */
export function siblingKillEvent(
  task: Task,
  tasks: readonly Task[],
  states: TaskStates,
): readonly [TaskEventType, TaskEventFields?] | undefined {
  if (hookOf(task) === 'poststop') return undefined
  if (states[task.Name]?.Failed) return ['Sibling Task Failed', { FailedSibling: task.Name }]
  if (task.Leader) return ['Leader Task Dead']
  return hookOf(task) === 'main' && areMainTasksDead(tasks, states)
    ? ['Main Tasks Dead']
    : undefined
}
