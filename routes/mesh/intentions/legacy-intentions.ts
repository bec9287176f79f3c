import { text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import { entriesIndex } from '../../../state/mesh/config/entries.ts'
import { formatErrors } from '../../../state/mesh/config/problems.ts'
import {
  type IntentionBody,
  intentionBody,
  intentionInputOf,
} from '../../../state/mesh/intentions/intention-body.ts'
import {
  createIntention,
  deleteLegacyIntention,
  legacyErrors,
  requireIntention,
  updateIntention,
} from '../../../state/mesh/intentions/intention-writes.ts'
import {
  destinationOf,
  intentionWithId,
  isSameService,
  type ServiceName,
} from '../../../state/mesh/intentions/intentions.ts'
import { message, refuse } from '../../../state/mesh/messages.ts'
import { defaultNamespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { isCommunity } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { namespaceOf, requires } from '../access.ts'
import { decodeBody } from '../decode.ts'
import type { MeshContext } from '../operation.ts'
import { intentionVisibility, operation } from './intentions.ts'
import { requireIntentionWrite } from './parameters.ts'
import { intentionReply, intentionView } from './views.ts'

const writeAccess = insideOperation(requires('intention:write'))
const createdReply = storedSchema(struct({ ID: text }))

/**
 * Decodes the body of a creation or an update. Throws a refusal for malformed bodies and for other
 * partitions.
 *
 * @param rule rule of the refusal for a malformed body; creations and updates have different rules
 */
function decodeIntention(
  context: MeshContext,
  rule: 'intention-body-unreadable' | 'session-body-unreadable',
): IntentionBody {
  const decoded = decodeBody(context, intentionBody, (problem) => refuse(rule, { problem }))
  for (const [end, partition] of [
    ['destination', decoded.DestinationPartition],
    ['source', decoded.SourcePartition],
  ] as const) {
    if (!['', 'default'].includes(partition ?? '')) throw refuse('intention-partition', { end })
  }
  return decoded
}

/**
 * Throws a refusal in the community edition if a named namespace is neither `default` nor the
 * wildcard.
 */
function requireSupported({ world }: MeshContext, member: string, name: string): void {
  if (!isCommunity(world) || ['', defaultNamespace, '*'].includes(name)) return
  throw refuse('intention-community-namespace', { member, name })
}

function endsOf(context: MeshContext, body: IntentionBody) {
  const end = (namespace = '', name = ''): ServiceName => ({
    namespace: namespace || namespaceOf(context),
    name,
  })
  return {
    source: end(body.SourceNS, body.SourceName),
    destination: end(body.DestinationNS, body.DestinationName),
  }
}

/** Throws one refusal with all errors of an intention. */
function validate(source: ServiceName, destination: ServiceName, body: IntentionBody): void {
  const errors = legacyErrors(source, destination, intentionInputOf(body))
  if (errors.length > 0) throw refuse('intention-invalid', { problem: formatErrors(errors) })
}

/** Operations on intentions that have an ID. The product keeps these operations for old clients. */
export const legacyIntentionOperations = [
  operation.post('createIntention', '/connect/intentions', {
    access: writeAccess,
    summary: 'Create an intention with an ID, as old clients do.',
    body: intentionBody,
    reply: { 200: createdReply },
    run({ context }) {
      const body = decodeIntention(context, 'intention-body-unreadable')
      requireSupported(context, 'SourceNS', body.SourceNS ?? '')
      requireSupported(context, 'DestinationNS', body.DestinationNS ?? '')
      if (body.SourcePeer) throw refuse('intention-of-peer')
      const { source, destination } = endsOf(context, body)
      requireIntentionWrite(context, destination)
      if (body.ID) throw refuse('intention-id-sent')
      validate(source, destination, body)
      return ok({ ID: createIntention(context.world, source, destination, intentionInputOf(body)) })
    },
  }),
  operation.get('readIntentionById', '/connect/intentions/:id', {
    access: insideOperation(requires('intention:read')),
    summary: 'Read an intention by its ID; can block.',
    failures: [404],
    reply: { 200: storedSchema(intentionReply) },
    run: ({ context, params: { id } }) => {
      const { world, dialect } = context
      return context.read(() => {
        void context.caller
        if (id !== '' && !/^.{36}$/.test(id)) {
          throw refuse('intention-id-invalid', { problem: message('entry-id-invalid') })
        }
        const intention = intentionWithId(world, id)
        if (intention === undefined) throw refuse('intention-absent')
        if (!intentionVisibility(context)(intention)) throw refuseAccess('right-missing-bare')
        const body = intentionView(world, dialect, intention)
        return { index: entriesIndex(world), body, omitsReadHeaders: true }
      })
    },
  }),
  operation.put('updateIntention', '/connect/intentions/:id', {
    access: writeAccess,
    summary: 'Replace an intention that has an ID.',
    body: intentionBody,
    reply: { 200: createdReply },
    run({ context, params: { id } }) {
      const { world } = context
      const body = decodeIntention(context, 'session-body-unreadable')
      if (body.SourcePeer) throw refuse('intention-of-peer')
      void context.caller
      const intention = requireIntention(world, id, 'modify')
      requireIntentionWrite(context, destinationOf(intention))
      const { source, destination } = endsOf(context, body)
      if (!isSameService(destination, destinationOf(intention))) throw refuse('intention-moved')
      validate(source, destination, body)
      updateIntention(world, intention, source, intentionInputOf(body))
      return ok({ ID: id })
    },
  }),
  operation.delete('deleteIntentionById', '/connect/intentions/:id', {
    access: writeAccess,
    summary: 'Delete an intention that has an ID.',
    reply: { 200: { const: true } },
    run({ context, params: { id } }) {
      const { world } = context
      void context.caller
      if (id === '') throw refuseAccess('right-missing-bare')
      const intention = requireIntention(world, id, 'delete')
      requireIntentionWrite(context, destinationOf(intention))
      deleteLegacyIntention(world, intention)
      return ok(true)
    },
  }),
]
