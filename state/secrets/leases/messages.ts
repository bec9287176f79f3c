import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Texts about leases (behaviour/secrets#leases). */
export const {
  table: leaseTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'lease-of-token': { kind: 'denied', text: 'tokens cannot be renewed through this endpoint' },
  'lease-not-found': { kind: 'invalid', text: 'lease not found' },
  'lease-expired': { kind: 'invalid', text: 'lease expired' },
})
