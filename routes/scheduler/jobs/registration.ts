import { memoizeByKey } from '../../../state/kernel/memoize.ts'
import { toVendorSpelling } from '../../../state/kernel/shape/dialect.ts'
import { bool, int } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import type { RegisterContext } from '../../../state/scheduler/jobs/context.ts'
import { refuseVolumes, registerJob } from '../../../state/scheduler/jobs/registration.ts'
import {
  type RegisterReply,
  type RegisterRequest,
  registerShape,
} from '../../../state/scheduler/jobs/request-shapes.ts'
import { stopJob } from '../../../state/scheduler/jobs/stop.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { formatWarnings } from '../../../state/scheduler/validation/warnings.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { registrationRight, requireCapability, requiresCapability } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { boolParameter, intParameter } from '../query.ts'
import { queryMetaOf, registerReplyShape, stopReplyShape } from './reply-shapes.ts'

/** Creates the context of a registration from the context of the operation. */
export function registerContext(context: SchedulerContext, pathId?: string): RegisterContext {
  return new CallerRegisterContext(context, pathId)
}

/**
 * Registration context of the caller. The comment on `RequestContext` explains why the context is a
 * class.
 */
class CallerRegisterContext implements RegisterContext {
  readonly pathId: string | undefined
  readonly queryNamespace: string | undefined
  readonly isVendor: boolean
  readonly toDialect?: (job: Job) => Job
  readonly #context: SchedulerContext

  constructor(context: SchedulerContext, pathId: string | undefined) {
    const { dialect } = context
    this.#context = context
    this.pathId = pathId
    this.queryNamespace = context.queryNamespace
    this.isVendor = dialect.isVendor
    const { world } = context
    if (dialect.isVendor) {
      this.toDialect = memoizeByKey((job) => world.inParts(() => toVendorSpelling(job, jobShape)))
    }
  }

  // Reading `caller` resolves the token. This must not happen before the checks that refuse with
  // 400 (behaviour/scheduler#register).
  get accessorId(): string {
    return this.#context.caller.accessorId
  }

  get isManagement(): boolean {
    return isManagementCaller(this.#context)
  }

  authorize: RegisterContext['authorize'] = (job, capabilities) => {
    for (const capability of capabilities)
      requireCapability(this.#context, job.Namespace, capability)
  }

  authorizeVolumes: RegisterContext['authorizeVolumes'] = (job) => {
    refuseVolumes(this.#context.caller, job)
  }
}

/** Returns whether the caller has a management token; false while ACLs are disabled. */
export function isManagementCaller({ caller, world }: SchedulerContext): boolean {
  return optionsOf(world).aclEnabled && caller.isManagement
}

const operation = operationsOf({
  spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs, behaviour/scheduler#canonical-form, behaviour/scheduler#validation, behaviour/scheduler#versions',
})

/** Returns the reply of operations that register, evaluate, revert or scale a job. */
export function registerReply(
  context: SchedulerContext,
  reply: RegisterReply,
  knowsLeader = false,
): Answer {
  const Warnings = formatWarnings(reply.Warnings, context.dialect.renderMessage)
  const body = Object.assign({}, reply, { Warnings }, queryMetaOf(context, knowsLeader))
  return context.writeReply(body, reply.Index)
}

function register(context: SchedulerContext, request: RegisterRequest, pathId?: string): Answer {
  return registerReply(
    context,
    registerJob(context.world, request, registerContext(context, pathId)),
  )
}

/** Operations that register and stop jobs. */
export const registrationOperations = [
  operation.post('registerJob', '/jobs', {
    access: registrationRight,
    summary: 'Register a job, or the next version of an existing job.',
    reply: { 200: registerReplyShape },
    body: registerShape,
    bodyAddress: ({ SecretID }) => ({ token: SecretID }),
    run: ({ context, body }) => register(context, body()),
  }),
  operation.post('updateJob', '/job/:id', {
    access: registrationRight,
    summary: 'Register a job whose ID the path names.',
    spec: 'behaviour/scheduler#jobs',
    reply: { 200: registerReplyShape },
    body: registerShape,
    bodyAddress: ({ SecretID }) => ({ token: SecretID }),
    run: ({ context, params: { id }, body }) => register(context, body(), id || undefined),
  }),
  operation.delete('stopJob', '/job/:id', {
    access: requiresCapability('submit-job'),
    summary: 'Stop a job; with purge, remove it.',
    spec: 'behaviour/scheduler#beyond',
    query: parameters({
      purge: described(bool, 'Whether to remove the job completely'),
      global: described(bool, 'Accepted without effect'),
      eval_priority: described(int, 'Priority of the evaluation'),
    }),
    reply: { 200: stopReplyShape },
    run({ context, params: { id } }) {
      const { world, namespace, query } = context
      const purge = boolParameter(query, 'purge') ?? false
      boolParameter(query, 'global')
      const evalPriority = intParameter(query, 'eval_priority') ?? 0
      if (id === '') throw refuse('deregister-id-missing')
      const reply = stopJob(world, namespace, id, { purge, evalPriority })
      const volumes = { VolumeEvalID: '', VolumeEvalIndex: 0 }
      const body = { ...reply, ...volumes, ...queryMetaOf(context, false) }
      return context.writeReply(body, reply.Index)
    },
  }),
]
