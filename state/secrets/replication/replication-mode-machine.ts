import { defineMachine } from '../../kernel/machine.ts'

const spec = 'behaviour/secrets#api-replication'

/**
 * Transitions of the replication mode. `issue-token` and `revoke-secondary` are allowed on a
 * primary only.
 */
export const replicationModeMachine = defineMachine()({
  name: 'DR replication mode',
  states: ['disabled', 'primary', 'secondary'],
  moves: [
    { on: 'enable-primary', from: 'disabled', to: 'primary', spec },
    { on: 'demote', from: 'primary', to: 'secondary', spec },
    { on: 'disable-primary', from: 'primary', to: 'disabled', spec },
    { on: 'issue-token', from: 'primary', to: 'primary', spec },
    { on: 'revoke-secondary', from: 'primary', to: 'primary', spec },
    { on: 'enable-secondary', from: 'disabled', to: 'secondary', spec },
    { on: 'promote', from: 'secondary', to: 'primary', spec },
    { on: 'update-primary', from: 'secondary', to: 'secondary', spec },
    { on: 'disable-secondary', from: 'secondary', to: 'disabled', spec },
  ],
})

/** An event in the replication state machine. */
export type ReplicationEvent = (typeof replicationModeMachine.moves)[number]['on']
