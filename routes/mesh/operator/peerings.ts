import { decodeBase64 } from '../../../state/go/base64.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { parseJson } from '../../../state/json/json.ts'
import { any, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { decodeBodyValue, withRefusal } from '../../../state/mesh/decoding.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { requireRight, requires } from '../access.ts'
import { type MeshContext, operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#operator' })

const writeAccess = insideOperation(requires('peering:write'))

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

/** Members of a decoded peering token that the validation needs. */
const tokenShape = partial(
  struct('PeeringToken', {
    CA: list(text),
    ManualServerAddresses: list(text),
    ServerAddresses: list(text),
    ServerName: text,
    PeerID: text,
  }),
)

const peerNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Throws a refusal if the name of a peering is not a DNS label in lower case. */
function checkPeerName(name: string): void {
  if (!peerNamePattern.test(name)) throw refuse('peering-name-invalid', { name })
}

function isServerAddress(address: string): boolean {
  const [, port = ''] = /^(?:\[[^[\]]*\]|[^:[\]]*):([+-]?\d+)$/.exec(address) ?? []
  return port !== '' && Number(port) >= 1 && Number(port) <= 65535
}

/**
 * Throws a refusal for an invalid peering token. Valid tokens come from `peering/token` of another
 * cluster.
 */
function checkPeeringToken(token: string): void {
  const bytes = withRefusal(
    () => decodeBase64(token),
    (problem) => refuse('peering-token-undecodable', { problem }),
  )
  const sent = withRefusal(
    () => decodeBodyValue(parseJson(Buffer.from(bytes).toString('utf8')), tokenShape, true),
    (problem) => refuse('peering-token-unreadable', { problem }),
  )
  const addresses = [...(sent.ManualServerAddresses ?? []), ...(sent.ServerAddresses ?? [])]
  if (addresses.length === 0) throw incompleteRefusal('server addresses')
  for (const each of addresses) {
    const address = each ?? ''
    if (!isServerAddress(address)) throw refuse('peering-address-invalid', { address })
  }
  if ((sent.CA ?? []).length > 0 && !sent.ServerName) throw incompleteRefusal('server name')
  if (!sent.PeerID) throw incompleteRefusal('peer ID')
}

const incompleteRefusal = (member: string) => refuse('peering-token-incomplete', { member })

/**
 * Throws a refusal for every request to create a peering: 403 without `peering:write`, otherwise
 * `peering-impossible`.
 */
function refusePeering(context: MeshContext): never {
  requireRight(context, 'peering:write')
  throw refuse('peering-impossible')
}

/**
 * No peering can exist here: reads find none, valid creations are refused, and deletions change
 * nothing.
 */
export const peeringOperations = [
  operation.get('listPeerings', '/peerings', {
    access: requires('peering:read'),
    tenancy: 'partition',
    summary: 'List the peerings with other clusters: there are none.',
    reply: { 200: storedSchema(list(any)) },
    run: ({ context }) => context.read(() => ({ index: 1, body: [] })),
  }),
  operation.post('generatePeeringToken', '/peering/token', {
    access: writeAccess,
    tenancy: 'partition',
    summary: 'Generate a token for another cluster: not possible without TLS for gRPC.',
    body: generateBody,
    failures: [500],
    reply: {},
    run({ context, body }) {
      const { PeerName = '' } = body('Body')
      if (PeerName === '') throw refuse('peering-token-nameless')
      checkPeerName(PeerName)
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
      checkPeerName(PeerName)
      checkPeeringToken(PeeringToken)
      return refusePeering(context)
    },
  }),
  operation.get('readPeering', '/peering/:name', {
    access: requires('peering:read'),
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
