import type { DialectName } from '../../routes/http/dialect.ts'
import { schedulerOperations } from '../../routes/scheduler/operations.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import { jobShape, taskGroupShape } from '../../state/scheduler/job/job-shape.ts'
import { taskShape } from '../../state/scheduler/job/task-shape.ts'
import { always, type Draw, objectOf, oneOf, weighted } from './draw.ts'
import type { ComparedRequest } from './request.ts'
import { jobs, jobValues, named, nothing, ofNoNode, schedulerValues } from './scheduler-values.ts'
import { type RequestManner, shapedSequences } from './shaped-requests.ts'
import { ShapedValues } from './shaped-values.ts'

/** Operations that sequences leave out, with the reason. */
const leftOut: readonly { readonly id: RegExp; readonly reason: string }[] = [
  { id: /^streamEvents$/, reason: 'It does not end' },
  { id: /^bootstrapJobAcls$/, reason: 'It is done once, and tells an index' },
  { id: /^(?:readAgent|listAgent|readAutopilot|readRaft|readLeader|listPeers)/, reason: 'Ports' },
  { id: /^(?:collectGarbage|reconcileSummaries)$/, reason: 'What they do takes its time' },
  { id: /SchedulerConfiguration$/, reason: 'It lasts beyond the sequence' },
  { id: /^(?:readClientStats|collectClient)$/, reason: 'There are no clients' },
  { id: /Sign\w+Keys|Keyring|Keys?$/, reason: 'Keys are drawn' },
  { id: /[sS]napshot|Debug|Pprof|Metrics/, reason: 'They tell of the process' },
  { id: /AclLogin|AuthMethods$|BindingRules$/, reason: 'Login methods are empty lists here' },
]

/** Operations on what only clients run; their refusals stand in test/routes/scheduler. */
const ofClients = /Allocation(?!s)|Client|NodePool$|^(?:list|read|delete)\w*Services?$/

/** Operations that tell of everything that the server holds, whoever made it. */
const ofAll = /^(?:list(?!Job(?:Allocations|Evaluations|Deployments)$)|search)/

/** Bodies that hold jobs. */
class Jobs {
  readonly #job: Draw<object>

