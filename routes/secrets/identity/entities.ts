import { bool, constant, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
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
  mergeEntities,
  removeEntity,
  writeEntity,
} from '../../../state/secrets/identity/entity-changes.ts'
import { lookUpEntity } from '../../../state/secrets/identity/lookup.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { dataOutcome, emptyOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { structEnvelope } from '../envelope/schemas.ts'
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
import { entityData, entityEnvelope, mountInfo } from './views.ts'

const spec = 'behaviour/secrets#entities'
const operation = operationsOf({ spec })

const id = described(text, 'Id of an existing entity that is changed')

const fields = {
  metadata,
  policies,
  disabled: described(bool, 'Whether logins as the entity, and uses of its tokens, are refused'),
} as const

const writeReply = {
  200: structEnvelope({ id: text, name: text, aliases: constant(null) }),
  204: null,
}

function write(world: World, namespace: Namespace, change: EntityChange): SecretsOutcome {
  const { entity, isNew } = writeEntity(world, namespace, change)
  return isNew ? dataOutcome({ id: entity.id, name: entity.name, aliases: null }) : emptyOutcome
}

/** Returns the description of an entity for the member `key_info` of a list reply. */
function infoOf(world: World, entity: Entity, dialect: SecretsDialect): object {
  const aliases = aliasesOf(world, entity).map(({ id, name, mount_accessor }) => {
    return { id, name, ...mountInfo(world, mount_accessor, dialect) }
  })
  return { name: entity.name, ...(aliases.length > 0 && { aliases }) }
}

const entityKind: NamedIdentityKind<Entity> = {
  path: 'entity',
  names: ['Entity', 'Entities'],
  spec,
  summaries: {
    list: 'List the ids of the entities, with their names and aliases.',
    read: 'Read an entity.',
    remove: 'Delete an entity with its aliases.',
  },
  byName: {
    list: 'List the names of the entities.',
    read: 'Read an entity by its name.',
    remove: 'Delete the entity of a name with its aliases.',
    lookUp: 'Find an entity by its id, its name or an alias.',
  },
  envelope: entityEnvelope,
  all: entitiesIn,
  find: findEntity,
  findByName: findEntityByName,
  lookUp: lookUpEntity,
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  data: entityData,
  info: infoOf,
  remove: removeEntity,
}

/** Operations on entities. An entity stands for one user, regardless of the login method. */
export const entityOperations = [
  ...operationsById(entityKind),
  ...operationsByName(entityKind),
  operation.write('identityWriteEntity', 'entity', {
    summary: 'Create an entity, or change the entity with the given id or name.',
    body: { id, name: described(text, 'Name of the entity; generated if left out'), ...fields },
    failures: [500],
    reply: writeReply,
    run: ({ world, namespace, fields }) => write(world, namespace, fields),
  }),
  operation.write('identityChangeEntity', 'entity/id/:id', {
    summary: 'Change an entity.',
    body: { name: described(text, 'New name'), ...fields },
    failures: [500],
    reply: writeReply,
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, id: pathId(params.id) }),
  }),
  operation.write('identityWriteEntityByName', 'entity/name/*name', {
    summary: 'Create or change the entity with the given name.',
    body: { id, ...fields },
    failures: [500],
    reply: writeReply,
    run: ({ world, namespace, params, fields }) =>
      write(world, namespace, { ...fields, name: params.name }),
  }),
  operation.write('identityDeleteEntities', 'entity/batch-delete', {
    summary: 'Delete several entities.',
    body: { entity_ids: texts('Ids of the entities; unknown ids are skipped') },
    apply: ({ world, namespace, fields }) =>
      deleteEntities(world, namespace, fields.entity_ids ?? []),
  }),
  operation.write('identityMergeEntities', 'entity/merge', {
    summary: 'Merge several entities into one.',
    spec: 'behaviour/secrets#merge',
    body: {
      from_entity_ids: texts('Ids of the entities that are merged and deleted'),
      to_entity_id: described(text, 'Id of the entity that is kept'),
      conflicting_alias_ids_to_keep: texts(
        'Ids of the aliases to keep, if two aliases belong to the same mount',
      ),
      force: described(
        bool,
        'Whether second-factor secrets of the merged entities replace those of the kept entity',
      ),
    },
    failures: [500],
    apply: ({ world, namespace, fields }) => mergeEntities(world, namespace, fields),
  }),
]
