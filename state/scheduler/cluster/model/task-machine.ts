import { defineMachine } from '../../../kernel/machine.ts'

/** The facts that decide between two ways on. */
export interface PhaseConditions {
  /** Artifacts are to be fetched. */
  readonly artifacts: boolean
  /** An image is to be fetched. */
  readonly image: boolean
  /** The restart policy starts the task again. */
  readonly willRestart: boolean
}

const allocationsSpec = 'behaviour/scheduler#allocations'

/** Where a task is before it runs. */
const preRunPhases = [
  'created',
  'received',
  'fetching',
  'pulling',
  'starting',
  'restarting',
] as const

/** The life of a task on its node: each phase is what it waits for. */
export const taskMachine = defineMachine<PhaseConditions>()({
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
    { on: 'receive', from: 'created', to: 'received', spec: allocationsSpec },
    {
      on: 'build',
      from: 'received',
      to: 'fetching',
      when: ({ artifacts }) => artifacts,
      spec: allocationsSpec,
    },
    {
      on: 'build',
      from: 'received',
      to: 'pulling',
      when: ({ image }) => image,
      spec: allocationsSpec,
    },
    { on: 'build', from: 'received', to: 'starting', spec: allocationsSpec },
    {
      on: 'fetched',
      from: 'fetching',
      to: 'pulling',
      when: ({ image }) => image,
      spec: allocationsSpec,
    },
    { on: 'fetched', from: 'fetching', to: 'starting', spec: allocationsSpec },
    { on: 'pulled', from: 'pulling', to: 'starting', spec: allocationsSpec },
    { on: 'start', from: 'starting', to: 'running', spec: allocationsSpec },
    {
      on: 'fail to start',
      from: 'starting',
      to: 'restarting',
      when: ({ willRestart: again }) => again,
      spec: allocationsSpec,
    },
    { on: 'fail to start', from: 'starting', to: 'dead', spec: allocationsSpec },
    {
      on: 'exit',
      from: 'running',
      to: 'restarting',
      when: ({ willRestart: again }) => again,
      spec: allocationsSpec,
    },
    { on: 'exit', from: 'running', to: 'dead', spec: allocationsSpec },
    { on: 'retry', from: 'restarting', to: 'starting', spec: allocationsSpec },
    { on: 'kill', from: 'running', to: 'killing', spec: allocationsSpec },
    { on: 'kill', from: preRunPhases, to: 'dead' },
    { on: 'end', from: 'killing', to: 'dead', spec: allocationsSpec },
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
