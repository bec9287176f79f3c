import { defineMachine } from '../../kernel/machine.ts'

const spec = 'behaviour/secrets#api-operation-tokens'
const behaviourSpec = 'behaviour/secrets#operation-tokens'

/**
 * Life of a generation attempt. A completed attempt leaves only its token, and the next may start.
 */
export const operationTokenMachine = defineMachine<{ readonly reached: boolean }>()({
  name: 'operation token generation',
  states: ['none', 'started', 'complete'],
  moves: [
    { on: 'attempt', from: 'none', to: 'started', spec },
    { on: 'update', from: 'started', to: 'started', when: ({ reached }) => !reached, spec },
    { on: 'update', from: 'started', to: 'complete', when: ({ reached }) => reached, spec },
    { on: 'cancel', from: 'started', to: 'none', spec },
    // Cancelling without an attempt succeeds.
    { on: 'cancel', from: 'none', to: 'none', spec: behaviourSpec },
  ],
})
