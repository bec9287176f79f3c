import { wordings } from '../../kernel/refusal.ts'

/** Texts about what operators do (3c-scheduler-more-decisions.md section 8). */
export const { say, refuse } = wordings({
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
})
