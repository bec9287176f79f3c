import { defineMessages } from '../../kernel/refusal.ts'

/** Messages about services (behaviour/scheduler#services). */
export const {
  table: serviceMessages,
  message,
  refuse,
} = defineMessages({
  'service-name-missing': { kind: 'invalid', text: 'missing service name' },
  'service-id-missing': { kind: 'invalid', text: 'missing service id' },
  'service-path-invalid': { kind: 'invalid', text: 'invalid URI' },
  'service-not-found': { kind: 'conflict', text: 'service registration not found' },
  'choose-malformed': {
    kind: 'invalid',
    text: "failed to choose services: Parameter for choose must be in form '<number>|<key>'",
  },
})
