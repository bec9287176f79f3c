import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import type { Method, OperationDeclaration } from '../../../routes/http/declare/operation.ts'
import { schedulerOperations } from '../../../routes/scheduler/operations.ts'
import type { Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { jobShape, taskGroupShape } from '../../../state/scheduler/job/job-shape.ts'
import { taskShape } from '../../../state/scheduler/job/task-shape.ts'
import { encodePath } from '../urls.ts'
import { constant, objectOf, oneOf, type ValueGenerator, weighted } from './generators.ts'
import { type ComparedRequest, tokenGenerator } from './request.ts'
import { operationFinder, type ScenarioStep, withScenarios } from './scenarios.ts'
import { schedulerScenarios } from './scheduler-scenarios.ts'
import {
  jobIds,
  jobValues,
  resourceNames,
  schedulerValues,
  unknownDatacenters,
  unknownId,
} from './scheduler-values.ts'
import { queryGenerator, ShapedValues, type ValuesByName } from './shaped-values.ts'

/** Operation of the jobs API, whose query and body have declared shapes. */
type ShapedOperation = OperationDeclaration<string, Shape> & { readonly method: Method }

/** Values for generated requests. The declarations of operations do not contain these values. */
export interface GeneratorSettings {
  readonly dialect: DialectName
  /** Values of path parameters, by `/path/:name` or by `:name`. */
  readonly names: Readonly<Record<string, readonly string[]>>
  /** Values of members of bodies. */
  readonly values: ValuesByName
  /**
   * Values of query parameters of single operations, by name. A generated request may have such a
   * parameter even if its operation does not declare it.
   */
  readonly parameters: ValuesByName
  /** Values of the query parameters that every operation accepts, by name. */
  readonly commonParameters: ValuesByName
  /** Generators of bodies for certain operations, by id. */
  readonly bodies: Readonly<Record<string, ValueGenerator<string | undefined>>>
  /** Weights of operations by id. Default: 1. */
  readonly weights: Readonly<Record<string, number>>
  /** Tokens to use in addition to the root token. */
  readonly tokens: readonly string[]
}

const invalidBodies = [undefined, '', '[]', '{', '{} x', 'null', '3', '{"Zed":1}']

function pathGenerator(
  { path }: ShapedOperation,
  { names }: GeneratorSettings,
): ValueGenerator<string> {
  const segments = path
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? oneOf(...(names[path] ?? names[segment] ?? ['a', 'understudy-none']))
        : constant(segment),
    )
  return (random) =>
    segments
      .map((segment) => encodeTemplate(segment(random)))
      .join('/')
      .slice(1)
}

/** Encodes a path, except for variables. */
function encodeTemplate(path: string): string {
  return encodePath(path).replaceAll('%24', '$')
}

function bodyGenerator(
  { id, body, bodyOptional }: ShapedOperation,
  { bodies, values, dialect }: GeneratorSettings,
): ValueGenerator<string | undefined> {
  const override = bodies[id]
  if (override === undefined && body === undefined) return constant(undefined)
  return weighted<string | undefined>(
    [25, override ?? shapedBodies(body as StructShape, new ShapedValues(values, dialect))],
    [bodyOptional === true ? 5 : 0, constant(undefined)],
    [1, oneOf(...invalidBodies)],
  )
}

function shapedBodies(body: StructShape, values: ShapedValues): ValueGenerator<string> {
  const objects = values.objectsOf(body)
  return (random) => JSON.stringify(objects(random))
}

/**
 * Returns the methods that no operation has at the path of the given operation. A method of another
 * operation at this path might reach an operation that sequences leave out.
 */
function unusedMethods({ path }: ShapedOperation): readonly string[] {
  const used = schedulerOperations.flatMap((other) =>
    other.path === path ? methodsOf(other.method) : [],
  )
  return ['GET', 'POST', 'PUT', 'DELETE'].filter((method) => !used.includes(method))
}

/** Returns the methods that reach an operation: the product accepts POST and PUT alike. */
function methodsOf(method: string): readonly string[] {
  return method === 'POST' ? ['POST', 'PUT'] : [method]
}

function requestGenerator(
  operation: ShapedOperation,
  settings: GeneratorSettings,
): ValueGenerator<ComparedRequest> {
  const methods = weighted(
    [40, constant<string>(operation.method)],
    [1, oneOf<string>(operation.method, ...unusedMethods(operation))],
  )
  const paths = pathGenerator(operation, settings)
  const queries = queryGenerator(operation.query, {
    ...settings.parameters,
    ...settings.commonParameters,
  })
  const bodies = bodyGenerator(operation, settings)
  const tokens = tokenGenerator(settings.tokens)
  return (random) => {
    const method = methods(random)
    const path = paths(random) + queries(random)
    const body = bodies(random)
    return {
      operation: operation.id,
      method,
      path,
      token: tokens(random),
      ...(body === undefined ? {} : { body }),
    }
  }
}

