import type { Message } from '../../state/kernel/message.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { oldNameValues } from '../../state/secrets/logins/old-names.ts'
import type { TokenFields } from '../../state/secrets/logins/token-fields.ts'
import type { Mount, NamedRows, WithWal } from '../../state/secrets/mounts/mounts.ts'
import type { ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import type { SecretsDialect } from './dialect/dialect.ts'
import { dialectDataOutcome, emptyWithWarnings, keysOutcome } from './envelope/outcome.ts'
import { keyInfoEnvelope, keysEnvelope, warningEnvelope } from './envelope/schemas.ts'
import type { FieldSchemas, FieldValues } from './fields/fields.ts'
import { operationsOf, type SecretsOperation } from './operation.ts'

/** Members of a declaration that override the defaults. */
type OperationOverrides = Partial<
  Pick<SecretsOperation, 'spec' | 'summary' | 'failures' | 'secrets' | 'reply'>
>

/** A kind of role or user that mounts store, with the parameters that declare its operations. */
interface RoleResource<R extends WithWal, F extends FieldSchemas> {
  /** Prefix of the operation ids: `approle`. */
  readonly method: string
  /** Name of the resource in operation ids. Default: `Role`. */
  readonly resource?: string
  /** Name of the resource in summaries. Default: `resource` in lower case. */
  readonly noun?: string
  /** Path of one role, whose only parameter is the name. Default: `role/:name`. */
  readonly path?: string
  readonly spec: string
  readonly fields: F
  /** Shape of the reply to reading a role. */
  readonly envelope: ShapeOrSchema
  readonly rows: NamedRows<R>
  /** Returns the data of a role for replies. */
  view(row: R, dialect: SecretsDialect): object
  /**
   * Returns the description of a role for the member `key_info` of a list reply. If this function
   * is not declared, a list contains only names.
   */
  info?(row: R): object
  /** Creates or changes a role and returns the warnings. */
  write?(world: World, mount: Mount, name: string, change: FieldValues<F>): readonly Message[]
  /**
   * Creates or changes a role; used instead of `write` if there are no warnings. If both functions
   * are missing, the engine declares the write operation itself.
   */
  apply?(world: World, mount: Mount, name: string, change: FieldValues<F>): void
  /** Deletes a role. Default: only the row of the role is deleted. */
  remove?(world: World, mount: Mount, name: string): void
  readonly listOverrides?: OperationOverrides
  readonly readOverrides?: OperationOverrides
  readonly writeOverrides?: OperationOverrides
  readonly deleteOverrides?: OperationOverrides
}

/** Declares the operations that list, read, write and delete the roles of a mount by name. */
export function roleOperations<R extends WithWal, const F extends FieldSchemas>(
  roles: RoleResource<R, F>,
): readonly SecretsOperation[] {
  const { method, resource = 'Role', path = 'role/:name', spec, fields, envelope, rows } = roles
  const { info, write, apply } = roles
  const noun = roles.noun ?? resource.toLowerCase()
  const operation = operationsOf({ spec })
  return [
    operation.list(`${method}List${resource}s`, path.slice(0, path.lastIndexOf('/')), {
      summary: `List the names of the ${noun}s.`,
      reply: { 200: info === undefined ? keysEnvelope : keyInfoEnvelope },
      run({ world, mount }) {
        const names = rows.names(world, mount)
        if (info === undefined) return keysOutcome(names)
        const infoEntries = names.map((name) => [name, info(rows.read(world, mount, name))])
        return keysOutcome(names, { key_info: Object.fromEntries(infoEntries) })
      },
      ...roles.listOverrides,
    }),
    operation.read(`${method}Read${resource}`, path, {
      summary: `Read a ${noun}.`,
      reply: { 200: envelope },
      run({ world, mount, params }) {
        const row = rows.read(world, mount, nameParameter(params))
        return dialectDataOutcome((dialect) => roles.view(row, dialect))
      },
      ...roles.readOverrides,
    }),
    ...(write === undefined && apply === undefined
      ? []
      : [
          operation.write(`${method}Write${resource}`, path, {
            summary: `Create or change a ${noun}.`,
            exists: ({ world, mount, params }) =>
              rows.find(world, mount, nameParameter(params)) !== undefined,
            body: fields,
            reply: { 200: warningEnvelope, 204: null },
            run({ world, mount, params, fields }) {
              const name = nameParameter(params)
              apply?.(world, mount, name, fields)
              return emptyWithWarnings(write?.(world, mount, name, fields) ?? [])
            },
            ...roles.writeOverrides,
          }),
        ]),
    operation.delete(`${method}Delete${resource}`, path, {
      summary: `Delete a ${noun}.`,
      apply({ world, mount, params }) {
        const { remove = rows.remove.bind(rows) } = roles
        remove(world, mount, nameParameter(params))
      },
      ...roles.deleteOverrides,
    }),
  ]
}

/** Returns the value of the only parameter of a path. */
function nameParameter(params: Readonly<Record<string, string>>): string {
  const [name = ''] = Object.values(params)
  return name
}

/**
 * Returns the fields of a role for replies. A field that was set under an old name also appears
 * under that name.
 */
export function roleData<
  R extends TokenFields & WithWal & { readonly old_names: readonly string[] },
>(role: R): object {
  const { old_names, wal, ...view } = role
  return { ...view, ...oldNameValues(role, old_names) }
}
