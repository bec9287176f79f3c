import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

const statistics = 'behaviour/scheduler#statistics'
const requests = 'behaviour/scheduler#task-actions'
const files = 'behaviour/scheduler#files'

/** What clients do with the tasks of their allocations. */
export const clientChoices: readonly Choice[] = [
  decided(
    'client-usage',
    'What tasks take.',
    'From hashes of allocation and task, so always the same: 5 to 40 % of the processor shares and 20 to 70 % of the memory that were asked for; Percent is of what was asked for, a quarter of it in system mode. Tasks that do not run take nothing, those of ended allocations keep their last figures.',
    statistics,
  ),
  decided(
    'client-host',
    'What nodes take.',
    'A tenth of everything, and what their tasks take; without a configured capacity of 4,000 shares, 8,192 MB and 100,000 MB. Uptime is since the world began.',
    statistics,
  ),
  decided(
    'client-checks',
    'What checks of services of the own provider find.',
    "success (200 for http) while what they are about runs, before and after pending; their IDs are made from allocation and names, Timestamp is the world's time.",
    statistics,
  ),
  decided(
    'client-collection',
    'What comes of gc.',
    'What the tasks of allocations that have ended there have printed is forgotten; the allocations stay. Any method does it, as the official clients send GET.',
    statistics,
  ),
  decided(
    'client-signals',
    'What comes of a signal to a task.',
    "SIGKILL, SIGTERM and SIGINT end its process at once: SIGKILL with 137 and signal 9, the others so too where kill_after is longer than the task's KillTimeout, else with 0. The restart policy goes on from there. Others are only told.",
    requests,
  ),
  decided(
    'client-restart-order',
    'In which order AllTasks restarts tasks with hooks.',
    'All at once; a task that has ended begins without Task Setup.',
    requests,
  ),
  decided(
    'client-requests-refused',
    'What else clients refuse.',
    'As in the reference: a named task that does not run 500 "Task not running" (restart), an allocation of a node that is down or disconnected 404 "No path to node", a broken body of restart 500.',
    requests,
  ),
  gap(
    'client-exec',
    'Commands in tasks.',
    'There are none: /v1/client/allocation/:id/exec is 404 "resource not found".',
    requests,
  ),
  decided(
    'client-output',
    'How what tasks print is kept.',
    'By what was to be printed at each start, so that it can be worked out: in one file, never rotated, and at most 10 MB for each start. A rule that says nothing but stdout and stderr leaves the outcome to others.',
    files,
  ),
  decided(
    'client-files',
    'What files an allocation has.',
    "alloc/{data,logs,tmp}, and of each task local, private, secrets and tmp; logs of tasks that have been started; templates as they are written and the payload of a dispatch, once the task's folder is built. Artifacts are not fetched. Messages tell of /var/lib/sched/alloc/<id>, in the vendor's dialect of /var/lib/nomad.",
    files,
  ),
  decided(
    'client-files-rights',
    'What cat and readat answer who lacks the right.',
    '403; all else that is wrong is told with 200.',
    files,
  ),
  decided(
    'client-stream-failures',
    'What stream answers that the sections do not say.',
    'As in the reference: 400 where there is nothing to read, 500 for broken follow and offset; follow is true unless given, and lasts until the allocation ends.',
    files,
  ),
  decided(
    'client-heartbeats',
    'Whether streams that are followed have empty frames now and then.',
    'No: the head goes out at once, and frames when something is printed.',
    files,
  ),
]
