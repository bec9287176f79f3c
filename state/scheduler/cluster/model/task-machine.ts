import { defineMachine } from '../../../kernel/machine.ts'

/** Conditions that select one of several transitions of the machine for the same event. */
export interface PhaseConditions {
  readonly hasArtifacts: boolean
  readonly hasImage: boolean
  readonly willRestart: boolean
}

const hasArtifacts = (conditions: PhaseConditions) => conditions.hasArtifacts
const hasImage = (conditions: PhaseConditions) => conditions.hasImage
const willRestart = (conditions: PhaseConditions) => conditions.willRestart

const spec = 'behaviour/scheduler#allocations'

const preRunPhases = [
  'created',
  'received',
  'fetching',
  'pulling',
  'starting',
  'restarting',
] as const

/** State machine of a task on its node, from its creation to its end. */
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
    { on: 'receive', from: 'created', to: 'received', spec },
    { on: 'build', from: 'received', to: 'fetching', when: hasArtifacts, spec },
    { on: 'build', from: 'received', to: 'pulling', when: hasImage, spec },
    { on: 'build', from: 'received', to: 'starting', spec },
    { on: 'fetched', from: 'fetching', to: 'pulling', when: hasImage, spec },
    { on: 'fetched', from: 'fetching', to: 'starting', spec },
    { on: 'pulled', from: 'pulling', to: 'starting', spec },
    { on: 'start', from: 'starting', to: 'running', spec },
    { on: 'fail to start', from: 'starting', to: 'restarting', when: willRestart, spec },
    { on: 'fail to start', from: 'starting', to: 'dead', spec },
    { on: 'exit', from: 'running', to: 'restarting', when: willRestart, spec },
    { on: 'exit', from: 'running', to: 'dead', spec },
    { on: 'retry', from: 'restarting', to: 'starting', spec },
    { on: 'kill', from: 'running', to: 'killing', spec },
    { on: 'kill', from: preRunPhases, to: 'dead' },
    { on: 'end', from: 'killing', to: 'dead', spec },
    { on: 'revive', from: 'dead', to: 'restarting', spec: 'behaviour/scheduler#task-actions' },
  ],
})

export type TaskPhase = (typeof taskMachine.states)[number]

const phases: ReadonlyMap<string, TaskPhase> = new Map(
  taskMachine.states.map((phase) => [phase, phase]),
)

/** Converts a name from a row to a phase. Throws an `Error` for an unknown name. */
export function phaseOf(name: string): TaskPhase {
  const phase = phases.get(name)
  if (phase === undefined) throw new Error(`there is no task phase ${name}`)
  return phase
}
