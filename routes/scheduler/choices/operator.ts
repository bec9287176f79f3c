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
  decidedMore(
    'operator-collection-time',
    'When system/gc is done, and how old things must be.',
    'Before it answers, and nothing has to be of any age. Jobs with a tagged version stay, and failed allocations that may still be placed anew, as in the reference.',
    section,
  ),
  decidedMore(
    'operator-reconciled',
    'What summaries are once they are counted anew.',
    'As in the reference: nothing is queued, groups of older versions are gone, Children is null but for jobs that launch others.',
    section,
  ),
]