/** Returns a generator of requests, based on the declarations of operations. */
export function shapedRequests(
  operations: readonly ShapedOperation[],
  settings: GeneratorSettings,
): ValueGenerator<ComparedRequest> {
  const generators = operations.map(
    (operation) =>
      [settings.weights[operation.id] ?? 1, requestGenerator(operation, settings)] as const,
  )
  return weighted(...generators)
}

/** Operations that sequences leave out, with the reason. */
const excludedOperations: readonly { readonly id: RegExp; readonly reason: string }[] = [
  { id: /^streamEvents$/, reason: 'The stream never ends' },
  {
    id: /^bootstrapJobAcls$/,
    reason: 'Bootstrapping works only once, and the reply contains an index',
  },
  {
    id: /^(?:readAgent|listAgent|readAutopilot|readRaft|readLeader|listPeers)/,
    reason: 'The reply contains ports',
  },
  {
    id: /^(?:collectGarbage|reconcileSummaries)$/,
    reason: 'The effect comes some time after the reply',
  },
  { id: /NodeMetadata$/, reason: 'There are no clients' },
  { id: /^countEvaluations$/, reason: 'The count includes evaluations of other users' },
  { id: /SchedulerConfiguration$/, reason: 'The change outlasts the sequence' },
  { id: /^(?:readClientStats|collectClient)$/, reason: 'There are no clients' },
  { id: /Sign\w+Keys|Keyring|Keys?$/, reason: 'Keys are random' },
  { id: /[sS]napshot|Debug|Pprof|Metrics/, reason: 'The reply describes the process' },
  { id: /Volumes?$|Plugins?$/, reason: 'There are no volumes' },
  { id: /^refuse|License$/, reason: 'These operations belong to the enterprise edition' },
  { id: /^deleteEvaluations$/, reason: 'The operation requires a paused evaluation broker' },
  { id: /OneTimeToken$/, reason: 'One-time secrets are random' },
  {
    id: /AclLogin|AuthMethods$|BindingRules$/,
    reason: 'The mock has no login methods and returns empty lists',
  },
]

/**
 * Operations on nodes, and on data that only client nodes produce; test/routes/scheduler covers
 * their refusals.
 */
const clientOperations =
  /Allocation(?!s)|Client|NodePool$|^(?:list|read|delete)\w*Services?$|Node$|NodeEligibility$|^setDeploymentHealth$|^unblockDeployment$/

/** Operations that list or search all objects of the server, including other users' objects. */
const globalOperations = /^(?:list(?!Job(?:Allocations|Evaluations|Deployments)$)|search)/

/** Generator of bodies that contain jobs. */
class JobBodies {
  readonly #job: ValueGenerator<object>

