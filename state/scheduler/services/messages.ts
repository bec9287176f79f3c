import { defineMessages, refusals } from '../../kernel/refusal.ts'

/** Messages of refusals about registered services (behaviour/scheduler#services). */
export const { table, refuse } = defineMessages({
  ...refusals('invalid', {
    'service-name-missing': 'missing service name',
    'service-id-missing': 'missing service id',
    'service-path-invalid': 'invalid URI',
    'choose-malformed':
      "failed to choose services: Parameter for choose must be in form '<number>|<key>'",
  }),
  'service-not-found': { kind: 'conflict', text: 'service registration not found' },
})
