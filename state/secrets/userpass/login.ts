import type { World } from '../../kernel/worlds/world.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import { withLockout } from '../logins/lockout.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { isInNetworks } from '../tokens/addresses.ts'
import { refuse } from './messages.ts'
import { userName, users } from './users.ts'

interface UserLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  readonly user: string
  readonly password: string
  /** IP address of the client. */
  readonly address: string
}

/**
 * Grants a login to a user by password. Repeated wrong passwords lock the user out
 * (behaviour/secrets#userpass).
 * @throws Refusal for a missing or wrong password, for an unknown or locked-out user, and for an
 *   address outside the user's networks; also throws the refusals of `grantLogin`
 */
export function userpassLogin(world: World, login: UserLogin): LoginGrant {
  const { namespace, mount, password, address } = login
  const username = userName(login.user)
  const user = users.find(world, mount, username)
  if (user === undefined) {
    throw refuse(password === '' ? 'userpass-password-unsent' : 'userpass-credentials-wrong')
  }
  return withLockout(world, mount, username, 'userpass-credentials-wrong', () => {
    if (password === '') throw refuse('userpass-password-unsent')
    if (user.password !== password) throw refuse('userpass-credentials-wrong')
    const networks = user.token_bound_cidrs
    if (networks.length > 0 && !isInNetworks(networks, address)) {
      throw refuse('token-refused').withDetails({ networks })
    }
    return grantLogin(world, {
      namespace,
      mount,
      // As in the product, the path of the token keeps the spelling of the request.
      path: `login/${login.user}`,
      alias: username,
      name: username,
      metadata: { username },
      aliasMetadata: null,
      fields: user,
    })
  })
}
