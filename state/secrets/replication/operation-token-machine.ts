import { defineMachine } from '../../kernel/machine.ts'

const spec = 'behaviour/secrets#api-operation-tokens'
const behaviourSpec = 'behaviour/secrets#operation-tokens'

/** Life of a generation. One that is complete leaves only its token behind: the next may start. */
export const operationTokenMachine = defineMachine<{ readonly reached: boolean }>()({
  name: 'operation token generation',
  states: ['none', 'started', 'complete'],
  moves: [
    { on: 'attempt', from: 'none', to: 'started', spec },
    { on: 'update', from: 'started', to: 'started', when: ({ reached }) => !reached, spec },
    { on: 'update', from: 'started', to: 'complete', when: ({ reached }) => reached, spec },
    { on: 'cancel', from: 'started', to: 'none', spec },
    // There is nothing to cancel, and nobody minds.
    { on: 'cancel', from: 'none', to: 'none', spec: behaviourSpec },
  ],
})
