import { defineMachine } from '../../../kernel/machine.ts'
import type { Node } from '../model/node-shapes.ts'

const spec = 'behaviour/scheduler#node-endpoints'

/** The draining of a node; `never` before the first time. */
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

/** The things that happen to the draining of a node. */
export type DrainEvent = (typeof drainMachine.moves)[number]['on']

/** How the draining of a node stands. */
export function drainStateOf({ DrainStrategy, LastDrain }: Node): DrainState {
  if (DrainStrategy != null) return 'draining'
  return LastDrain?.Status === 'complete' || LastDrain?.Status === 'canceled'
    ? LastDrain.Status
    : 'never'
}
