import { int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type LoginFailures,
  lockedUsers,
  unlockUser,
} from '../../../state/secrets/logins/lockout.ts'
import { type Namespace, namespacesBelow } from '../../../state/secrets/namespaces/namespaces.ts'
import { dataOutcome, emptyOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#lockout' })

function sortByCountDescending<Counted extends { readonly counts: number }>(
  rows: readonly Counted[],
) {
  return rows.toSorted((a, b) => b.counts - a.counts)
}

/** Returns the number of locked users of a login method, and their names at the method. */
function countsOfMount(mount_accessor: string, rows: readonly LoginFailures[]) {
  const here = rows.filter((row) => row.mount_accessor === mount_accessor)
  const alias_identifiers = here.length === 0 ? null : here.map(({ alias }) => alias).sort()
  return { mount_accessor, counts: here.length, alias_identifiers }
}

/** Returns the number of locked users in a namespace, as a total and for each login method. */
function countsOfNamespace(
  { id, path }: Namespace,
  accessors: readonly string[],
  rows: readonly LoginFailures[],
) {
  const methods = accessors.map((accessor) => countsOfMount(accessor, rows))
  return {
    namespace_id: id,
    namespace_path: path,
    counts: methods.reduce((sum, { counts }) => sum + counts, 0),
    mount_accessors: sortByCountDescending(methods),
  }
}

/**
 * Returns the locked users of the login method with the given accessor. For an empty accessor,
 * returns those of the namespace and of the namespaces below it. The requested login method appears
 * even if it has no locked users. Other methods and namespaces appear only if they have locked
 * users.
 */
function lockedData(world: World, namespace: Namespace, accessor: string): object {
  const locked = lockedUsers(world)
  const rowsOf = ({ id }: Namespace) => locked.filter((row) => row.namespace === id)
  const by_namespace =
    accessor !== ''
      ? [countsOfNamespace(namespace, [accessor], rowsOf(namespace))]
      : [namespace, ...namespacesBelow(world, namespace)].flatMap((each) => {
          const rows = rowsOf(each)
          const accessors = [...new Set(rows.map(({ mount_accessor }) => mount_accessor))].sort()
          return rows.length === 0 ? [] : [countsOfNamespace(each, accessors, rows)]
        })
  const total = by_namespace.reduce((sum, { counts }) => sum + counts, 0)
  return { by_namespace: sortByCountDescending(by_namespace), total }
}

export const lockedUserOperations = [
  operation.read('listLockedUsers', 'locked-users', {
    summary: 'List the users who are locked out after failed logins.',
    query: {
      mount_accessor: textField('Accessor of a login method; only its users are returned'),
    },
    reply: enveloped({
      by_namespace: list(
        struct({
          namespace_id: text,
          namespace_path: text,
          counts: int,
          mount_accessors: list(
            struct({ mount_accessor: text, counts: int, alias_identifiers: nullable(list(text)) }),
          ),
        }),
      ),
      total: int,
    }),
    run: ({ world, namespace, fields }) =>
      dataOutcome(lockedData(world, namespace, fields.mount_accessor)),
  }),
  operation.write('unlockUser', 'locked-users/:mount_accessor/unlock/:alias_identifier', {
    summary: 'Unlock a user who is locked out.',
    access: 'sudo',
    body: {},
    run({ world, namespace, params }) {
      unlockUser(world, namespace, params.mount_accessor, params.alias_identifier)
      return emptyOutcome
    },
  }),
]
