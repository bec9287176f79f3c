import { plainForm } from '../../../state/kernel/shape/go-forms.ts'
import { bool, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { parsedSchema } from '../../../state/kernel/shape/schema.ts'
import { canonicalizeInput } from '../../../state/scheduler/job/canonical.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { parseJobFile } from '../../../state/scheduler/job-file/parse.ts'
import { resolveNamespace } from '../../../state/scheduler/jobs/context.ts'
import { planJobChange, validateJob } from '../../../state/scheduler/jobs/plan.ts'
import { planShape, validateShape } from '../../../state/scheduler/jobs/request-shapes.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { multiError } from '../../../state/scheduler/validation/errors.ts'
import { formatWarnings } from '../../../state/scheduler/validation/warnings.ts'
import {
  first,
  registrationRight,
  requireCapability,
  requiresCapability,
  within,
} from '../access.ts'
import { operationsOf } from '../operation.ts'
import { registerContext } from './registration.ts'
import { planReplyShape, validateReplyShape } from './reply-shapes.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

const parseShape = struct('JobsParseRequest', {
  JobHCL: text,
  Canonicalize: bool,
  Variables: text,
})

/** Operations that examine a job without registering it. */
export const checkOperations = [
  operation.post('parseJob', '/jobs/parse', {
    tokenResolver: 'agent',
    access: first(requiresCapability('parse-job', 'submit-job')),
    summary: 'Parse a job file; nothing is stored.',
    spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#job-files',
    reply: { 200: jobShape },
    schema: (dialect) => parsedSchema(jobShape, dialect),
    body: parseShape,
    run({ context, body }) {
      const { world, dialect } = context
      const { JobHCL, Canonicalize, Variables } = body()
      if (!JobHCL) throw refuse('job-spec-empty')
      const job = parseJobFile(JobHCL, {
        variables: Variables ?? '',
        uuid: () => world.ids.uuid(),
        isVendor: dialect.isVendor,
      })
      const answer = Canonicalize === true ? canonicalizeInput(job) : plainForm(job, jobShape)
      return { status: 200, body: dialect.renameMembers(jobShape, answer) }
    },
  }),
  operation.post('planJob', '/job/:id/plan', {
    access: registrationRight,
    summary: 'Show what registering a job would change; nothing is stored.',
    reply: { 200: planReplyShape },
    body: planShape,
    bodyAddress: ({ SecretID }) => ({ token: SecretID }),
    run({ context, params: { id }, body }) {
      const request = body()
      const reply = planJobChange(context.world, request, registerContext(context, id || undefined))
      const Warnings = formatWarnings(reply.Warnings, context.dialect.renderMessage)
      return context.writeReply({ ...reply, Warnings }, reply.Index)
    },
  }),
  operation.post('validateJob', '/validate/job', {
    access: within(requiresCapability('read-job')),
    summary: 'Validate a job.',
    reply: { 200: validateReplyShape },
    body: validateShape,
    run({ context, body }) {
      const { world, dialect, queryNamespace } = context
      const request = body()
      const { Namespace, Job: input } = request
      if (input !== null) {
        requireCapability(
          context,
          resolveNamespace(queryNamespace, Namespace, input.Namespace),
          'read-job',
        )
      }
      const { errors, warnings } = validateJob(world, request, { queryNamespace: queryNamespace })
      const answer = {
        DriverConfigValidated: true,
        ValidationErrors: errors.length === 0 ? null : errors.map(dialect.renderMessage),
        Error: errors.length === 0 ? '' : dialect.renderMessage(multiError(errors)),
        Warnings: formatWarnings(warnings, dialect.renderMessage),
      }
      return { status: 200, body: dialect.renameMembers(validateReplyShape, answer) }
    },
  }),
]
