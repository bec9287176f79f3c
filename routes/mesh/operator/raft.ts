import { quoteGo } from '../../../state/go/text.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires } from '../access.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#operator' })

const writeAccess = insideOperation(requires('operator:write'))

export const raftOperations = [
  operation.delete('removeRaftPeer', '/operator/raft/peer', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Remove a server; the only server cannot be removed.',
    query: parameters({
      id: described(text, 'ID of the server'),
      address: described(text, 'Address of the server, with its port'),
    }),
    failures: [400, 500],
    reply: {},
    run({ context }) {
      const { query } = context
      const [id, address] = [query.value('id') ?? '', query.value('address') ?? '']
      if (id === '' && address === '') throw refuse('peer-unsaid')
      if (id !== '' && address !== '') throw refuse('peer-said-twice')
      requireRight(context, 'operator:write')
      const member = id === '' ? 'address' : 'id'
      throw refuse('peer-unknown', { member, quoted: quoteGo(id || address) })
    },
  }),
  operation.post('transferLeader', '/operator/raft/transfer-leader', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Make another server the leader; fails, because there is only one server.',
    failures: [500],
    reply: {},
    run({ context }) {
      requireRight(context, 'operator:write')
      throw refuse('leader-transfer-impossible')
    },
  }),
  operation.get('listKeyring', '/operator/keyring', {
    access: insideOperation(requires('keyring:read')),
    tenancy: 'none',
    summary: 'List the encryption keys of the gossip, which is not encrypted.',
    failures: [500],
    reply: {},
    run({ context }) {
      requireRight(context, 'keyring:read')
      const { datacenter, nodeName: node } = optionsOf(context.world)
      throw refuse('keyring-empty', { datacenter, node })
    },
  }),
]
