import { defineMachine } from '../../kernel/machine.ts'

/** The facts that decide between two ways on. */
export interface TaskPlan {
  /** Artifacts are to be fetched. */
  readonly artifacts: boolean
  /** An image is to be fetched. */
  readonly image: boolean
  /** The restart policy starts the task again. */
  readonly again: boolean
}

const table7 = 'behaviour/scheduler#allocations'

/** Where a task is before it runs. */
const early = ['created', 'received', 'fetching', 'pulling', 'starting', 'restarting'] as const

/** The life of a task on its node: each phase is what it waits for. */
export const taskMachine = defineMachine<TaskPlan>()({
  name: 'task',
  states: [
    'created',
    'received',
    'fetching',
    'pulling',
    'starting',
    'running',
    'restarting',
    'killing',
    'dead',
  ],
  moves: [
    { on: 'receive', from: 'created', to: 'received', spec: table7 },
    {
      on: 'build',
      from: 'received',
      to: 'fetching',
      when: ({ artifacts }) => artifacts,
      spec: table7,
    },
    { on: 'build', from: 'received', to: 'pulling', when: ({ image }) => image, spec: table7 },
    { on: 'build', from: 'received', to: 'starting', spec: table7 },
    { on: 'fetched', from: 'fetching', to: 'pulling', when: ({ image }) => image, spec: table7 },
    { on: 'fetched', from: 'fetching', to: 'starting', spec: table7 },
    { on: 'pulled', from: 'pulling', to: 'starting', spec: table7 },
    { on: 'start', from: 'starting', to: 'running', spec: table7 },
    {
      on: 'fail to start',
      from: 'starting',
      to: 'restarting',
      when: ({ again }) => again,
      spec: table7,
    },
    { on: 'fail to start', from: 'starting', to: 'dead', spec: table7 },
    { on: 'exit', from: 'running', to: 'restarting', when: ({ again }) => again, spec: table7 },
    { on: 'exit', from: 'running', to: 'dead', spec: table7 },
    { on: 'retry', from: 'restarting', to: 'starting', spec: table7 },
    { on: 'kill', from: 'running', to: 'killing', spec: table7 },
    { on: 'kill', from: early, to: 'dead' },
    { on: 'end', from: 'killing', to: 'dead', spec: table7 },
    {
      on: 'revive',
      from: 'dead',
      to: 'restarting',
      spec: 'behaviour/scheduler#task-actions',
    },
  ],
})

export type TaskPhase = (typeof taskMachine.states)[number]

const phases: ReadonlyMap<string, TaskPhase> = new Map(
  taskMachine.states.map((phase) => [phase, phase]),
)

/** A phase by its name in a row. */
export function phaseOf(name: string): TaskPhase {
  const phase = phases.get(name)
  if (phase === undefined) throw new Error(`there is no task phase ${name}`)
  return phase
}
