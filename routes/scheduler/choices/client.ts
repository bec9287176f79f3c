import type { Choice } from '../../http/coverage.ts'
import { decidedMore, gapMore } from './decided.ts'

const requests = 'section 3'

/** What clients do with the tasks of their allocations. */
export const clientChoices: readonly Choice[] = [
  decidedMore(
    'client-signals',
    'What comes of a signal to a task.',
    "SIGKILL, SIGTERM and SIGINT end its process at once: SIGKILL with 137 and signal 9, the others so too where kill_after is longer than the task's KillTimeout, else with 0. The restart policy goes on from there. Others are only told.",
    requests,
  ),
  decidedMore(
    'client-restart-order',
    'In which order AllTasks restarts tasks with hooks.',
    'All at once; a task that has ended begins without Task Setup.',
    requests,
  ),
  decidedMore(
    'client-requests-refused',
    'What else clients refuse.',
    'As in the reference: a named task that does not run 500 "Task not running" (restart), an allocation of a node that is down or disconnected 404 "No path to node", a broken body of restart 500.',
    requests,
  ),
  gapMore(
    'client-exec',
    'Commands in tasks.',
    'There are none: /v1/client/allocation/:id/exec is 404 "resource not found".',
    requests,
  ),
]
