import type { World } from '../../kernel/world.ts'
import { findAppRole } from '../approle/roles.ts'
import { type Mount, mountOf } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import type { Token } from '../tokens/rows.ts'
import { refuse } from './texts.ts'
import type { TokenFields } from './token-fields.ts'

/** How each method finds what a token's role says today; methods whose tokens stay are not here. */
const methods: Readonly<
  Record<string, (world: World, mount: Mount, token: Token) => TokenFields | undefined>
> = {
  approle: (world, mount, { meta }) => findAppRole(world, mount, meta?.['role_name'] ?? ''),
}

/**
 * Returns what the role behind a login's token says now (behaviour/secrets#login-token): renewals
 * follow it. Undefined for tokens of no such login.
 *
 * @throws invalid where the role is gone.
 */
export function loginFieldsNow(world: World, token: Token): TokenFields | undefined {
  const mount = mountOf(world, { ...rootNamespace, id: token.namespace }, token.path)
  const find = mount === undefined ? undefined : methods[mount.type]
  if (mount === undefined || find === undefined) return undefined
  const fields = find(world, mount, token)
  if (fields === undefined)
    throw refuse('login-role-gone', { role: token.meta?.['role_name'] ?? '' })
  return fields
}