  constructor(dialect: DialectName) {
    const values = new ShapedValues(
      { ...jobValues, ID: [], TaskGroups: [], Namespace: [] },
      dialect,
    )
    const ids = oneOf('understudy-j', 'understudy-j', 'understudy-k')
    const types = oneOf('service', 'batch', 'system')
    const [ofJob, ofGroup, ofTask] = [jobShape, taskGroupShape, taskShape].map((shape) =>
      some(shape, values),
    ) as [Draw<object>, Draw<object>, Draw<object>]
    const groups = oneOf<readonly string[]>(['g'], ['g'], ['g'], ['g', 'h'])
    this.#job = (chance) => {
      const id = ids(chance)
      const least = { ID: id, Name: id, Type: types(chance), Datacenters: ofNoNode }
      const TaskGroups = groups(chance).map((name, at) => {
        const task = { ...leastTask, ...(at === 0 ? ofTask(chance) : {}) }
        return { Name: name, Count: 1, Tasks: [task], ...(at === 0 ? ofGroup(chance) : {}) }
      })
      return { ...least, ...ofJob(chance), TaskGroups }
    }
  }

  /** A body with a job, mostly a valid one, and some of these members. */
  holding(more: Readonly<Record<string, readonly unknown[]>>): Draw<string> {
    const members = Object.entries(more).map(([name, each]) => [name, oneOf(...each)] as const)
    const others = objectOf(members, 0, members.length)
    return (chance) => JSON.stringify({ Job: this.#job(chance), ...others(chance) })
  }
}

const leastTask = {
  Name: 't',
  Driver: 'raw_exec',
  Config: { command: 'x' },
  Resources: { CPU: 100, MemoryMB: 64 },
}

function some(shape: Shape, values: ShapedValues): Draw<object> {
  if (shape.kind !== 'struct') throw new Error('only objects have members')
  return weighted<object>([2, always({})], [1, values.objectsOf(shape)])
}

function mannerOf(dialect: DialectName): RequestManner {
  const bodies = new Jobs(dialect)
  const registering = bodies.holding({
    EnforceIndex: [true, false],
    JobModifyIndex: [0, '$index', 1],
    EvalPriority: [0, 80],
    PreserveCounts: [true],
  })
  const deployments = schedulerOperations
    .filter(({ path }) => /^\/(?:deployment|allocation|client)\//.test(path))
    .map(({ path }) => [path, ['$deployment', nothing, nothing, 'x']] as const)
  return {
    dialect,
    names: {
      '/job/:id/versions/:tag/tag': ['understudy-j', 'understudy-v'],
      '/namespace/:name': named,
      '/acl/policy/:name': named,
      '/acl/role/name/:name': named,
      '/acl/role/:id': ['$role', '$role', nothing, 'x'],
      '/evaluation/:id': ['$eval', '$eval', nothing, 'x'],
      '/evaluation/:id/allocations': ['$eval', nothing],
      '/node/pool/:name': ['default', 'all', 'understudy-none'],
      '/node/:id': [nothing, 'x'],
      '/node/:id/allocations': [nothing],
      '/scaling/policy/:id': [nothing, 'x'],
      '/var/:path': [
        ...['understudy/a', 'understudy/b', 'understudy/a/b', 'understudy a'],
        ...['nomad/jobs/understudy-j', 'nomad/x'],
      ],
      ':accessor': ['$accessor', '$accessor', nothing],
      ...Object.fromEntries(deployments),
      ':id': jobs,
      ':name': ['understudy-p', 'understudy-none'],
    },
    values: schedulerValues,
    parameters: {
      cas: ['0', '$index', '1', 'x'],
      version: ['0', '1', 'x'],
      diffs: ['true', 'x'],
      diff_version: ['0', '9'],
      prefix: ['understudy', 'a', ''],
      filter: ['Name == "understudy-p"', 'ID matches "understudy"', 'x ==', 'Zed == 1'],
      per_page: ['1', '0', 'x'],
      reverse: ['true'],
      purge: ['true', 'false', 'x'],
    },
    anywhere: {
      namespace: ['default', '*', 'understudy-p', 'understudy-none'],
      region: ['global'],
      pretty: [''],
    },
    bodies: {
      registerJob: registering,
      updateJob: registering,
      planJob: bodies.holding({ Diff: [true, false] }),
      validateJob: bodies.holding({}),
    },
    weights: {
      ...{ registerJob: 8, updateJob: 5, planJob: 4, validateJob: 4, readJob: 2, parseJob: 3 },
      ...{ writeVariable: 4, readVariable: 2, createJobAclToken: 3, createJobAclRole: 3 },
      ...{ putJobAclPolicy: 4, createJobNamespace: 3, scaleJob: 2, dispatchJob: 2 },
    },
    tokens: ['$token'],
  }
}

/** What sequences to the jobs API are made of. */
export interface SchedulerAsked {
  readonly dialect: DialectName
  /** False where the server holds what others made, of which no operation is to tell. */
  readonly alone?: boolean
  /** Ids of the operations that are asked. */
  readonly only?: RegExp
}

/**
 * Sequences of requests to the jobs API.
 *
 * @param longest requests at most
 */
export function schedulerSequences(
  longest: number,
  { dialect, alone = true, only = /./ }: SchedulerAsked,
): Draw<readonly ComparedRequest[]> {
  const operations = schedulerOperations
    .filter(({ id }) => !leftOut.some((one) => one.id.test(id)) && !ofClients.test(id))
    .filter(({ id }) => (alone || !ofAll.test(id)) && only.test(id))
  return shapedSequences(operations, mannerOf(dialect), longest)
}
