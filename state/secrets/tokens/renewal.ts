import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { tokenExpireJob } from '../leases/leases.ts'
import { currentLoginFields, rejoinExternalGroups } from '../logins/renewal-settings.ts'
import { grantTtl, limitsAt } from './lifetime.ts'
import { refuse } from './messages.ts'
import { tokenRoles } from './roles.ts'
import { findToken, isLeased, type Token, tokens } from './rows.ts'

interface RenewedToken {
  readonly token: Token
  readonly warnings: readonly Message[]
}

/**
 * Renews a token by `increment` seconds. An increment of 0 stands for the TTL that was granted
 * last. Renewals of a periodic token always grant its period. Maxima count from the creation of the
 * token (behaviour/secrets#tokens). A token of a role follows the current period and explicit
 * maximum of the role, regardless of the request that created the token. A token of a login follows
 * the current settings of its login method. Also reschedules the expiry and restores the
 * memberships in external groups.
 *
 * @throws Refusal `invalid`: `missing token ID`, `token not found`, `batch tokens cannot be
 *   renewed`, `lease is not renewable`, or `invalid lease ID` (for root tokens without expiry that
 *   no other token created). Also throws a refusal if the role of the token was deleted, and the
 *   refusals of the token's login method.
 */
export function renewToken(world: World, id: string, increment: number): RenewedToken {
  if (id === '') throw refuse('missing-token-id')
  const token = findToken(world, id)
  // As in the reference, a request that consumes the last use of a token cannot renew that token.
  if (token === undefined || token.num_uses < 0) throw refuse('token-not-found')
  if (token.type === 'batch') throw refuse('batch-token-not-renewable')
  if (!isLeased(token)) throw refuse('token-without-lease')
  if (token.expire_time === null || !token.renewable) throw refuse('lease-not-renewable')
  const now = world.clock.now()
  const { ttl, warnings } = grantTtl(
    limitsAt(world, token.namespace, token.path),
    { increment, issued: token.creation_time, ...boundsOf(world, token) },
    now,
  )
  const renewed: Token = { ...token, ttl, expire_time: now + ttl * 1000, last_renewal: now }
  world.write(() => {
    world.table(tokens).put(id, renewed)
    rejoinExternalGroups(world, token)
    world.agenda.schedule({ at: now + ttl * 1000, job: tokenExpireJob, id })
  })
  return { token: renewed, warnings }
}

function boundsOf(world: World, token: Token) {
  const { ttl, max_ttl: maxTtl, explicit_max_ttl: explicitMaxTtl } = token
  if (token.role === '') {
    const currentFields = currentLoginFields(world, token)
    if (currentFields === undefined) return { ttl, maxTtl, explicitMaxTtl, period: token.period }
    const { token_ttl, token_max_ttl, token_period } = currentFields
    return { ttl: token_ttl, maxTtl: token_max_ttl, explicitMaxTtl, period: token_period }
  }
  const role = world.table(tokenRoles).get(`${token.namespace}/${token.role}`)
  if (role === undefined) throw refuse('token-role-gone', { role: token.role })
  return { ttl, maxTtl, explicitMaxTtl: role.explicit_max_ttl, period: role.period }
}
