import { bool, constant, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import { aliasesOf } from '../../../state/secrets/identity/aliases.ts'
import {
  type Entity,
  entitiesIn,
  findEntity,
  findEntityByName,
} from '../../../state/secrets/identity/entities.ts'
import {
  deleteEntities,
  type EntityChange,
  removeEntity,
  writeEntity,
} from '../../../state/secrets/identity/entity-changes.ts'
import { lookUpEntity } from '../../../state/secrets/identity/lookup.ts'
import { mergeEntities } from '../../../state/secrets/identity/merge.ts'
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
import { entityData, entityEnvelope, placeOf } from './views.ts'

const spec = 'behaviour/secrets#entities'

const id = described(text, 'The id of an entity to change')

const fields = {
  metadata,
  policies,
  disabled: described(bool, 'Whether nobody may log in as it, or use its tokens'),
} as const

const written = {
  200: envelopeOf(struct({ id: text, name: text, aliases: constant(null) })),
  204: null,
}

function write(world: World, namespace: Namespace, change: EntityChange): Outcome {
  const { entity, isNew } = writeEntity(world, namespace, change)
  return isNew ? data({ id: entity.id, name: entity.name, aliases: null }) : empty
}

function read(world: World, entity: Entity | undefined): Outcome {
  if (entity === undefined) throw refuse('nothing-here')
  return told((dialect) => entityData(world, entity, dialect))
}

function remove(world: World, entity: Entity | undefined): Outcome {
  if (entity !== undefined) removeEntity(world, entity)
  return empty
}

/** What a list tells of each entity. */
function infoOf(world: World, entity: Entity, dialect: SecretsDialect): object {
  const aliases = aliasesOf(world, entity).map(({ id, name, mount_accessor }) => {
    return { id, name, ...placeOf(world, mount_accessor, dialect) }
  })
  return { name: entity.name, ...(aliases.length > 0 && { aliases }) }
}

function list(world: World, namespace: Namespace, keyOf: (entity: Entity) => string): Outcome {
  const found = entitiesIn(world, namespace)
  return toldKeys(found.map(keyOf), (dialect) =>
    Object.fromEntries(found.map((entity) => [entity.id, infoOf(world, entity, dialect)])),
  )
}

/** Entities: who logs in, by whichever methods. */
export const entityOperations = [
  operation({
    id: 'identityWriteEntity',
    verb: 'write',
    path: 'entity',
    summary: 'Makes an entity, or changes the one of an id or a name.',
    spec,
    body: { id, name: described(text, 'The name; made up without one'), ...fields },
    failures: [500],
    reply: written,
    run: ({ world, namespace, fields }) => write(world, namespace, fields),
  }),
  operation({
    id: 'identityListEntities',
    verb: 'list',
    path: 'entity/id',
    summary: 'Lists the ids of the entities, with their names and aliases.',
    spec,
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => list(world, namespace, ({ id }) => id),
  }),
  operation({
    id: 'identityReadEntity',
    verb: 'read',
    path: 'entity/id/:id',
    summary: 'Reads an entity.',
    spec,
    reply: { 200: entityEnvelope },
    run: ({ world, namespace, params }) =>
      read(world, findEntity(world, namespace, pathId(params.id))),
  }),
  operation({
    id: 'identityChangeEntity',
    verb: 'write',
    path: 'entity/id/:id',
    summary: 'Changes an entity.',
    spec,
    body: { name: described(text, 'Another name'), ...fields },
    failures: [500],
    reply: written,
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, id: pathId(params.id) }),
  }),
  operation({
    id: 'identityDeleteEntity',
    verb: 'delete',
    path: 'entity/id/:id',
    summary: 'Deletes an entity with its aliases.',
    spec,
    reply: { 204: null },
    run: ({ world, namespace, params }) =>
      remove(world, findEntity(world, namespace, pathId(params.id))),
  }),
  operation({
    id: 'identityListEntityNames',
    verb: 'list',
    path: 'entity/name',
    summary: 'Lists the names of the entities.',
    spec,
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => list(world, namespace, ({ name }) => name),
  }),
  operation({
    id: 'identityReadEntityByName',
    verb: 'read',
    path: 'entity/name/*name',
    summary: 'Reads an entity by its name.',
    spec,
    reply: { 200: entityEnvelope },
    run: ({ world, namespace, params }) =>
      read(world, findEntityByName(world, namespace, params.name)),
  }),
  operation({
    id: 'identityWriteEntityByName',
    verb: 'write',
    path: 'entity/name/*name',
    summary: 'Makes or changes the entity of a name.',
    spec,
    body: { id, ...fields },
    failures: [500],
    reply: written,
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, name: params.name }),
  }),
  operation({
    id: 'identityDeleteEntityByName',
    verb: 'delete',
    path: 'entity/name/*name',
    summary: 'Deletes the entity of a name with its aliases.',
    spec,
    reply: { 204: null },
    run: ({ world, namespace, params }) =>
      remove(world, findEntityByName(world, namespace, params.name)),
  }),
  operation({
    id: 'identityDeleteEntities',
    verb: 'write',
    path: 'entity/batch-delete',
    summary: 'Deletes several entities.',
    spec,
    body: { entity_ids: texts('Their ids; unknown ones are passed over') },
    reply: { 204: null },
    run({ world, namespace, fields }) {
      deleteEntities(world, namespace, fields.entity_ids ?? [])
      return empty
    },
  }),
  operation({
    id: 'identityMergeEntities',
    verb: 'write',
    path: 'entity/merge',
    summary: 'Makes several entities one.',
    spec: 'behaviour/secrets#merge',
    body: {
      from_entity_ids: texts('The entities that go'),
      to_entity_id: described(text, 'The entity that stays'),
      conflicting_alias_ids_to_keep: texts('Of two aliases at one method, those that stay'),
      force: described(bool, 'About factors of authentication, which there are none of'),
    },
    reply: { 204: null },
    run({ world, namespace, fields }) {
      mergeEntities(world, namespace, fields)
      return empty
    },
  }),
  operation({
    id: 'identityLookUpEntity',
    verb: 'write',
    path: 'lookup/entity',
    summary: 'Finds an entity by its id, its name or an alias.',
    spec,
    body: queryFields,
    reply: { 200: entityEnvelope, 204: null },
    run({ world, namespace, fields }) {
      const entity = lookUpEntity(world, namespace, withNeutralAliasAccessor(fields))
      return entity === undefined ? empty : read(world, entity)
    },
  }),
]
