import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { IdentityQuery } from '../../../state/secrets/identity/lookup.ts'
import { isLoginName } from '../../../state/secrets/logins/names.ts'
import { neutralAccessor } from '../../../state/secrets/mounts/types.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { ShapeOrSchema } from '../../http/declare/shape-or-schema.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import {
  dataOutcome,
  dialectDataOutcome,
  emptyOutcome,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { keysEnvelope, structEnvelope } from '../envelope/schemas.ts'
import { texts } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

export const metadata = described(map(text), 'Metadata, which policy templates can use')

export const policies = texts('Policies that tokens get in addition to their own policies')

/** Fields of requests that create an alias or change an alias by its id. */
export const aliasFields = {
  name: described(text, 'Name of the user at the login method'),
  mount_accessor: described(text, "Accessor of the login method's mount"),
} as const

/** Fields by which an entity or a group is looked up. */
const queryFields = {
  id: described(text, 'The id'),
  name: described(text, 'The name'),
  alias_id: described(text, 'The id of an alias'),
  alias_name: described(text, 'Name of an alias; requires alias_mount_accessor'),
  alias_mount_accessor: described(text, 'Accessor of the mount of the alias'),
} as const

export const aliasWrittenEnvelope = structEnvelope({
  id: text,
  canonical_id: described(text, 'Id of the entity or group'),
})

/**
 * Returns a copy of the fields in which `mount_accessor` contains the neutral name of the mount
 * type. Rows store accessors in this form.
 */
export function withNeutralAccessor<F extends { readonly mount_accessor?: string | undefined }>(
  fields: F,
): F {
  const { mount_accessor: accessor } = fields
  return accessor === undefined ? fields : { ...fields, mount_accessor: neutralAccessor(accessor) }
}

/**
 * Returns a copy of the fields of a look-up in which `alias_mount_accessor` contains the neutral
 * name of the mount type.
 */
function withNeutralAliasAccessor<F extends { readonly alias_mount_accessor?: string | undefined }>(
  fields: F,
): F {
  const { alias_mount_accessor: accessor } = fields
  return accessor === undefined
    ? fields
    : { ...fields, alias_mount_accessor: neutralAccessor(accessor) }
}

/**
 * Returns an id from a path unchanged. Throws `unsupported-path` for a text that cannot be an id.
 */
export function pathId(text: string): string {
  if (!isLoginName(text)) throw refuse('unsupported-path')
  return text
}

/** A kind of object in the identity store, with the parameters that declare its operations. */
interface IdentityKind<Row> {
  /** Segment in paths: `entity`. */
  readonly path: string
  /** Singular and plural in operation ids: `Entity`, `Entities`. */
  readonly names: readonly [one: string, many: string]
  readonly spec: string
  readonly summaries: { readonly list: string; readonly read: string; readonly remove: string }
  /** Reply to reading one object. */
  readonly envelope: ShapeOrSchema
  all(world: World, namespace: Namespace): readonly Row[]
  find(world: World, namespace: Namespace, id: string): Row | undefined
  idOf(row: Row): string
  /** Returns the data of the reply to reading an object. */
  data(world: World, row: Row, dialect: SecretsDialect): object
  /** Returns the description of an object for the member `key_info` of a list reply. */
  info(world: World, row: Row, dialect: SecretsDialect): object
  remove(world: World, row: Row): void
}

/** A kind of object that has a name as well as an id, and that can be looked up. */
export interface NamedIdentityKind<Row> extends IdentityKind<Row> {
  readonly byName: IdentityKind<Row>['summaries'] & { readonly lookUp: string }
  nameOf(row: Row): string
  findByName(world: World, namespace: Namespace, name: string): Row | undefined
  lookUp(world: World, namespace: Namespace, query: IdentityQuery): Row | undefined
}

function read<Row>(kind: IdentityKind<Row>, world: World, row: Row | undefined): SecretsOutcome {
  if (row === undefined) throw refuse('nothing-here')
  return dialectDataOutcome((dialect) => kind.data(world, row, dialect))
}

function remove<Row>(kind: IdentityKind<Row>, world: World, row: Row | undefined): SecretsOutcome {
  if (row !== undefined) kind.remove(world, row)
  return emptyOutcome
}

/**
 * Returns 200 with the sorted ids of all objects, and with information about each object by its id.
 * Refuses an empty list.
 */
function listIds<Row>(kind: IdentityKind<Row>, world: World, namespace: Namespace): SecretsOutcome {
  const found = kind.all(world, namespace)
  if (found.length === 0) throw refuse('nothing-here')
  const ids = found.map(kind.idOf).sort()
  return dialectDataOutcome((dialect) => ({
    key_info: Object.fromEntries(
      found.map((row) => [kind.idOf(row), kind.info(world, row, dialect)]),
    ),
    keys: ids,
  }))
}

/**
 * Returns 200 with the sorted names of all objects, without information about them. Refuses an
 * empty list.
 */
function listNames<Row>(
  kind: NamedIdentityKind<Row>,
  world: World,
  namespace: Namespace,
): SecretsOutcome {
  const names = kind.all(world, namespace).map(kind.nameOf)
  if (names.length === 0) throw refuse('nothing-here')
  return dataOutcome({ keys: names.sort() })
}

/**
 * Declares the operations that list objects by id, and that read and delete an object by its id.
 */
export function operationsById<Row>(kind: IdentityKind<Row>): readonly SecretsOperation[] {
  const { path, spec, summaries, envelope } = kind
  const [one, many] = kind.names
  const operation = operationsOf({ spec })
  return [
    operation.list(`identityList${many}`, `${path}/id`, {
      summary: summaries.list,
      reply: { 200: keysEnvelope },
      run: ({ world, namespace }) => listIds(kind, world, namespace),
    }),
    operation.read(`identityRead${one}`, `${path}/id/:id`, {
      summary: summaries.read,
      reply: { 200: envelope },
      run: ({ world, namespace, params }) =>
        read(kind, world, kind.find(world, namespace, pathId(params.id))),
    }),
    operation.delete(`identityDelete${one}`, `${path}/id/:id`, {
      summary: summaries.remove,
      run: ({ world, namespace, params }) =>
        remove(kind, world, kind.find(world, namespace, pathId(params.id))),
    }),
  ]
}

/**
 * Declares the operations that list objects by name, that read and delete an object by its name,
 * and that look up an object by any id or name.
 */
export function operationsByName<Row>(kind: NamedIdentityKind<Row>): readonly SecretsOperation[] {
  const { path, spec, byName, envelope } = kind
  const [one] = kind.names
  const operation = operationsOf({ spec })
  return [
    operation.list(`identityList${one}Names`, `${path}/name`, {
      summary: byName.list,
      reply: { 200: keysEnvelope },
      run: ({ world, namespace }) => listNames(kind, world, namespace),
    }),
    operation.read(`identityRead${one}ByName`, `${path}/name/*name`, {
      summary: byName.read,
      reply: { 200: envelope },
      run: ({ world, namespace, params }) =>
        read(kind, world, kind.findByName(world, namespace, params.name)),
    }),
    operation.delete(`identityDelete${one}ByName`, `${path}/name/*name`, {
      summary: byName.remove,
      run: ({ world, namespace, params }) =>
        remove(kind, world, kind.findByName(world, namespace, params.name)),
    }),
    operation.write(`identityLookUp${one}`, `lookup/${path}`, {
      summary: byName.lookUp,
      body: queryFields,
      reply: { 200: envelope, 204: null },
      run({ world, namespace, fields }) {
        const row = kind.lookUp(world, namespace, withNeutralAliasAccessor(fields))
        return row === undefined ? emptyOutcome : read(kind, world, row)
      },
    }),
  ]
}
