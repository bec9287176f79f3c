import { defineMessages } from '../../kernel/refusal.ts'
import type { SchedulerRefusalDetail } from '../messages.ts'

/** Messages about operations of operators (behaviour/scheduler#operator). */
export const {
  table: operatorMessages,
  message,
  refuse,
} = defineMessages({
  'scheduler-configuration-unreadable': {
    kind: 'invalid',
    text: 'Error parsing scheduler config: {why}',
  },
  'scheduler-algorithm-unknown': {
    kind: 'invalid',
    text: 'invalid scheduler algorithm: {algorithm}',
  },
  'scheduler-cas-unreadable': {
    kind: 'invalid',
    text: 'Error parsing cas value: strconv.ParseUint: parsing {value}: {why}',
  },
  'oidc-disabled': { kind: 'absent', text: 'OIDC Discovery endpoint disabled' },
  'force-unreadable': {
    kind: 'invalid',
    text: 'invalid force parameter',
    detail: { status: 422 } satisfies SchedulerRefusalDetail,
  },
  'publish-time-unreadable': {
    kind: 'conflict',
    text: 'invalid publish_time: strconv.ParseInt: parsing {value}: {why}',
  },
  'rotation-full-and-later': {
    kind: 'conflict',
    text: 'keyring cannot be prepublished and full rotated at the same time',
  },
  'root-key-unnamed': { kind: 'conflict', text: 'root key ID is required' },
  'root-key-unknown': { kind: 'conflict', text: 'root key not found' },
  'root-key-active': {
    kind: 'conflict',
    text: 'active root key cannot be deleted - call rotate first',
  },
  'root-key-needed': { kind: 'conflict', text: 'root key in use, cannot delete' },
})
