import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  'namespace-not-found': { kind: 'absent', text: 'namespace not found' },
  'namespaces-not-enabled': { kind: 'denied', text: 'namespaces feature not enabled' },
  ...refusals('invalid', {
    'namespace-name-invalid': 'invalid namespace name',
    'namespace-name-slash': '"/" is not allowed in namespace names',
    'namespace-under-mount': 'new namespace conflicts with existing mount: {path}',
    'namespace-has-children': 'cannot delete namespace containing child namespaces',
  }),
  'namespace-absent': { text: 'requested namespace does not exist' },
})
