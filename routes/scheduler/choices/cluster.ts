import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

const section = 'behaviour/scheduler#beyond'
const steering = 'behaviour/scheduler#steering'

/** Nodes, allocations, evaluations and deployments over HTTP, and what drives them by hand. */
export const clusterChoices: readonly Choice[] = [
  decided(
    'cluster-list-order',
    'In which order allocations, evaluations and deployments are listed, and what their page tokens are.',
    'As in the reference: by creation, then ID, with tokens <CreateIndex>.<ID>; with a prefix by ID, with IDs as tokens. Nodes, pools, policies and namespaces: by ID or name.',
    section,
  ),
  decided(
    'cluster-evaluation-parameters',
    'Which further parameters the list of evaluations has.',
    'job and status, as in the reference; with a filter 400 "Filter expression cannot be used with other filter parameters".',
    section,
  ),
  decided(
    'cluster-malformed-ids',
    'What IDs of 36 characters that are no UUID are told.',
    "What the reference's store finds wrong, as \"index error: Invalid UUID: encoding/hex: invalid byte: U+007A 'z'\".",
    section,
  ),
  decided(
    'cluster-allocations-of-node',
    'Which allocations /v1/node/:id/allocations lists.',
    'All that were placed there, those that ended too, in full; an unknown node has none.',
    section,
  ),
  decided(
    'cluster-stop-without-job',
    'What stopping an allocation does when its job is purged.',
    'It is stopped without an evaluation: EvalID is "".',
    section,
  ),
  decided(
    'cluster-node-members',
    'What a single node has beyond its entry in the list.',
    'Capacity 4,000 CPU shares, 8,192 MB and 100,000 MB of disk unless one is configured, which alone is counted; one network device eth0 of the address, one NUMA node with the processors of cpu.numcores. The computed class is a hash of datacenter, pool, class, attributes and meta that are not unique; lists and filters tell LastAllocUpdateIndex 0.',
    'behaviour/scheduler#node-endpoints',
  ),
  decided(
    'cluster-drain-order',
    'How the allocations of a node that is drained leave, and what evaluates them.',
    'As in the reference: of each group of services so many that it is at most MaxParallel of its Migrate short of its count, an allocation counting when it has run for MinHealthyTime or is told to be healthy, or after HealthyDeadline; evaluations are triggered by node-drain. The first look is after evalDelay. The push drained waits for nobody. Nodes that take nothing new keep their allocations, of system jobs too, until these are told to leave.',
    'behaviour/scheduler#node-endpoints',
  ),
  decided(
    'cluster-node-evaluations',
    'Which jobs are evaluated when something happens to a node.',
    'Those with allocations that have not ended there, and system jobs (not sysbatch) of its pool and datacenter that are not stopped. Of a node that is purged what was asked to stop already is lost at once.',
    'behaviour/scheduler#node-endpoints',
  ),
  decided(
    'cluster-status-region',
    'Which of the paths about the cluster itself heed region.',
    'All but /v1/regions.',
    section,
  ),
  decided(
    'cluster-empty-writes',
    'What writes of namespaces, policies and tokens answer that have nothing to tell.',
    '200 with an empty body and the index.',
    section,
  ),
  decided(
    'cluster-manual-launches',
    'Whether schedulerMode holds the launches of periodic jobs.',
    'No: the clock launches them in every mode.',
    steering,
  ),
  decided(
    'cluster-events-kept',
    'What a stream of events begins with when nobody streamed before.',
    'Nothing is kept until then, so that worlds without streams pay nothing: what was before is told from the rows, each at the index of its last change and as far as it shows what that was. From then on the last hundred commits are kept, until the world goes to another state. Beyond the last index it begins with the last commit, as in the reference.',
    'behaviour/scheduler#event-stream',
  ),
  decided(
    'cluster-event-types',
    'How a commit is told that stands for several writes of the reference.',
    'In lines of one index: jobs, then their evaluations, then plans; what clients report, then the evaluations that follow; nodes and services by themselves. An evaluation that did something is part of its plan.',
    'behaviour/scheduler#event-stream',
  ),
  decided(
    'cluster-event-heartbeats',
    'By which clock a stream of events says that it lives, and how it ends with its token.',
    "The world's, as blocking reads wait. It ends without a word when the token goes or may not listen any more, and when the world goes to another state.",
    'behaviour/scheduler#event-stream',
  ),
  decided(
    'cluster-service-addresses',
    'Which address a service of the own provider tells, and when it comes back.',
    "That of its port on the host, whatever its address mode; without a port that of the first network; a number is a port of no address. It is registered in the commit that tells its task's state; one deleted by hand comes back when its task starts again, or with the next change of it.",
    'behaviour/scheduler#services',
  ),
  decided(
    'cluster-rules',
    'What may be in a rule about tasks.',
    'The settings of the mock driver; durations are Go durations or nanoseconds. The first rule that fits counts, for tasks that start or end from then on.',
    steering,
  ),
  decided(
    'cluster-node-replaced',
    'What putting a node by hand does.',
    'One of the same id is replaced; what waits for room is tried again, and what was on a node that is down now is placed anew.',
    steering,
  ),
  gap(
    'cluster-missing-paths',
    "Endpoints of the reference's cluster that there are not.",
    'Deleting and counting evaluations, commands in allocations and pauses of tasks, metadata of nodes, volumes and plugins, quotas, recommendations, writing autopilot and raft, licences, snapshots, and the rest of agent (joining, leaving, monitoring, profiles).',
    section,
  ),
]
