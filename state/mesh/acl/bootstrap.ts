import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { initialSecret, optionsOf } from '../options.ts'
import { globalManagementId } from './builtin-policies.ts'
import { anonymousId } from './callers.ts'
import { isUuid } from './ids.ts'
import { refuse } from './messages.ts'
import { addBuiltinPolicies } from './policies.ts'
import type { AclToken } from './tables.ts'
import { aclStatusOf, updateAclStatus } from './tables.ts'
import { addToken, checkNewId } from './tokens.ts'

/**
 * Creates the first management token. Throws a refusal if the bootstrap has already happened. Also
 * throws a refusal if the secret is not a UUID, is in use or is reserved
 * (behaviour/mesh#acl-endpoints).
 *
 * @param secret SecretID of the token; generated if empty
 */
export function bootstrapAcls(world: World, secret = ''): AclToken {
  const { bootstrap_index } = aclStatusOf(world)
  if (bootstrap_index !== null) throw refuse('bootstrap-over', { index: bootstrap_index })
  if (secret !== '' && !isUuid(secret)) throw refuse('bootstrap-secret-no-uuid')
  checkNewId(world, 'SecretID', secret)
  return world.write(() => {
    updateAclStatus(world, { bootstrap_index: nextIndex(world) })
    return addToken(world, {
      ...(secret === '' ? {} : { secret_id: secret }),
      ...management,
      description: 'Bootstrap Token (Global Management)',
    })
  })
}

const management = { namespace: defaultNamespace, policies: [globalManagementId] }

/**
 * Creates the ACL objects of a new world (behaviour/program#fresh-world;
 * behaviour/mesh#acl-switches): the builtin policies, the anonymous token and, if the options have
 * one, the management token. Records the bootstrap unless the options leave it to clients.
 */
export function seedAcls(world: World): void {
  const { bootstrap } = optionsOf(world)
  addBuiltinPolicies(world, defaultNamespace)
  addToken(world, {
    accessor_id: anonymousId,
    secret_id: 'anonymous',
    description: 'Anonymous Token',
    namespace: defaultNamespace,
  })
  const secret_id = initialSecret(world)
  if (secret_id !== '') {
    addToken(world, { secret_id, ...management, description: 'Initial Management Token' })
  }
  updateAclStatus(world, { bootstrap_index: bootstrap === 'done' ? nextIndex(world) : null })
}
