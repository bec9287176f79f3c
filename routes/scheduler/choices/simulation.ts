import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

const section = 'behaviour/scheduler#cluster'

/** The simulated cluster. */
export const simulationChoices: readonly Choice[] = [
  decided(
    'cluster-least-scale',
    'What timeScale 0 does to what may go on for ever.',
    'Unlimited retries, deadlines and intervals of policies shrink to a hundredth at most, so that a world comes to rest.',
    section,
  ),
  decided(
    'cluster-paces',
    'What a pace changes.',
    "It goes before the options' delays; waits that a policy or rule asks for stay, but under immediate.",
    section,
  ),
  decided(
    'cluster-health-evaluations',
    'When a deployment is successful.',
    'In the evaluation deployment-watcher that follows the last health report; evaluations that are awaited already are not doubled.',
    section,
  ),
  decided(
    'cluster-blocked-again',
    'What becomes of a blocked evaluation that finds no room again.',
    'It is blocked once more; an older one is canceled: "existing blocked evaluation exists for job "x"".',
    section,
  ),
  decided(
    'cluster-metrics',
    'What placement metrics count.',
    'All candidates as evaluated; each node that does not fit under the first reason, never under a computed class.',
    section,
  ),
  decided(
    'cluster-restarts',
    'How tasks are restarted and stopped.',
    'Without jitter; a stopped task ends with exit code 0, or with 137 and signal 9 when kill_after is above KillTimeout; one that does not run yet is killed without Terminated.',
    section,
  ),
  decided(
    'cluster-drain',
    'How a push drains a node.',
    'All of it at once; then it stays ineligible, its drain over.',
    section,
  ),
  decided(
    'cluster-disconnected-nodes',
    'What becomes of allocations on a node that is disconnected.',
    'As in the reference: those that run are unknown where the group has MaxClientDisconnect or `disconnect` with `lost_after`, and lost at the end of that; all others are lost. Others make up for them at once, whatever the reschedule policy says, unless `replace` is false; whoever is heard of again is kept.',
    section,
  ),
  decided(
    'cluster-steps',
    'What a step by hand does.',
    'The next one in order, whether or not it is due; nothing while the cluster is frozen.',
    section,
  ),
  decided(
    'cluster-outcomes',
    'How rules, configuration and metadata about outcomes meet.',
    'A rule or configuration counts as a whole, metadata key by key; attempt counts the starts within the allocation; without run_for a task that ends runs for batchRunTime.',
    section,
  ),
  decided(
    'cluster-auto-revert',
    'What a failed deployment with auto_revert does.',
    'It registers the last stable version again, with its source and the texts of the reference.',
    section,
  ),
  decided(
    'cluster-lost-canaries',
    'What makes up for a canary that fails, is lost or migrates.',
    'A canary, counted as such in plans.',
    section,
  ),
  decided(
    'cluster-fewer-allocations',
    'What becomes of failed allocations above a lowered count.',
    'They are stopped: "alloc not needed due to job update".',
    section,
  ),
  decided(
    'cluster-ended-services',
    'When a service allocation is replaced that has completed.',
    'In the next evaluation.',
    section,
  ),
  decided(
    'cluster-pushes',
    'What pushes of tasks and nodes do.',
    'exited follows the restart policy, dead and failed are final; tasks are called <allocation>:<task>, nodes by ID or name.',
    section,
  ),
  decided(
    'cluster-canaries',
    'How canaries are promoted by hand, and deployments ended.',
    'As in the reference, by /v1/deployment/promote and /v1/deployment/fail.',
    section,
  ),
  gap(
    'cluster-left-out',
    'What placement does not look at.',
    'Preemption, quotas, devices, volumes and AllAtOnce; nothing is collected as garbage by itself.',
    section,
  ),
  decided(
    'placements-at-once',
    'How many allocations of a group one evaluation tries to place.',
    '10000, so that a Count of any size has an end; what else is missing is queued as what finds no node is.',
    'behaviour/scheduler#evaluations',
  ),
]
