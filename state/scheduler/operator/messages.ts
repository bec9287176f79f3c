import { defineMessages, refusals } from '../../kernel/refusal.ts'
import type { SchedulerRefusalDetail } from '../messages.ts'

/** Messages about requests of operators (behaviour/scheduler#operator). */
export const { table, refuse } = defineMessages({
  ...refusals('invalid', {
    'scheduler-configuration-unreadable': 'Error parsing scheduler config: {why}',
    'scheduler-algorithm-unknown': 'invalid scheduler algorithm: {algorithm}',
    'scheduler-cas-unreadable':
      'Error parsing cas value: strconv.ParseUint: parsing {value}: {why}',
  }),
  'oidc-disabled': { kind: 'absent', text: 'OIDC Discovery endpoint disabled' },
  'force-unreadable': {
    kind: 'invalid',
    text: 'invalid force parameter',
    detail: { status: 422 } satisfies SchedulerRefusalDetail,
  },
  ...refusals('conflict', {
    'publish-time-unreadable': 'invalid publish_time: strconv.ParseInt: parsing {value}: {why}',
    'rotation-full-and-later': 'keyring cannot be prepublished and full rotated at the same time',
    'root-key-unnamed': 'root key ID is required',
    'root-key-unknown': 'root key not found',
    'root-key-active': 'active root key cannot be deleted - call rotate first',
    'root-key-needed': 'root key in use, cannot delete',
  }),
})
