import { defineMachine } from '../../../kernel/machine.ts'
import type { Node } from '../model/node-shapes.ts'

const spec = 'behaviour/scheduler#node-endpoints'

/** The state machine of node drains. The state is `never` before the first drain. */
export const drainMachine = defineMachine()({
  name: 'drain',
  states: ['never', 'draining', 'complete', 'canceled'],
  moves: [
    { on: 'set', from: ['never', 'complete', 'canceled'], to: 'draining', spec },
    { on: 'update', from: 'draining', to: 'draining', spec },
    { on: 'complete', from: 'draining', to: 'complete', spec },
    { on: 'cancel', from: 'draining', to: 'canceled', spec },
  ],
})

type DrainState = (typeof drainMachine.states)[number]

/** Events of a node's drain. */
export type DrainEvent = (typeof drainMachine.moves)[number]['on']

/** Returns the state of a node's drain. */
export function drainStateOf({ DrainStrategy, LastDrain }: Node): DrainState {
  if (DrainStrategy != null) return 'draining'
  return LastDrain?.Status === 'complete' || LastDrain?.Status === 'canceled'
    ? LastDrain.Status
    : 'never'
}
