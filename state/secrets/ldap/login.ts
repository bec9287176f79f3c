import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import { withLockout } from '../logins/lockout.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { ldapConfig } from './config.ts'
import { refuse } from './messages.ts'
import { bindFailure, findPerson } from './people.ts'

interface LdapLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  readonly username: string
  readonly password: string
}

/**
 * Logs in a user of the simulated directory by password. Returns the login and warnings for the
 * reply (behaviour/secrets#ldap).
 *
 * @throws Refusal for wrong credentials, which count towards the lockout; for any credentials while
 * the user is locked out; for an empty password if `deny_null_bind` is set; and if the directory
 * fails
 */
export function ldapLogin(
  world: World,
  { namespace, mount, username, password }: LdapLogin,
): { readonly grant: LoginGrant; readonly warnings: readonly Message[] } {
  return withLockout(world, mount, username, 'ldap-bind-failed', () => {
    const config = ldapConfig(world, mount)
    const person = findPerson(world, mount, username)
    if (password === '' && config.deny_null_bind) throw refuse('ldap-password-empty')
    if (person.password !== password) throw bindFailure('password')
    const grant = grantLogin(world, {
      namespace,
      mount,
      path: `login/${username}`,
      alias: config.username_as_alias ? username : person.name,
      name: username,
      metadata: { username },
      aliasMetadata: { name: username },
      groups: person.groups,
      fields: { ...config, token_policies: [...person.policies] },
    })
    return { grant, warnings: person.warnings }
  })
}
