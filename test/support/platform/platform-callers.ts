import type { World } from '../../../state/kernel/worlds/world.ts'
import { addToken } from '../../../state/platform/accounts/tokens.ts'
import { addUser } from '../../../state/platform/accounts/users.ts'
import { ownersTeam, teamNamed } from '../../../state/platform/organizations/teams.ts'

/** Bearer tokens that a fresh world lacks, by caller. */
export const extraTokens = {
  ownersTeam: 'owners-team-token',
  developersTeam: 'developers-team-token',
  organization: 'organization-token',
  /** Token of a user without an organization. */
  outsider: 'stranger-token',
  expired: 'expired-token',
} as const

/**
 * Adds the tokens of `extraTokens`, with their users, to a fresh world
 * (behaviour/platform#authentication).
 */
export function addCallers(world: World): void {
  const organization = 'example-org'
  const team = (name: string) => teamNamed(world, organization, name)?.id ?? ''
  world.write(() => {
    const service = (username: string) => addUser(world, { username, service_account: true }).id
    addToken(world, {
      kind: 'team',
      owner: team(ownersTeam),
      user: service('owners-service'),
      text: extraTokens.ownersTeam,
    })
    addToken(world, {
      kind: 'team',
      owner: team('developers'),
      user: service('developers-service'),
      text: extraTokens.developersTeam,
    })
    addToken(world, {
      kind: 'organization',
      owner: organization,
      user: service('organization-service'),
      text: extraTokens.organization,
    })
    const outsider = addUser(world, { username: 'stranger' }).id
    const owned = { kind: 'user', owner: outsider, user: outsider } as const
    addToken(world, { ...owned, text: extraTokens.outsider })
    const admin = addUser(world, { username: 'gone', site_admin: true }).id
    addToken(world, {
      kind: 'user',
      owner: admin,
      user: admin,
      text: extraTokens.expired,
      expired_at: world.clock.now(),
    })
  })
}
