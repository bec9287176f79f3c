import { createHash } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { list, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'
import { applyChangeUnderBothNames, type DeprecatedFieldsChange } from '../logins/old-names.ts'
import {
  defaultTokenFields,
  type TokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, MountRow, NamedRows, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'

/**
 * Details of refusals that the reference reports as internal errors. Unlike in `callerErrorDetail`,
 * the text is not formatted as an item of a list.
 */
const internalError = { internalInReference: true }

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', { 'github-organization-missing': 'organization is a required parameter' }),
  ...callerErrorRefusals({
    'github-organization-unknown':
      'unable to fetch the organization_id, you must manually set it in the config: GET {base}orgs/{name}: 404 Not Found []',
  }),
  ...refusals(
    'invalid',
    {
      'github-not-configured': 'configuration has not been set',
      'github-token-refused': 'GET {base}user: 401 Bad credentials []',
      'github-unreachable': 'Get "{base}user": dial tcp: {why}',
      'github-not-member': 'user is not part of required org',
    },
    internalError,
  ),
  'github-organization-renamed': {
    text: 'the organization name has changed to {name}. It is recommended to verify and update the organization name in the config: organization_id={id}',
  },
})

/**
 * Configuration of a GitHub login method: the organization whose members may log in, and the
 * settings of their tokens (behaviour/secrets#github).
 */
const githubConfigShape = struct({
  organization: text,
  organization_id: uint,
  /** URL of GitHub's API with a trailing slash; empty for `https://api.github.com/`. */
  base_url: text,
  ...tokenFields,
  /** Old names of token fields under which reads also return the field's value. */
  old_names: list(text),
  ...walField,
})
interface GithubConfig extends StoredOf<typeof githubConfigShape> {}

/** Configurations by `<mount uuid>/`. */
export const githubConfigTable = secretsTable('github-configs', githubConfigShape, {
  secrets: 'none',
})

export const githubConfigs = new MountRow<GithubConfig>(githubConfigTable, () =>
  refuse('nothing-here'),
)

/**
 * Policies of a team or a user. `key` is the name of the team or user; `value` has the policies,
 * separated by commas.
 */
const mappingShape = struct({ key: text, value: text, ...walField })
export interface GithubMapping extends StoredOf<typeof mappingShape> {}

/** Policies of teams, by mount and name in lower case. */
export const githubTeamTable = secretsTable('github-teams', mappingShape, { secrets: 'none' })

/** Policies of users, by mount and name in lower case. */
export const githubUserTable = secretsTable('github-users', mappingShape, { secrets: 'none' })

const absentRefusal = () => refuse('nothing-here')

export const githubTeams = new NamedRows<GithubMapping>(githubTeamTable, absentRefusal)
export const githubUsers = new NamedRows<GithubMapping>(githubUserTable, absentRefusal)

/** A change of the configuration; members that are left out keep their values. */
type GithubConfigChange = TokenFieldsChange &
  DeprecatedFieldsChange &
  Partial<Pick<GithubConfig, 'organization' | 'organization_id' | 'base_url'>>

/**
 * Changes the configuration.
 *
 * @throws Refusal `invalid` in each of these cases: no organization is set; neither the
 *   configuration nor the world's directory defines the organization's id; a token field is invalid
 */
export function writeGithubConfig(world: World, mount: Mount, change: GithubConfigChange): void {
  const defaults = {
    organization: '',
    organization_id: 0,
    base_url: '',
    old_names: [],
    ...defaultTokenFields,
  }
  const before: GithubConfig = githubConfigs.find(world, mount) ?? defaults
  const organization = change.organization ?? before.organization
  if (organization === '') throw refuse('github-organization-missing')
  const baseUrl = change.base_url ?? before.base_url
  const base_url = baseUrl === '' || baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`
  const requestedId = change.organization_id ?? before.organization_id
  const organization_id = requestedId || organizationId(world, organization)
  if (organization_id === undefined) {
    throw refuse('github-organization-unknown', { base: baseOf(base_url), name: organization })
  }
  const { tokens, oldNamesInUse } = applyChangeUnderBothNames(before, before.old_names, change)
  githubConfigs.put(world, mount, {
    organization,
    organization_id,
    base_url,
    ...tokens,
    old_names: oldNamesInUse,
  })
}

const baseOf = (baseUrl: string) => baseUrl || 'https://api.github.com/'

function organizationId(world: World, name: string): number | undefined {
  const { organizations = {} } = optionsOf(world).directory.github ?? {}
  const found = Object.entries(organizations).find(
    ([each]) => each.toLowerCase() === name.toLowerCase(),
  )
  return found?.[1].id
}

/**
 * Returns the id of an organization in the world's directory. For other organizations, derives an
 * id from the name, so that fixtures and users can name organizations that the directory does not
 * list (choice/secrets#fixture-assumed-objects).
 */
export function assumedOrganizationId(world: World, name: string): number {
  const digest = () => createHash('sha256').update(name.toLowerCase()).digest()
  return organizationId(world, name) ?? 1 + (digest().readUInt32BE() >>> 1)
}

/** A user of the directory, with the data for a login. */
interface GithubPerson {
  readonly name: string
  readonly organization: string
  readonly fields: TokenFields
  readonly teams: readonly string[]
  readonly warnings: readonly Message[]
}

/**
 * Returns the user to whom a personal access token belongs.
 * @throws Refusal `invalid` if the method is not configured, GitHub is unreachable, the token is
 *   unknown, or the user does not belong to the organization, in the order of
 *   behaviour/secrets#github
 */
export function githubPerson(world: World, mount: Mount, token: string): GithubPerson {
  const config = githubConfigs.find(world, mount)
  if (config === undefined) throw refuse('github-not-configured')
  const { directory, directoryFault } = optionsOf(world)
  const base = baseOf(config.base_url)
  if (directoryFault === 'unreachable' || directoryFault === 'slow') {
    const why = directoryFault === 'slow' ? 'i/o timeout' : 'connect: connection refused'
    throw refuse('github-unreachable', { base, why })
  }
  const { users = {} } = directory.github ?? {}
  const user =
    directoryFault !== 'refused' && Object.hasOwn(users, token) ? users[token] : undefined
  if (user === undefined) throw refuse('github-token-refused', { base })
  const { login: name, organizations = [], teams = {} } = user
  const organization = organizations.find(
    (each) => assumedOrganizationId(world, each) === config.organization_id,
  )
  if (organization === undefined) throw refuse('github-not-member')
  const teamNames = teams[organization] ?? []
  const slugs = teamNames.map((team) => team.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))
  const groups = [...new Set([...teamNames, ...slugs])]
  const granted = [
    githubUsers.find(world, mount, name),
    ...groups.map((team) => githubTeams.find(world, mount, team)),
  ].flatMap((row) => row?.value.split(',') ?? [])
  const token_policies = [...config.token_policies, ...granted]
  const renamedOrganization = { name: quoteGo(organization), id: config.organization_id }
  const isRenamed = organization !== config.organization
  return {
    name,
    organization,
    fields: { ...config, token_policies },
    teams: groups,
    warnings: isRenamed ? [message('github-organization-renamed', renamedOrganization)] : [],
  }
}

/**
 * Returns the token fields that the user of a token would get by logging in now. Throws a refusal
 * if the directory is unreachable or the user could not log in.
 */
export function githubFieldsOf(world: World, mount: Mount, token: Token): TokenFields {
  const { users = {} } = optionsOf(world).directory.github ?? {}
  const secret = Object.entries(users).find(([, { login }]) => login === token.meta?.['username'])
  return githubPerson(world, mount, secret?.[0] ?? '').fields
}