  constructor(dialect: DialectName) {
    const values = new ShapedValues(
      { ...jobValues, ID: [], TaskGroups: [], Namespace: [] },
      dialect,
    )
    const ids = oneOf('understudy-j', 'understudy-j', 'understudy-k')
    const types = oneOf('service', 'batch', 'system')
    const [jobMembers, groupMembers, taskMembers] = [jobShape, taskGroupShape, taskShape].map(
      (shape) => someMembers(shape, values),
    ) as [ValueGenerator<object>, ValueGenerator<object>, ValueGenerator<object>]
    const groups = oneOf<readonly string[]>(['g'], ['g'], ['g'], ['g', 'h'])
    this.#job = (random) => {
      const id = ids(random)
      const minimalJob = { ID: id, Name: id, Type: types(random), Datacenters: unknownDatacenters }
      const TaskGroups = groups(random).map((name, at) => {
        const task = { ...minimalTask, ...(at === 0 ? taskMembers(random) : {}) }
        return { Name: name, Count: 1, Tasks: [task], ...(at === 0 ? groupMembers(random) : {}) }
      })
      return { ...minimalJob, ...jobMembers(random), TaskGroups }
    }
  }

  /**
   * Returns a generator of bodies with a job, mostly a valid one, and a random subset of
   * `extraMembers`.
   */
  withMembers(extraMembers: Readonly<Record<string, readonly unknown[]>>): ValueGenerator<string> {
    const members = Object.entries(extraMembers).map(
      ([name, each]) => [name, oneOf(...each)] as const,
    )
    const others = objectOf(members, 0, members.length)
    return (random) => JSON.stringify({ Job: this.#job(random), ...others(random) })
  }
}

const minimalTask = {
  Name: 't',
  Driver: 'raw_exec',
  Config: { command: 'x' },
  Resources: { CPU: 100, MemoryMB: 64 },
}

function someMembers(shape: Shape, values: ShapedValues): ValueGenerator<object> {
  if (shape.kind !== 'struct') throw new Error('only objects have members')
  return weighted<object>([2, constant({})], [1, values.objectsOf(shape)])
}

function generatorSettings(dialect: DialectName): GeneratorSettings {
  const bodies = new JobBodies(dialect)
  const registerBodies = bodies.withMembers({
    EnforceIndex: [true, false],
    JobModifyIndex: [0, '$index', 1],
    EvalPriority: [0, 80],
    PreserveCounts: [true],
  })
  const deployments = schedulerOperations
    .filter(({ path }) => /^\/(?:deployment|allocation|client)\//.test(path))
    .map(({ path }) => [path, ['$deployment', unknownId, unknownId, 'x']] as const)
  return {
    dialect,
    names: {
      '/job/:id/versions/:tag/tag': ['understudy-j', 'understudy-v'],
      '/namespace/:name': resourceNames,
      '/acl/policy/:name': resourceNames,
      '/acl/role/name/:name': resourceNames,
      '/acl/role/:id': ['$role', '$role', unknownId, 'x'],
      '/evaluation/:id': ['$eval', '$eval', unknownId, 'x'],
      '/evaluation/:id/allocations': ['$eval', unknownId],
      '/node/pool/:name': ['default', 'all', 'understudy-none'],
      '/node/:id': [unknownId, 'x'],
      '/node/:id/allocations': [unknownId],
      '/scaling/policy/:id': [unknownId, 'x'],
      '/var/:path': [
        ...['understudy/a', 'understudy/b', 'understudy/a/b', 'understudy a'],
        ...['nomad/jobs/understudy-j', 'nomad/x'],
      ],
      ':accessor': ['$accessor', '$accessor', unknownId],
      ...Object.fromEntries(deployments),
      ':id': jobIds,
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
    commonParameters: {
      namespace: ['default', '*', 'understudy-p', 'understudy-none'],
      region: ['global'],
      pretty: [''],
    },
    bodies: {
      registerJob: registerBodies,
      updateJob: registerBodies,
      planJob: bodies.withMembers({ Diff: [true, false] }),
      validateJob: bodies.withMembers({}),
    },
    weights: {
      ...{ registerJob: 8, updateJob: 5, planJob: 4, validateJob: 4, readJob: 2, parseJob: 3 },
      ...{ writeVariable: 4, readVariable: 2, createJobAclToken: 3, createJobAclRole: 3 },
      ...{ putJobAclPolicy: 4, createJobNamespace: 3, scaleJob: 2, dispatchJob: 2 },
    },
    tokens: ['$token'],
  }
}

/** Settings for sequences of requests to the jobs API. */
interface SchedulerSequenceSettings {
  readonly dialect: DialectName
  /**
   * False if the server holds data of other users. Operations that would return such data are then
   * left out.
   */
  readonly exclusive?: boolean
  /** Pattern of the operations to include. */
  readonly operationPattern?: RegExp
}

/**
 * Returns a generator of request sequences to the jobs API.
 *
 * @param maxRequests maximum number of random requests in a sequence
 */
export function schedulerSequences(
  maxRequests: number,
  { dialect, exclusive = true, operationPattern = /./ }: SchedulerSequenceSettings,
): ValueGenerator<readonly ComparedRequest[]> {
  const operations = schedulerOperations
    .filter(
      ({ id }) => !excludedOperations.some((one) => one.id.test(id)) && !clientOperations.test(id),
    )
    .filter(({ id }) => (exclusive || !globalOperations.test(id)) && operationPattern.test(id))
  const find = operationFinder(
    operations.map(({ id, method, path }) => ({
      ...{ id, path: path.slice(1) },
      methods: methodsOf(method),
    })),
  )
  const hasOperation = (step: string | ScenarioStep) => {
    const [method = '', path = ''] = (typeof step === 'string' ? step : step.request).split(' ')
    return find(method, path) !== undefined
  }
  return withScenarios(
    schedulerScenarios
      .map((scenario) => ({ ...scenario, steps: scenario.steps.filter(hasOperation) }))
      .filter(({ steps }) => steps.length > 0),
    { find, spell: (name) => name },
    shapedRequests(operations, generatorSettings(dialect)),
    maxRequests,
  )
}
