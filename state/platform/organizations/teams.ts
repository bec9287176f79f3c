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
export const teams = defineTable<Team>()({
  service: 'platform',
  name: 'teams',
  indexes: { byName: ({ organization, name }) => `${organization}/${name}` },
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
