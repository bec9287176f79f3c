import { defineMessages, refusals } from '../../kernel/refusal.ts'

/** Messages of forced transitions of what engines have (behaviour/secrets#engine-transitions). */
export const { table, refuse } = defineMessages({
  ...refusals('absent', { 'engine-object-absent': 'there is no {kind} "{id}"' }),
  ...refusals('conflict', {
    'engine-transition-impossible': '{kind} "{id}" is {state} and cannot become {to}',
  }),
})
