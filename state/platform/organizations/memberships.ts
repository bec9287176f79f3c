import { instant, list, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type User, userNamed, users } from '../accounts/users.ts'
import { derivedId, newId } from '../ids.ts'
import { requireFound } from '../messages.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

/** Attributes of a membership, without the email address, which the API takes from the user. */
export const membershipAttributes = {
  /** `invited` until the user accepts the invitation. */
  status: word('invited', 'active'),
  created_at: instant,
}

const membershipShape = struct({
  ...membershipAttributes,
  /** Id of the form `ou-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** User id. */
  user: text,
  /** Ids of the teams that an invited user joins when accepting the invitation. */
  teams: list(text),
})

/** A user's invited or active membership in an organization (behaviour/platform#memberships). */
export interface Membership extends StoredOf<typeof membershipShape> {}

/** Memberships by `<organization>/<number>`, numbered in creation order. */
export const memberships = platformTable('organization-memberships', membershipShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byUser: ({ user, organization }) => `${user}/${organization}`,
  },
})

/**
 * Functions of `ownedRows` for the memberships of an organization. Lists are in creation order.
 * `dropMembership` does not remove the user from teams. `moveMemberships` moves the memberships of
 * an organization that is renamed.
 */
export const {
  of: membershipsOf,
  withId: membershipWithId,
  put: putMembership,
  drop: dropMembership,
  dropAll: dropMemberships,
  move: moveMemberships,
} = ownedRows(memberships, 'organization')

/** Returns the memberships of a user, sorted by organization name. */
export function membershipsOfUser(world: World, user: string): Membership[] {
  return Array.from(world.table(memberships).index('byUser').rows(`${user}/`))
}

export function membershipOf(
  world: World,
  organization: string,
  user: string,
): Membership | undefined {
  return world.table(memberships).index('byUser').get(`${user}/${organization}`)
}

/** Returns the user of a membership. Throws 404 if the user does not exist. */
export function userOf(world: World, { user }: Pick<Membership, 'user'>): User {
  return requireFound(world.table(users).get(user))
}

/**
 * Makes users active members of an organization: adds missing memberships and activates invited
 * memberships. An invited user without a username gets a username from the email address. Does not
 * add users to the teams of their invitations. Must run inside a transaction.
 */
export function activateMembers(world: World, organization: string, ids: readonly string[]): void {
  for (const user of ids) {
    const before = membershipOf(world, organization, user)
    if (before === undefined) {
      const derivedMembershipId = derivedId('ou', organization, user)
      const isTaken = membershipWithId(world, derivedMembershipId) !== undefined
      const id = isTaken ? newId(world, 'ou') : derivedMembershipId
      const created_at = world.clock.now()
      putMembership(world, { id, organization, user, status: 'active', created_at, teams: [] })
    } else if (before.status === 'invited') {
      assignUsername(world, userOf(world, before))
      putMembership(world, { ...before, status: 'active' })
    }
  }
}

/**
 * Sets the username of a user who has no username: the local part of the email address, with a
 * number if another user has that name.
 */
function assignUsername(world: World, user: User): void {
  if (user.username !== '') return
  const [wanted = ''] = user.email.split('@')
  let username = wanted
  for (let number = 2; userNamed(world, username) !== undefined; number++) {
    username = `${wanted}-${number}`
  }
  world.table(users).put(user.id, { ...user, username })
}

/** Removes a deleted team from all invitations. Must run inside a transaction. */
export function dropTeamFromMemberships(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): void {
  for (const membership of membershipsOf(world, organization)) {
    if (!membership.teams.includes(id)) continue
    const teams = membership.teams.filter((each) => each !== id)
    putMembership(world, { ...membership, teams })
  }
}
