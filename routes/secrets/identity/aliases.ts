import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type AliasChange, writeAlias } from '../../../state/secrets/identity/alias-changes.ts'
import {
  type Alias,
  aliasesIn,
  findAlias,
  removeAlias,
} from '../../../state/secrets/identity/aliases.ts'
import {
  type AliasedGroup,
  findGroupAlias,
  type GroupAliasChange,
  groupAliasesIn,
  removeGroupAlias,
  writeGroupAlias,
} from '../../../state/secrets/identity/group-aliases.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { dataOutcome, emptyOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { operationsOf } from '../operation.ts'
import {
  aliasFields,
  aliasWrittenEnvelope,
  operationsById,
  pathId,
  withNeutralAccessor,
} from './identity-kinds.ts'
import { aliasData, aliasEnvelope, groupAliasData, mountInfo } from './views.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#aliases' })

const fields = {
  ...aliasFields,
  canonical_id: described(text, 'Id of the entity; a new entity is created if left out'),
  entity_id: described(text, 'Old name of canonical_id'),
  custom_metadata: described(map(text), 'Custom metadata'),
} as const

/** Operations on entity aliases. An alias is the name of an entity at a login method. */
export const entityAliasOperations = [
  ...operationsById<Alias>({
    path: 'entity-alias',
    names: ['EntityAlias', 'EntityAliases'],
    spec: 'behaviour/secrets#aliases',
    summaries: {
      list: 'List the ids of the aliases of entities.',
      read: 'Read the alias of an entity.',
      remove: 'Delete the alias of an entity.',
    },
    envelope: aliasEnvelope,
    all: aliasesIn,
    find: findAlias,
    idOf: ({ id }) => id,
    data: aliasData,
    info(world, { name, canonical_id, custom_metadata, local, mount_accessor }, dialect) {
      const mountFields = mountInfo(world, mount_accessor, dialect)
      return { name, canonical_id, custom_metadata, local, ...mountFields }
    },
    remove: removeAlias,
  }),
  operation.write('identityWriteEntityAlias', 'entity-alias', {
    summary: 'Create or change the alias of an entity.',
    body: { id: described(text, 'Id of an existing alias that is changed'), ...fields },
    failures: [500],
    reply: { 200: aliasWrittenEnvelope, 204: null },
    run: ({ world, namespace, fields }) => write(world, namespace, fields),
  }),
  operation.write('identityChangeEntityAlias', 'entity-alias/id/:id', {
    summary: 'Change the alias of an entity.',
    body: fields,
    failures: [500],
    reply: { 200: aliasWrittenEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, id: pathId(params.id) }),
  }),
]

const groupOperation = operationsOf({ spec: 'behaviour/secrets#groups' })

const groupAliasFields = {
  ...aliasFields,
  canonical_id: described(text, 'Id of the group; a new group is created if left out'),
} as const

/** Operations on group aliases. An alias is the name of an external group at a login method. */
export const groupAliasOperations = [
  ...operationsById<AliasedGroup>({
    path: 'group-alias',
    names: ['GroupAlias', 'GroupAliases'],
    spec: 'behaviour/secrets#groups',
    summaries: {
      list: 'List the ids of the aliases of groups.',
      read: 'Read the alias of a group.',
      remove: 'Delete the alias of a group.',
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
  groupOperation.write('identityWriteGroupAlias', 'group-alias', {
    summary: 'Create or change the alias of an external group.',
    body: { id: described(text, 'Id of an existing alias that is changed'), ...groupAliasFields },
    reply: { 200: aliasWrittenEnvelope, 204: null },
    run: ({ world, namespace, fields }) => writeGroupAliasChange(world, namespace, fields),
  }),
  groupOperation.write('identityChangeGroupAlias', 'group-alias/id/:id', {
    summary: 'Change the alias of a group.',
    body: groupAliasFields,
    reply: { 200: aliasWrittenEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) =>
      writeGroupAliasChange(world, namespace, { ...fields, id: pathId(params.id) }),
  }),
]

function write(world: World, namespace: Namespace, change: AliasChange): SecretsOutcome {
  const alias = writeAlias(world, namespace, withNeutralAccessor(change))
  return alias === undefined
    ? emptyOutcome
    : dataOutcome({ id: alias.id, canonical_id: alias.canonical_id })
}

function writeGroupAliasChange(world: World, namespace: Namespace, change: GroupAliasChange) {
  const stored = writeGroupAlias(world, namespace, withNeutralAccessor(change))
  if (stored === undefined) return emptyOutcome
  return dataOutcome({ id: stored.alias.id, canonical_id: stored.group.id })
}
