import type { Task } from '../../job/task-shape.ts'
import type { TaskState } from '../model/allocation-shapes.ts'
import type { TaskEventFields, TaskEventType } from './task-events.ts'

/** Phase of an allocation in which a task runs. Tasks without a lifecycle hook are `main`. */
type TaskHook = 'prestart' | 'main' | 'poststart' | 'poststop'

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

function areMainTasksDead(tasks: readonly Task[], states: TaskStates): boolean {
  return everyTaskWithHook(tasks, 'main', states, isDead)
}

/**
 * Returns true if a task may start. Prestart tasks start immediately. Main tasks start after
 * prestart tasks have completed and sidecars are running. Poststart tasks start when the main tasks
 * run, and poststop tasks when the main tasks are dead.
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
 * Decides whether dead tasks in a group stop the live tasks, and returns the type and fields of the
 * event that reports the reason. Returns undefined if no live task has to stop. As in the
 * reference, poststop tasks neither stop other tasks nor are stopped, and the success of a leader
 * takes precedence over a failure of another task.
 */
export function siblingKillEvent(
  tasks: readonly Task[],
  states: TaskStates,
): readonly [TaskEventType, TaskEventFields?] | undefined {
  const stoppableTasks = tasks.filter((task) => hookOf(task) !== 'poststop')
  const deadTasks = stoppableTasks.filter(({ Name }) => states[Name]?.State === 'dead')
  const liveTasks = stoppableTasks.filter((task) => !deadTasks.includes(task))
  if (liveTasks.length === 0) return undefined
  const failed = deadTasks.find(({ Name }) => states[Name]?.Failed)
  const isLeaderDone = deadTasks.some(
    ({ Leader, Name }) => Leader && states[Name]?.Failed === false,
  )
  if (isLeaderDone) return ['Leader Task Dead']
  if (failed !== undefined) return ['Sibling Task Failed', { FailedSibling: failed.Name }]
  return liveTasks.every(isSidecar) ? ['Main Tasks Dead'] : undefined
}

function isSidecar({ Lifecycle }: Task): boolean {
  return Lifecycle?.Sidecar === true
}

/**
 * Returns the live tasks that stop first when an allocation stops: the leader if it is alive,
 * otherwise all tasks except sidecars, otherwise all sidecars. The remaining tasks stop when the
 * returned tasks have ended. Poststop tasks are never returned.
 */
export function firstToStop(tasks: readonly Task[], states: TaskStates): readonly Task[] {
  const liveTasks = tasks.filter(
    (task) => hookOf(task) !== 'poststop' && states[task.Name]?.State !== 'dead',
  )
  const leader = liveTasks.filter(({ Leader }) => Leader)
  if (leader.length > 0) return leader
  const others = liveTasks.filter((task) => !isSidecar(task))
  return others.length > 0 ? others : liveTasks
}
