import { int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import { lockedUsers, unlockUser } from '../../../state/secrets/logins/lockout.ts'
import { namespacesBelow, rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { data, empty } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'

const spec = 'behaviour/secrets#lockout'

/** Who is locked out, by namespace and login method; where nobody is, nothing is told. */
function lockedData(world: World): object {
  const locked = lockedUsers(world)
  const by_namespace = [rootNamespace, ...namespacesBelow(world, rootNamespace)].flatMap(
    ({ id, path }) => {
      const here = locked.filter(({ namespace }) => namespace === id)
      const accessors = [...new Set(here.map(({ mount_accessor }) => mount_accessor))].sort()
      const mount_accessors = accessors.map((mount_accessor) => {
        const rows = here.filter((row) => row.mount_accessor === mount_accessor)
        const alias_identifiers = rows.map(({ alias }) => alias).sort()
        return { mount_accessor, counts: rows.length, alias_identifiers }
      })
      if (here.length === 0) return []
      return [{ namespace_id: id, namespace_path: path, counts: here.length, mount_accessors }]
    },
  )
  return { by_namespace, total: locked.length }
}

/** Users who sent bad credentials too often. */
export const lockedUserOperations = [
  operation({
    id: 'listLockedUsers',
    verb: 'read',
    path: 'locked-users',
    summary: 'Tells who is locked out after bad credentials.',
    spec,
    reply: {
      200: envelopeOf(
        struct({
          by_namespace: list(
            struct({
              namespace_id: text,
              namespace_path: text,
              counts: int,
              mount_accessors: list(
                struct({ mount_accessor: text, counts: int, alias_identifiers: list(text) }),
              ),
            }),
          ),
          total: int,
        }),
      ),
    },
    run: ({ world }) => data(lockedData(world)),
  }),
  operation({
    id: 'unlockUser',
    verb: 'write',
    path: 'locked-users/:mount_accessor/unlock/:alias_identifier',
    summary: 'Lets somebody log in again.',
    spec,
    access: 'sudo',
    reply: { 204: null },
    body: {},
    run({ world, params }) {
      unlockUser(world, params.mount_accessor, params.alias_identifier)
      return empty
    },
  }),
]
