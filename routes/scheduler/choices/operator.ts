import type { Choice } from '../../http/coverage.ts'
import { decidedMore } from './decided.ts'

const section = 'section 8'

/** What operators do. */
export const operatorChoices: readonly Choice[] = [
  decidedMore(
    'operator-configuration-begun',
    'What the configuration of the scheduler is before it is written.',
    'CreateIndex and ModifyIndex 1; RejectJobRegistration is the option rejectJobRegistration, which counts until then.',
    section,
  ),
  decidedMore(
    'operator-paused-steps',
    'What PauseEvalBroker means for steps by hand.',
    'Evaluations are left out, and what else comes next is done; a push of an evaluation processes it all the same.',
    section,
  ),
]
