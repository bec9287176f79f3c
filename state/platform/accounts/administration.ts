import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { dropMembership, membershipsOfUser } from '../organizations/memberships.ts'
import { ownersTeam, putTeam, teams } from '../organizations/teams.ts'
import { dropTokens } from './token-changes.ts'
import { dropUser, type User, users } from './users.ts'

/**
 * Actions that a site admin can apply to a user. Each action maps to the members of the user that
 * the action sets.
 */
export const userActions = {
  suspend: { is_suspended: true },
  unsuspend: { is_suspended: false },
  grant_admin: { site_admin: true },
  revoke_admin: { site_admin: false },
  disable_two_factor: {},
} as const satisfies Readonly<Record<string, Partial<User>>>

/**
 * Applies an action of a site admin to a user, and stores and returns the changed user
 * (behaviour/platform#admin-users).
 */
export function actOnUser(world: World, user: User, action: keyof typeof userActions): User {
  const changed = { ...user, ...userActions[action] }
  world.write(() => world.table(users).put(user.id, changed))
  return changed
}

/**
 * Deletes a user with its tokens and its memberships in organizations and teams. Throws 422 if the
 * user is the last owner of an organization.
 */
export function deleteUser(world: World, user: User): void {
  for (const { name, members, organization } of world.table(teams).rows()) {
    const isLast = members.length === 1 && members[0] === user.id
    if (name === ownersTeam && isLast) throw refuse('last-owner-stays', { organization })
  }
  world.write(() => {
    for (const team of Array.from(world.table(teams).rows())) {
      if (!team.members.includes(user.id)) continue
      putTeam(world, { ...team, members: team.members.filter((id) => id !== user.id) })
    }
    for (const membership of membershipsOfUser(world, user.id)) dropMembership(world, membership)
    dropTokens(world, { kind: 'user', owner: user.id })
    dropUser(world, user)
  })
}
