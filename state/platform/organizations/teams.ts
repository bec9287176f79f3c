import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId } from '../ids.ts'

/** A team of an organization. */
export interface Team {
  /** `team-…` */
  readonly id: string
  /** The organization's name. */
  readonly organization: string
  readonly name: string
  /** Ids of users. */
  readonly members: readonly string[]
  readonly visibility: 'secret' | 'organization'
  /** Rights that are set beside those of the owners, by name. */
  readonly organization_access: Readonly<Record<string, boolean>>
  readonly sso_team_id: string | null
}

/** By id. */
export const teams = defineTable<Team>({
  service: 'platform',
  name: 'teams',
  schema: {
    type: 'object',
    required: [
      'id',
      'organization',
      'name',
      'members',
      'visibility',
      'organization_access',
      'sso_team_id',
    ],
    additionalProperties: false,
    properties: {
      id: { type: 'string' },
      organization: { type: 'string' },
      name: { type: 'string' },
      members: { type: 'array', items: { type: 'string' } },
      visibility: { enum: ['secret', 'organization'] },
      organization_access: { type: 'object', additionalProperties: { type: 'boolean' } },
      sso_team_id: { type: ['string', 'null'] },
    },
  },
})

/** By `<organization>/<name>`: the id. */
export const teamNames = defineTable<{ readonly id: string }>({
  service: 'platform',
  name: 'team-names',
  schema: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'string' } },
  },
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
    ...team,
  }
  world.table(teams).put(added.id, added)
  world.table(teamNames).put(`${added.organization}/${added.name}`, { id: added.id })
  return added
}

/** The team of a name in an organization, if there is one. */
export function teamNamed(world: World, organization: string, name: string): Team | undefined {
  const entry = world.table(teamNames).get(`${organization}/${name}`)
  return entry === undefined ? undefined : world.table(teams).get(entry.id)
}

/** The teams of an organization in order of name. */
export function teamsOf(world: World, organization: string): Team[] {
  const ids = Array.from(world.table(teamNames).rows(`${organization}/`))
  return ids.flatMap(({ id }) => world.table(teams).get(id) ?? [])
}

/** Puts another state of a team; part of a transaction. */
export function putTeam(world: World, before: Team, team: Team): Team {
  world.table(teamNames).delete(`${before.organization}/${before.name}`)
  world.table(teamNames).put(`${team.organization}/${team.name}`, { id: team.id })
  world.table(teams).put(team.id, team)
  return team
}

/** Takes a team away; part of a transaction. Its tokens are taken away apart. */
export function dropTeam(world: World, team: Team): void {
  world.table(teamNames).delete(`${team.organization}/${team.name}`)
  world.table(teams).delete(team.id)
}
