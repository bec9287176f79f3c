import { quoteGo } from '../../../state/go/text.ts'
import { any, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { requireRight, requiresAnyOf } from '../access.ts'
import { type MeshContext, operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#operator' })

const writeAccess = insideOperation(requiresAnyOf('peering:write'))

const peeringMembers = { PeerName: text, Partition: text, Meta: map(text) } as const

const generateBody = partial(
  struct('PeeringGenerateTokenRequest', {
    ...peeringMembers,
    ServerExternalAddresses: list(text),
  }),
)

const establishBody = partial(
  struct('PeeringEstablishRequest', { ...peeringMembers, PeeringToken: secret(text) }),
)

/** Throws the refusal of every complete request for a peering, once the caller may send it. */
function refusePeering(context: MeshContext): never {
  requireRight(context, 'peering:write')
  throw refuse('peering-impossible')
}

/** Operations on peerings with other clusters, of which there are none (behaviour/mesh#operator). */
export const peeringOperations = [
  operation.get('listPeerings', '/peerings', {
    access: requiresAnyOf('peering:read'),
    tenancy: 'partition',
    summary: 'List the peerings with other clusters: there are none.',
    reply: { 200: storedSchema(list(any)) },
    run: ({ context }) => context.read(() => ({ index: 1, body: [] })),
  }),
  operation.post('generatePeeringToken', '/peering/token', {
    access: writeAccess,
    tenancy: 'partition',
    summary: 'Make a token for another cluster: not possible without TLS for gRPC.',
    body: generateBody,
    failures: [500],
    reply: {},
    run({ context, body }) {
      const { PeerName = '' } = body('Body')
      if (PeerName === '') throw refuse('peering-token-nameless')
      return refusePeering(context)
    },
  }),
  operation.post('establishPeering', '/peering/establish', {
    access: writeAccess,
    tenancy: 'partition',
    summary: 'Accept the token of another cluster: not possible without TLS for gRPC.',
    body: establishBody,
    failures: [500],
    reply: {},
    run({ context, body }) {
      const { PeerName = '', PeeringToken = '' } = body('Body')
      if (PeerName === '') throw refuse('peering-nameless')
      if (PeeringToken === '') throw refuse('peering-tokenless')
      return refusePeering(context)
    },
  }),
  operation.get('readPeering', '/peering/:name', {
    access: requiresAnyOf('peering:read'),
    tenancy: 'partition',
    summary: 'Read a peering with another cluster: there is none.',
    reply: { 200: storedSchema(any), 404: text },
    run: ({ context, params: { name } }) => {
      if (name === '') throw refuse('peering-unsaid')
      const body = `Peering not found for ${quoteGo(name)}`
      return context.read<404>(() => ({ index: 0, status: 404, body }), { isPlain: true })
    },
  }),
  operation.delete('deletePeering', '/peering/:name', {
    access: writeAccess,
    tenancy: 'partition',
    summary: 'Delete a peering, if there is one.',
    reply: { 200: null },
    run({ context, params: { name } }) {
      if (name === '') throw refuse('peering-unsaid')
      requireRight(context, 'peering:write')
      return { status: 200 as const }
    },
  }),
]
