import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import { withLockout } from '../logins/lockout.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { isInNetworks } from '../tokens/addresses.ts'
import { refuse } from './messages.ts'
import { type AppRole, appRoleOfId } from './roles.ts'
import { consumeSecretId, findSecretId } from './secret-ids.ts'

interface AppRoleLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  readonly roleId: string
  readonly secretId: string
  /** IP address of the client. */
  readonly address: string
}

/**
 * Logs in a machine with a role id and a secret id (behaviour/secrets#approle-login). Throws a
 * refusal if a credential is missing or wrong, if the role id is locked after failed logins, or if
 * the client's address is not allowed. A use of the secret id is counted as soon as the secret id
 * is found, even if a later check fails.
 */
export function approleLogin(world: World, login: AppRoleLogin): LoginGrant {
  const { mount } = login
  const roleId = login.roleId.trim()
  if (roleId === '') throw refuse('approle-role-id-missing')
  const role = appRoleOfId(world, mount, roleId)
  if (role === undefined) throw refuse('approle-credentials-wrong')
  return withLockout(world, mount, role.role_id, 'approle-credentials-wrong', () =>
    loginOfRole(world, login, role),
  )
}

function loginOfRole(world: World, login: AppRoleLogin, role: AppRole): LoginGrant {
  const { namespace, mount, address } = login
  const consumedSecretId = role.bind_secret_id ? redeemSecretId(world, login, role) : undefined
  const networks = role.secret_id_bound_cidrs ?? []
  if (networks.length > 0 && !isInNetworks(networks, address)) {
    throw refuse('approle-role-network', { address: JSON.stringify(address) }).commitWrites()
  }
  const secretIdNetworks = consumedSecretId?.token_bound_cidrs ?? []
  return commitWritesOnRefusal(() =>
    grantLogin(world, {
      namespace,
      mount,
      path: 'login',
      alias: role.role_id,
      name: '',
      metadata: { ...consumedSecretId?.metadata, role_name: role.name },
      fields: role,
      ...(secretIdNetworks.length > 0 && { boundCidrs: secretIdNetworks }),
    }),
  )
}

/** Runs `work` and commits its writes even if it throws a refusal. */
function commitWritesOnRefusal<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Refusal ? error.commitWrites() : error
  }
}

function redeemSecretId(world: World, { mount, address, ...login }: AppRoleLogin, role: AppRole) {
  const secretId = login.secretId.trim()
  if (secretId === '') throw refuse('approle-property-missing', { name: 'secret_id' })
  const found = findSecretId(world, mount, role.name, secretId)
  if (found === undefined) throw refuse('approle-credentials-wrong')
  const isAllowed = found.cidr_list.length === 0 || isInNetworks(found.cidr_list, address)
  consumeSecretId(world, mount, found)
  if (isAllowed) return found
  const rule =
    found.secret_id_num_uses === 0 ? 'approle-secret-id-network' : 'approle-counted-id-network'
  throw refuse(rule, { address: JSON.stringify(address) }).commitWrites()
}
