import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type AliasedGroup,
  findGroupAlias,
  type GroupAliasChange,
  groupAliasesIn,
  removeGroupAlias,
  writeGroupAlias,
} from '../../../state/secrets/identity/group-aliases.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { data, empty, type SecretsOutcome } from '../envelope/outcome.ts'
import { operationsOf } from '../operation.ts'
import {
  aliasFields,
  aliasWrittenEnvelope,
  operationsById,
  pathId,
  withNeutralAccessor,
} from './identity-kinds.ts'
import { aliasEnvelope, groupAliasData, mountInfo } from './views.ts'

const spec = 'behaviour/secrets#groups'
const operation = operationsOf({ spec })

const fields = {
  ...aliasFields,
  canonical_id: described(text, 'The group; a new one without'),
} as const

function write(world: World, namespace: Namespace, change: GroupAliasChange): SecretsOutcome {
  const stored = writeGroupAlias(world, namespace, withNeutralAccessor(change))
  if (stored === undefined) return empty
  return data({ id: stored.alias.id, canonical_id: stored.group.id })
}

/** Operations on the names of external groups at login methods. */
export const groupAliasOperations = [
  ...operationsById<AliasedGroup>({
    path: 'group-alias',
    names: ['GroupAlias', 'GroupAliases'],
    spec,
    summaries: {
      list: 'Lists the ids of the aliases of groups.',
      read: 'Reads the alias of a group.',
      remove: 'Deletes the alias of a group.',
    },
    envelope: aliasEnvelope,
    all: groupAliasesIn,
    find: findGroupAlias,
    idOf: ({ alias }) => alias.id,
    data: groupAliasData,
    info(world, { group, alias: { name, mount_accessor } }, dialect) {
      const aliasInfo = { name, canonical_id: group.id, custom_metadata: null, local: false }
      return { ...aliasInfo, ...mountInfo(world, mount_accessor, dialect) }
    },
    remove: removeGroupAlias,
  }),
  operation.write('identityWriteGroupAlias', 'group-alias', {
    summary: 'Gives an external group an alias, or changes one.',
    body: { id: described(text, 'The id of an alias to change'), ...fields },
    reply: { 200: aliasWrittenEnvelope, 204: null },
    run: ({ world, namespace, fields }) => write(world, namespace, fields),
  }),
  operation.write('identityChangeGroupAlias', 'group-alias/id/:id', {
    summary: 'Changes the alias of a group.',
    body: fields,
    reply: { 200: aliasWrittenEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, id: pathId(params.id) }),
  }),
]
