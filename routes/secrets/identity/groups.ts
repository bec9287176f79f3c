import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  type GroupChange,
  groupToChange,
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
import { data, empty, type Outcome } from '../envelope/outcome.ts'
import { envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { texts } from '../fields/forms.ts'
import { operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import {
  metadata,
  pathId,
  policies,
  queryFields,
  told,
  toldKeys,
  withNeutralAliasAccessor,
} from './forms.ts'
import { groupData, groupEnvelope, placeOf } from './views.ts'

const spec = 'behaviour/secrets#groups'

const name = described(text, 'The name; made up without one')

const fields = {
  type: described(text, '`internal` (default), or `external`: members are those a method says'),
  metadata,
  policies,
  member_entity_ids: texts('The ids of entities that are members'),
  member_group_ids: texts('The ids of groups whose members are some of this one too'),
} as const

const written = { 200: envelopeOf(struct({ id: text, name: text })), 204: null }

function write(
  world: World,
  namespace: Namespace,
  before: Group | undefined,
  change: GroupChange,
): Outcome {
  const { group, isNew } = writeGroup(world, namespace, before, change)
  return isNew ? data({ id: group.id, name: group.name }) : empty
}

function read(world: World, group: Group | undefined): Outcome {
  if (group === undefined) throw refuse('nothing-here')
  return told((dialect) => groupData(world, group, dialect))
}

function remove(world: World, group: Group | undefined): Outcome {
  if (group !== undefined) removeGroup(world, group)
  return empty
}

/** What a list tells of each group. */
function infoOf(world: World, group: Group, dialect: SecretsDialect): object {
  const { alias } = group
  return {
    name: group.name,
    num_member_entities: group.member_entity_ids.length,
    num_parent_groups: parentsOf(world, group.id).length,
    ...(alias !== null && {
      alias: {
        id: alias.id,
        name: alias.name,
        ...placeOf(world, alias.mount_accessor, dialect),
      },
    }),
  }
}

function list(world: World, namespace: Namespace, keyOf: (group: Group) => string): Outcome {
  const found = groupsIn(world, namespace)
  return toldKeys(found.map(keyOf), (dialect) =>
    Object.fromEntries(found.map((group) => [group.id, infoOf(world, group, dialect)])),
  )
}

/** Groups of entities, whose policies their members have. */
export const groupOperations = [
  operation({
    id: 'identityWriteGroup',
    verb: 'write',
    path: 'group',
    summary: 'Makes a group, or changes the one of an id or a name.',
    spec,
    body: { id: described(text, 'The id of a group to change'), name, ...fields },
    failures: [500],
    reply: written,
    run({ world, namespace, fields: { id, ...change } }) {
      if (id !== undefined) {
        return write(world, namespace, groupToChange(world, namespace, id), change)
      }
      return write(world, namespace, findGroupByName(world, namespace, change.name ?? ''), change)
    },
  }),
  operation({
    id: 'identityListGroups',
    verb: 'list',
    path: 'group/id',
    summary: 'Lists the ids of the groups, with how many belong to each.',
    spec,
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => list(world, namespace, ({ id }) => id),
  }),
  operation({
    id: 'identityReadGroup',
    verb: 'read',
    path: 'group/id/:id',
    summary: 'Reads a group.',
    spec,
    reply: { 200: groupEnvelope },
    run: ({ world, namespace, params }) =>
      read(world, findGroup(world, namespace, pathId(params.id))),
  }),
  operation({
    id: 'identityChangeGroup',
    verb: 'write',
    path: 'group/id/:id',
    summary: 'Changes a group.',
    spec,
    body: { name: described(text, 'Another name'), ...fields },
    failures: [500],
    reply: { 204: null },
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, groupToChange(world, namespace, pathId(params.id)), fields),
  }),
  operation({
    id: 'identityDeleteGroup',
    verb: 'delete',
    path: 'group/id/:id',
    summary: 'Deletes a group.',
    spec,
    reply: { 204: null },
    run: ({ world, namespace, params }) =>
      remove(world, findGroup(world, namespace, pathId(params.id))),
  }),
  operation({
    id: 'identityListGroupNames',
    verb: 'list',
    path: 'group/name',
    summary: 'Lists the names of the groups.',
    spec,
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => list(world, namespace, ({ name }) => name),
  }),
  operation({
    id: 'identityReadGroupByName',
    verb: 'read',
    path: 'group/name/*name',
    summary: 'Reads a group by its name.',
    spec,
    reply: { 200: groupEnvelope },
    run: ({ world, namespace, params }) =>
      read(world, findGroupByName(world, namespace, params.name)),
  }),
  operation({
    id: 'identityWriteGroupByName',
    verb: 'write',
    path: 'group/name/*name',
    summary: 'Makes or changes the group of a name.',
    spec,
    body: fields,
    failures: [500],
    reply: written,
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, findGroupByName(world, namespace, params.name), {
        ...fields,
        name: params.name,
      }),
  }),
  operation({
    id: 'identityDeleteGroupByName',
    verb: 'delete',
    path: 'group/name/*name',
    summary: 'Deletes the group of a name.',
    spec,
    reply: { 204: null },
    run: ({ world, namespace, params }) =>
      remove(world, findGroupByName(world, namespace, params.name)),
  }),
  operation({
    id: 'identityLookUpGroup',
    verb: 'write',
    path: 'lookup/group',
    summary: 'Finds a group by its id, its name or its alias.',
    spec,
    body: queryFields,
    reply: { 200: groupEnvelope, 204: null },
    run({ world, namespace, fields }) {
      const group = lookUpGroup(world, namespace, withNeutralAliasAccessor(fields))
      return group === undefined ? empty : read(world, group)
    },
  }),
]
