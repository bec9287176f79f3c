import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { serverAddress } from '../../../state/scheduler/body-addresses.ts'
import { lastIndex } from '../../../state/scheduler/indexes.ts'
import { dispatchJob, forceLaunch } from '../../../state/scheduler/jobs/launches.ts'
import {
  dispatchShape,
  evaluateShape,
  revertShape,
  scaleShape,
  stableShape,
} from '../../../state/scheduler/jobs/request-shapes.ts'
import { refuseTargetMismatch, scaleJob } from '../../../state/scheduler/jobs/scale.ts'
import { scaleStatus, scaleStatusIndex } from '../../../state/scheduler/jobs/scale-status.ts'
import { evaluateJob } from '../../../state/scheduler/jobs/stop.ts'
import { markStable, revertJob } from '../../../state/scheduler/jobs/versions.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { hasAccessIn, requiresCapability, within } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { readObjectOrAbsence } from '../reads.ts'
import { isManagementCaller, registerContext, registerReply } from './registration.ts'
import {
  dispatchReplyShape,
  forceReplyShape,
  indexReplyShape,
  registerReplyShape,
  scaleStatusShape,
} from './reply-shapes.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

/**
 * Operations that act on a registered job without stopping it, and the operation that reads the
 * counts of its groups.
 */
export const actionOperations = [
  operation.post('evaluateJob', '/job/:id/evaluate', {
    access: requiresCapability('submit-job'),
    summary: 'Evaluate a job again.',
    reply: { 200: registerReplyShape },
    body: evaluateShape,
    bodyAddress: serverAddress,
    bodyOptional: true,
    run({ context, params: { id }, body }) {
      const { world, namespace } = context
      const request = context.hasBody ? body() : undefined
      return registerReply(context, evaluateJob(world, namespace, id, request))
    },
  }),
  operation.post('dispatchJob', '/job/:id/dispatch', {
    access: requiresCapability('dispatch-job'),
    summary: 'Dispatch a parameterized job.',
    query: parameters({
      idempotency_token: described(text, 'Requests with the same token dispatch the job only once'),
    }),
    reply: { 200: dispatchReplyShape },
    body: dispatchShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      const { world, namespace, query } = context
      const request = body()
      const reply = dispatchJob(world, namespace, id, request, {
        idempotencyToken:
          query.value('idempotency_token') ?? (request.IdempotencyToken || undefined),
        isManagement: isManagementCaller(context),
      })
      return context.writeReply(reply, reply.Index)
    },
  }),
  operation.post('forcePeriodicJob', '/job/:id/periodic/force', {
    access: requiresCapability('dispatch-job', 'submit-job'),
    summary: 'Launch a periodic job now.',
    reply: { 200: forceReplyShape },
    run({ context, params: { id } }) {
      const reply = forceLaunch(context.world, context.namespace, id)
      return context.writeReply(reply, reply.Index)
    },
  }),
  operation.post('markJobStable', '/job/:id/stable', {
    access: requiresCapability('submit-job'),
    summary: 'Mark a version of a job as stable or unstable.',
    reply: { 200: indexReplyShape },
    body: stableShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      const request = body()
      const reply = markStable(context.world, context.namespace, id, request)
      return context.writeReply(reply, reply.Index)
    },
  }),
  operation.post('revertJob', '/job/:id/revert', {
    access: requiresCapability('submit-job'),
    summary: 'Register a copy of an earlier version.',
    reply: { 200: registerReplyShape },
    body: revertShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      const { world, namespace } = context
      const request = body()
      const reply = revertJob(world, namespace, id, request, registerContext(context))
      // As in the reference, the headers say that no leader is known.
      return {
        ...registerReply(context, reply),
        headers: context.dialect.encodeHeaders({
          Index: String(reply.Index),
          KnownLeader: 'false',
          LastContact: '0',
        }),
      }
    },
  }),
  operation.post('scaleJob', '/job/:id/scale', {
    access: within(requiresCapability('scale-job', 'submit-job')),
    summary: 'Scale a group.',
    reply: { 200: registerReplyShape },
    body: scaleShape,
    run({ context, params: { id }, body }) {
      const { world, namespace } = context
      const request = body()
      refuseTargetMismatch(request, id)
      if (!hasAccessIn(context, namespace)) throw refuse('permission-denied')
      const reply = scaleJob(world, namespace, id, request, {
        isManagement: isManagementCaller(context),
      })
      return registerReply(context, reply, true)
    },
  }),
  operation.get('readJobScale', '/job/:id/scale', {
    access: requiresCapability('read-job', 'read-job-scaling'),
    summary: "Read the counts of a job's groups; can block.",
    reply: { 200: scaleStatusShape },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read(() =>
        readObjectOrAbsence(
          () => lastIndex(world),
          () => scaleStatus(world, namespace, id),
          () => scaleStatusIndex(world, namespace, id),
        ),
      )
    },
  }),
]
