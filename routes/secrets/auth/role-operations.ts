import type { Said } from '../../../state/kernel/wording.ts'
import type { World } from '../../../state/kernel/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import type { Described } from '../../http/described.ts'
import { data, done, empty, keys } from '../envelope/outcome.ts'
import { keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import type { FieldSchemas, FieldValues } from '../fields/fields.ts'
import { operation, type SecretsOperation } from '../operation.ts'

/** The roles of a login method: what their operations differ in. */
interface Roles<F extends FieldSchemas> {
  /** What the ids of the operations begin with. */
  readonly method: string
  readonly spec: string
  /** What a write takes. */
  readonly fields: F
  /** The reply of reading one. */
  readonly envelope: Described
  names(world: World, mount: Mount): readonly string[]
  has(world: World, mount: Mount, name: string): boolean
  /** One as it is read; refuses where there is none. */
  read(world: World, mount: Mount, name: string): object
  /** Makes or changes one; what there is to warn of. */
  write(world: World, mount: Mount, name: string, change: FieldValues<F>): readonly Said[]
  remove(world: World, mount: Mount, name: string): void
}

/** Lists, reads, writes and deletes the roles of a login method by name. */
export function roleOperations<const F extends FieldSchemas>(
  roles: Roles<F>,
): readonly SecretsOperation[] {
  const { method, spec, fields, envelope } = roles
  return [
    operation({
      id: `${method}ListRoles`,
      verb: 'list',
      path: 'role',
      summary: 'Lists the names of the roles.',
      spec,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keys(roles.names(world, mount)),
    }),
    operation({
      id: `${method}ReadRole`,
      verb: 'read',
      path: 'role/:name',
      summary: 'Reads a role.',
      spec,
      reply: { 200: envelope },
      run: ({ world, mount, params }) => data(roles.read(world, mount, params.name)),
    }),
    operation({
      id: `${method}WriteRole`,
      verb: 'write',
      path: 'role/:name',
      summary: 'Makes or changes a role.',
      spec,
      exists: ({ world, mount, params }) => roles.has(world, mount, params.name),
      body: fields,
      reply: { 200: warningEnvelope, 204: null },
      run: ({ world, mount, params, fields }) =>
        done(roles.write(world, mount, params.name, fields)),
    }),
    operation({
      id: `${method}DeleteRole`,
      verb: 'delete',
      path: 'role/:name',
      summary: 'Deletes a role.',
      spec,
      reply: { 204: null },
      run({ world, mount, params }) {
        roles.remove(world, mount, params.name)
        return empty
      },
    }),
  ]
}
