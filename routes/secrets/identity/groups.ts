import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type GroupChange,
  removeGroup,
  writeGroup,
} from '../../../state/secrets/identity/group-changes.ts'
import {
  findGroup,
  findGroupByName,
  type Group,
  groupsIn,
  parentsOf,
} from '../../../state/secrets/identity/groups.ts'
import { lookUpGroup } from '../../../state/secrets/identity/lookup.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { dataOutcome, emptyOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { texts } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import {
  metadata,
  type NamedIdentityKind,
  operationsById,
  operationsByName,
  pathId,
  policies,
} from './identity-kinds.ts'
import { groupData, groupEnvelope, mountInfo } from './views.ts'

const spec = 'behaviour/secrets#groups'
const operation = operationsOf({ spec })

const name = described(text, 'Name of the entity; generated if left out')

const fields = {
  type: described(
    text,
    '`internal` (default), or `external` for groups whose members a login method determines',
  ),
  metadata,
  policies,
  member_entity_ids: texts('Ids of the member entities'),
  member_group_ids: texts('Ids of the member groups'),
} as const

const writeReply = { 200: envelopeOf(struct({ id: text, name: text })), 204: null }

function write(world: World, namespace: Namespace, change: GroupChange): SecretsOutcome {
  const { group, isNew } = writeGroup(world, namespace, change)
  return isNew ? dataOutcome({ id: group.id, name: group.name }) : emptyOutcome
}

/** Returns the description of a group for the member `key_info` of a list reply. */
function infoOf(world: World, group: Group, dialect: SecretsDialect): object {
  const { alias } = group
  return {
    name: group.name,
    num_member_entities: group.member_entity_ids?.length ?? 0,
    num_parent_groups: parentsOf(world, group.id).length,
    ...(alias !== null && {
      alias: { id: alias.id, name: alias.name, ...mountInfo(world, alias.mount_accessor, dialect) },
    }),
  }
}

const groupKind: NamedIdentityKind<Group> = {
  path: 'group',
  names: ['Group', 'Groups'],
  spec,
  summaries: {
    list: 'List the ids of the groups, with the number of their members.',
    read: 'Read a group.',
    remove: 'Delete a group.',
  },
  byName: {
    list: 'List the names of the groups.',
    read: 'Read a group by its name.',
    remove: 'Delete the group of a name.',
    lookUp: 'Find a group by its id, its name or its alias.',
  },
  envelope: groupEnvelope,
  all: groupsIn,
  find: findGroup,
  findByName: findGroupByName,
  lookUp: lookUpGroup,
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  data: groupData,
  info: infoOf,
  remove: removeGroup,
}

/** Operations on groups. The members of a group also get the group's policies. */
export const groupOperations = [
  ...operationsById(groupKind),
  ...operationsByName(groupKind),
  operation.write('identityWriteGroup', 'group', {
    summary: 'Create a group, or change the one with the given id or name.',
    body: { id: described(text, 'Id of an existing group that is changed'), name, ...fields },
    failures: [500],
    reply: writeReply,
    run: ({ world, namespace, fields }) => write(world, namespace, fields),
  }),
  operation.write('identityChangeGroup', 'group/id/:id', {
    summary: 'Change a group.',
    body: { name: described(text, 'New name'), ...fields },
    failures: [500],
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, id: pathId(params.id) }),
  }),
  operation.write('identityWriteGroupByName', 'group/name/*name', {
    summary: 'Create or change the group with the given name.',
    body: {
      id: described(text, 'Has no effect, because the name in the path selects the group'),
      ...fields,
    },
    failures: [500],
    reply: writeReply,
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, id: undefined, name: params.name }),
  }),
]
