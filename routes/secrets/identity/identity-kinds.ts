import type { World } from '../../../state/kernel/worlds/world.ts'
import type { IdentityQuery } from '../../../state/secrets/identity/lookup.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { ShapeOrSchema } from '../../http/declare/shape-or-schema.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { dialectData, empty, type SecretsOutcome } from '../envelope/outcome.ts'
import { keysEnvelope } from '../envelope/schemas.ts'
import { refuse } from '../messages.ts'
import { operation, type SecretsOperation } from '../operation.ts'
import { pathId, queryFields, renderedKeys, withNeutralAliasAccessor } from './fields.ts'

/** A kind of thing that the identity store keeps: what its operations differ in. */
export interface IdentityKind<Row> {
  /** In paths: `entity`. */
  readonly path: string
  /** In the ids of operations, one and many: `Entity`, `Entities`. */
  readonly names: readonly [one: string, many: string]
  readonly spec: string
  readonly summaries: { readonly list: string; readonly read: string; readonly remove: string }
  /** The reply of reading one. */
  readonly envelope: ShapeOrSchema
  all(world: World, namespace: Namespace): readonly Row[]
  find(world: World, namespace: Namespace, id: string): Row | undefined
  idOf(row: Row): string
  /** One as it is read. */
  data(world: World, row: Row, dialect: SecretsDialect): object
  /** What a list tells of one. */
  info(world: World, row: Row, dialect: SecretsDialect): object
  remove(world: World, row: Row): void
}

/** What has a name besides, and can be looked up. */
export interface NamedIdentityKind<Row> extends IdentityKind<Row> {
  readonly byName: IdentityKind<Row>['summaries'] & { readonly lookUp: string }
  nameOf(row: Row): string
  findByName(world: World, namespace: Namespace, name: string): Row | undefined
  lookUp(world: World, namespace: Namespace, query: IdentityQuery): Row | undefined
}

function read<Row>(kind: IdentityKind<Row>, world: World, row: Row | undefined): SecretsOutcome {
  if (row === undefined) throw refuse('nothing-here')
  return dialectData((dialect) => kind.data(world, row, dialect))
}

function remove<Row>(kind: IdentityKind<Row>, world: World, row: Row | undefined): SecretsOutcome {
  if (row !== undefined) kind.remove(world, row)
  return empty
}

function list<Row>(
  kind: IdentityKind<Row>,
  world: World,
  namespace: Namespace,
  keyOf: (row: Row) => string,
): SecretsOutcome {
  const found = kind.all(world, namespace)
  return renderedKeys(found.map(keyOf), (dialect) =>
    Object.fromEntries(found.map((row) => [kind.idOf(row), kind.info(world, row, dialect)])),
  )
}

/** Lists, reads and deletes by ids. */
export function operationsById<Row>(kind: IdentityKind<Row>): readonly SecretsOperation[] {
  const { path, spec, summaries, envelope } = kind
  const [one, many] = kind.names
  return [
    operation({
      id: `identityList${many}`,
      verb: 'list',
      path: `${path}/id`,
      summary: summaries.list,
      spec,
      reply: { 200: keysEnvelope },
      run: ({ world, namespace }) => list(kind, world, namespace, kind.idOf),
    }),
    operation({
      id: `identityRead${one}`,
      verb: 'read',
      path: `${path}/id/:id`,
      summary: summaries.read,
      spec,
      reply: { 200: envelope },
      run: ({ world, namespace, params }) =>
        read(kind, world, kind.find(world, namespace, pathId(params.id))),
    }),
    operation({
      id: `identityDelete${one}`,
      verb: 'delete',
      path: `${path}/id/:id`,
      summary: summaries.remove,
      spec,
      reply: { 204: null },
      run: ({ world, namespace, params }) =>
        remove(kind, world, kind.find(world, namespace, pathId(params.id))),
    }),
  ]
}

/** Lists, reads and deletes by names, and looks up by any mark. */
export function operationsByName<Row>(kind: NamedIdentityKind<Row>): readonly SecretsOperation[] {
  const { path, spec, byName, envelope } = kind
  const [one] = kind.names
  return [
    operation({
      id: `identityList${one}Names`,
      verb: 'list',
      path: `${path}/name`,
      summary: byName.list,
      spec,
      reply: { 200: keysEnvelope },
      run: ({ world, namespace }) => list(kind, world, namespace, kind.nameOf),
    }),
    operation({
      id: `identityRead${one}ByName`,
      verb: 'read',
      path: `${path}/name/*name`,
      summary: byName.read,
      spec,
      reply: { 200: envelope },
      run: ({ world, namespace, params }) =>
        read(kind, world, kind.findByName(world, namespace, params.name)),
    }),
    operation({
      id: `identityDelete${one}ByName`,
      verb: 'delete',
      path: `${path}/name/*name`,
      summary: byName.remove,
      spec,
      reply: { 204: null },
      run: ({ world, namespace, params }) =>
        remove(kind, world, kind.findByName(world, namespace, params.name)),
    }),
    operation({
      id: `identityLookUp${one}`,
      verb: 'write',
      path: `lookup/${path}`,
      summary: byName.lookUp,
      spec,
      body: queryFields,
      reply: { 200: envelope, 204: null },
      run({ world, namespace, fields }) {
        const row = kind.lookUp(world, namespace, withNeutralAliasAccessor(fields))
        return row === undefined ? empty : read(kind, world, row)
      },
    }),
  ]
}
