import { bool, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'

/** Renders what a team tells of itself, by the attributes' names. */
export const teamAttributes = {
  name: text,
  sso_team_id: nullable(text),
  visibility: word('secret', 'organization'),
  /** Whether members may manage the team's tokens; missing in old documents, which is yes. */
  allow_member_token_management: optional(bool),
}

const teamShape = struct({
  ...teamAttributes,
  /** `team-…` */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Ids of users. */
  members: list(text),
  /** Rights that are set beside those of the owners, by name. */
  organization_access: map(bool),
})

/** A team of an organization. */
export interface Team extends StoredOf<typeof teamShape> {}

/** By id. Under `byName` they stand by `<organization>/<name>`. */
export const teams = defineTable({
  service: 'platform',
  name: 'teams',
  shape: teamShape,
  indexes: { byName: ({ organization, name }) => `${organization}/${name}` },
})

/** The team whose members may do everything in their organization. */
export const ownersTeam = 'owners'

/** Adds a team under a free name; part of a transaction. */
export function addTeam(
  world: World,
  team: Pick<Team, 'organization' | 'name'> & Partial<Team>,
): Team {
  const added: Team = {
    id: newId(world, 'team'),
    members: [],
    visibility: 'secret',
    organization_access: {},
    sso_team_id: null,
    allow_member_token_management: true,
    ...team,
  }
  world.table(teams).put(added.id, added)
  return added
}

/** The team of a name in an organization, if there is one. */
export function teamNamed(world: World, organization: string, name: string): Team | undefined {
  return world.table(teams).index('byName').get(`${organization}/${name}`)
}

/** The teams of an organization in order of name. */
export function teamsOf(world: World, organization: string): Team[] {
  return Array.from(world.table(teams).index('byName').rows(`${organization}/`))
}

/** Puts another state of a team; part of a transaction. */
export function putTeam(world: World, team: Team): Team {
  world.table(teams).put(team.id, team)
  return team
}

/** Takes a team away; part of a transaction. Its tokens are taken away apart. */
export function dropTeam(world: World, team: Team): void {
  world.table(teams).delete(team.id)
}
