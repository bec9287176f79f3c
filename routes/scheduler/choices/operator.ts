import type { Choice } from '../../http/coverage.ts'
import { decided } from './decided.ts'

const section = 'behaviour/scheduler#operator'

/** What operators do. */
export const operatorChoices: readonly Choice[] = [
  decided(
    'operator-configuration-begun',
    'What the configuration of the scheduler is before it is written.',
    'CreateIndex and ModifyIndex 1; RejectJobRegistration is the option rejectJobRegistration, which counts until then.',
    section,
  ),
  decided(
    'operator-paused-steps',
    'What PauseEvalBroker means for steps by hand.',
    'Evaluations are left out, and what else comes next is done; a push of an evaluation processes it all the same.',
    section,
  ),
  decided(
    'operator-collection-time',
    'When system/gc is done, and how old things must be.',
    'Before it answers, and nothing has to be of any age. Jobs with a tagged version stay, and failed allocations that may still be placed anew, as in the reference.',
    section,
  ),
  decided(
    'operator-reconciled',
    'What summaries are once they are counted anew.',
    'As in the reference: nothing is queued, groups of older versions are gone, Children is null but for jobs that launch others.',
    section,
  ),
  decided(
    'operator-keys',
    'What the keys of a world are.',
    "Made from its seed. The published modulus is no product of two primes, as nothing is ever signed with it; every state of a key but deprecated and rekeying is played, the first key has index 1, and one that is published for later becomes active at its time by the world's clock.",
    section,
  ),
  decided(
    'operator-keys-rotated',
    'What comes of rotating and deleting keys.',
    'As in the reference: allocations and variables keep the key that was active when they were written; full writes variables anew at once, and the older key is inactive.',
    section,
  ),
  decided(
    'operator-metrics',
    'Which numbers metrics have.',
    'Allocations by status, where all that have ended are terminal, jobs by status and evaluations that wait for room. Prometheus has them without its own option.',
    section,
  ),
]
