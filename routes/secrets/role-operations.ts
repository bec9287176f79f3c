import type { Message } from '../../state/kernel/message.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { oldNameValues } from '../../state/secrets/logins/old-names.ts'
import type { TokenFields } from '../../state/secrets/logins/token-fields.ts'
import type { Mount } from '../../state/secrets/mounts/mounts.ts'
import type { NamedRows, WithWal } from '../../state/secrets/mounts/rows.ts'
import type { ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import type { SecretsDialect } from './dialect/dialect.ts'
import { dialectData, emptyWithWarnings, keys } from './envelope/outcome.ts'
import { keysEnvelope, warningEnvelope } from './envelope/schemas.ts'
import type { FieldSchemas, FieldValues } from './fields/fields.ts'
import { operation, type SecretsOperation } from './operation.ts'

/** The part in which an operation differs from its likes. */
type OperationOverrides = Partial<
  Pick<SecretsOperation, 'spec' | 'summary' | 'failures' | 'secrets' | 'reply'>
>

/** Roles, or users, of a mount: what their operations differ in. */
interface RoleResource<R extends WithWal, F extends FieldSchemas> {
  /** The beginning of the operations' ids. */
  readonly method: string
  /** `Role` unless given. */
  readonly resource?: string
  /** The path of one, with its name as the only parameter; `role/:name` unless given. */
  readonly path?: string
  readonly spec: string
  /** The fields of a write. */
  readonly fields: F
  /** The reply of reading one. */
  readonly envelope: ShapeOrSchema
  readonly rows: NamedRows<R>
  /** One as it is read. */
  view(row: R, dialect: SecretsDialect): object
  /** Makes or changes one; what there is to warn of. */
  write(world: World, mount: Mount, name: string, change: FieldValues<F>): readonly Message[]
  /** Deletes one where more goes with it. */
  remove?(world: World, mount: Mount, name: string): void
  readonly listOverrides?: OperationOverrides
  readonly writeOverrides?: OperationOverrides
  readonly deleteOverrides?: OperationOverrides
}

/** Lists, reads, writes and deletes the roles of a mount by name. */
export function roleOperations<R extends WithWal, const F extends FieldSchemas>(
  roles: RoleResource<R, F>,
): readonly SecretsOperation[] {
  const {
    method,
    resource: thing = 'Role',
    path = 'role/:name',
    spec,
    fields,
    envelope,
    rows,
  } = roles
  const one = thing.toLowerCase()
  return [
    operation({
      id: `${method}List${thing}s`,
      verb: 'list',
      path: path.slice(0, path.indexOf('/')),
      summary: `Lists the names of the ${one}s.`,
      spec,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keys(rows.names(world, mount)),
      ...roles.listOverrides,
    }),
    operation({
      id: `${method}Read${thing}`,
      verb: 'read',
      path,
      summary: `Reads a ${one}.`,
      spec,
      reply: { 200: envelope },
      run({ world, mount, params }) {
        const row = rows.read(world, mount, nameParameter(params))
        return dialectData((dialect) => roles.view(row, dialect))
      },
    }),
    operation({
      id: `${method}Write${thing}`,
      verb: 'write',
      path,
      summary: `Makes or changes a ${one}.`,
      spec,
      exists: ({ world, mount, params }) =>
        rows.find(world, mount, nameParameter(params)) !== undefined,
      body: fields,
      reply: { 200: warningEnvelope, 204: null },
      run: ({ world, mount, params, fields }) =>
        emptyWithWarnings(roles.write(world, mount, nameParameter(params), fields)),
      ...roles.writeOverrides,
    }),
    operation({
      id: `${method}Delete${thing}`,
      verb: 'delete',
      path,
      summary: `Deletes a ${one}.`,
      spec,
      apply({ world, mount, params }) {
        const { remove = rows.remove.bind(rows) } = roles
        remove(world, mount, nameParameter(params))
      },
      ...roles.deleteOverrides,
    }),
  ]
}

/** The only parameter of a path. */
function nameParameter(params: Readonly<Record<string, string>>): string {
  const [name = ''] = Object.values(params)
  return name
}

/** A role's token fields and the like as they are read; under old names what these have set. */
export function roleData<
  R extends TokenFields & WithWal & { readonly old_names: readonly string[] },
>(role: R): object {
  const { old_names, wal, ...told } = role
  return { ...told, ...oldNameValues(role, old_names) }
}
