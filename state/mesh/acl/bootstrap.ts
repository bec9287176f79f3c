import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { globalManagementId } from './authorization.ts'
import { anonymousId } from './callers.ts'
import { factsOf, note } from './facts.ts'
import { addGlobalManagement } from './policies.ts'
import type { AclToken } from './tables.ts'
import { refuse } from './texts.ts'
import { addToken, checkNewId } from './tokens.ts'

/**
 * Makes the first management token; works once (3a-mesh-decisions.md section 5, Endpoints).
 *
 * @param secret the SecretID to give it; empty for one that is made up
 */
export function bootstrapAcls(world: World, secret = ''): AclToken {
  const { bootstrap_index } = factsOf(world)
  if (bootstrap_index !== null) throw refuse('bootstrap-over', { index: bootstrap_index })
  checkNewId(world, 'SecretID', secret)
  return world.write(() => {
    note(world, { bootstrap_index: nextIndex(world) })
    return addToken(world, {
      ...(secret === '' ? {} : { secret_id: secret }),
      ...management,
      description: 'Bootstrap Token (Global Management)',
    })
  })
}

const management = { namespace: defaultNamespace, policies: [globalManagementId] }

/**
 * The ACL part of the start state (DESIGN section 6): the builtin policy, the anonymous token and the
 * management token of the options.
 */
export function seedAcls(world: World): void {
  const { initialManagementToken, bootstrap } = optionsOf(world)
  addGlobalManagement(world, defaultNamespace)
  addToken(world, {
    accessor_id: anonymousId,
    secret_id: 'anonymous',
    description: 'Anonymous Token',
    namespace: defaultNamespace,
  })
  addToken(world, {
    secret_id: initialManagementToken,
    ...management,
    description: 'Initial Management Token',
  })
  note(world, { bootstrap_index: bootstrap === 'done' ? nextIndex(world) : null })
}
