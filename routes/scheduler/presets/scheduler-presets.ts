import { Refusal } from '../../../state/kernel/refusal.ts'
import { intOf } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { commitVersion } from '../../../state/scheduler/cluster/model/evaluations.ts'
import { allNodes, isReady } from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { decodeBody } from '../../../state/scheduler/decoding.ts'
import { resolveNamespace } from '../../../state/scheduler/jobs/context.ts'
import { registerJob } from '../../../state/scheduler/jobs/registration.ts'
import {
  type RegisterRequest,
  registerShape,
} from '../../../state/scheduler/jobs/request-shapes.ts'
import { findJob } from '../../../state/scheduler/records/store.ts'
import { definePreset, noParameters, type Preset } from '../../faults/declare/preset.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { queryOf } from '../../journal/record-values.ts'

const service = 'scheduler'

/** Context with all rights, in which presets register jobs. */
const unrestrictedContext = {
  authorize: () => {},
  authorizeVolumes: () => {},
  accessorId: '',
  isManagement: true,
  isVendor: false,
}

const registrationOperations: ReadonlySet<string | undefined> = new Set([
  'registerJob',
  'updateJob',
])

/**
 * Parses a registration that requires a certain index; undefined for other requests and for bodies
 * that cannot be parsed.
 */
function indexCheckedRequest(record: RequestRecord): RegisterRequest | undefined {
  if (!registrationOperations.has(record.operation?.id)) return undefined
  try {
    const request = decodeBody(String(record.body), registerShape)
    return request.EnforceIndex === true && request.Job !== null ? request : undefined
  } catch (error) {
    // The API itself refuses a body that cannot be parsed.
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/**
 * Simulates a concurrent caller: registers the job before the request does, or changes the job if
 * it exists.
 */
function registerBeforeRequest(record: RequestRecord, request: RegisterRequest): void {
  const { world } = record
  const queryNamespace = [queryOf(record)['namespace']].flat()[0]
  const { Namespace, ID } = request.Job ?? { Namespace: null, ID: null }
  const namespace = resolveNamespace(queryNamespace, request.Namespace, Namespace)
  const current = findJob(world, namespace, ID ?? '')
  if (current === undefined) {
    registerIfValid(world, { ...request, EnforceIndex: false }, queryNamespace)
    return
  }
  const Meta = { ...current.Meta, 'changed-meanwhile': String(current.JobModifyIndex) }
  commitVersion(world, { ...current, Meta }, { trigger: 'job-register' })
}

function registerIfValid(
  world: World,
  request: RegisterRequest,
  queryNamespace: string | undefined,
): void {
  try {
    world.write(() => registerJob(world, request, { ...unrestrictedContext, queryNamespace }))
  } catch (error) {
    // A refusal is ignored here, because the API will then refuse the caller's request as well.
    if (!(error instanceof Refusal)) throw error
  }
}

export const schedulerPresets: readonly Preset[] = [
  definePreset({
    name: 'scheduler-index-conflict',
    summary:
      'Another caller registers the job first: the next registration with EnforceIndex finds another JobModifyIndex. The other registration stays.',
    service,
    parameters: struct({
      answers: withDefault(
        described(intOf({ minimum: 1 }), 'Number of registrations to overtake'),
        1,
      ),
    }),
    source: 'behaviour/scheduler#register',
    effect: {
      appliesTo: (record) => indexCheckedRequest(record) !== undefined,
      changeWorld(record) {
        const request = indexCheckedRequest(record)
        if (request !== undefined) registerBeforeRequest(record, request)
      },
    },
    apply: ({ parameters }) => ({
      faults: [{ when: { first: parameters.answers }, action: { latency: '0s' } }],
    }),
  }),
  definePreset({
    name: 'scheduler-no-leader',
    summary:
      'The servers have no leader: 500 "No cluster leader" for everything except stale reads, the agent and the status.',
    service,
    parameters: noParameters,
    source: 'behaviour/scheduler#agent',
    apply: () => ({ options: { scheduler: { noLeader: true } } }),
  }),
  definePreset({
    name: 'scheduler-placement-failed',
    summary:
      'No node accepts allocations: evaluations of new jobs end with FailedTGAllocs and are blocked; running allocations continue.',
    service,
    parameters: noParameters,
    source: 'behaviour/scheduler#evaluations',
    apply: ({ world }) => ({
      pushes: allNodes(world)
        .filter(isReady)
        .map(({ ID }) => ({ kind: 'scheduler.node', id: ID, to: 'ineligible' })),
    }),
  }),
]
