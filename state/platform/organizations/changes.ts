import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, isSiteAdmin } from '../accounts/callers.ts'
import { dropServiceUsers } from '../accounts/service-users.ts'
import { dropTokens } from '../accounts/token-changes.ts'
import { addToken, removeToken, tokensOf } from '../accounts/tokens.ts'
import {
  agentPoolsOf,
  agentPoolWithId,
  dropAgentPools,
  moveAgentPools,
} from '../agents/agent-pools.ts'
import { dropAgents } from '../agents/agents.ts'
import { refuse } from '../messages.ts'
import { deleteModule } from '../modules/changes.ts'
import { moveDependentData } from '../modules/dependent-data.ts'
import { dropModule, modulesUnder, putModule } from '../modules/modules.ts'
import { dropOauthClients, moveOauthClients } from '../modules/oauth-clients.ts'
import { isBlank, isPlainName, type TextInput, updatedText } from '../names.ts'
import { noCodeRows } from '../no-code/no-code-modules.ts'
import { dropPolicies, movePolicies } from '../policies/policies.ts'
import { movePolicySets } from '../policies/policy-sets.ts'
import { dropPolicySets } from '../policies/set-changes.ts'
import { dropProjects, moveProjects } from '../projects/projects.ts'
import { dropProviders, moveProviders } from '../providers/providers.ts'
import { dropTasks, moveTasks } from '../run-tasks/tasks.ts'
import { settingsWithDefaults } from '../settings/settings.ts'
import { dropSshKeys, moveSshKeys } from '../ssh-keys/ssh-keys.ts'
import { dropAccessOfTeam } from '../team-access/team-access.ts'
import { dropVariableSets, moveVariableSets } from '../variable-sets/variable-sets.ts'
import { dropVcsEvents, moveVcsEvents } from '../vcs/vcs-events.ts'
import { Violations } from '../violations.ts'
import { dropWorkspaces, moveWorkspaces } from '../workspaces/changes.ts'
import { dropMemberships, moveMemberships } from './memberships.ts'
import {
  type Organization,
  type OrganizationSwitch,
  organizations,
  putOrganization,
  switchDefaults,
} from './organizations.ts'

import { addTeam, dropTeam, ownersTeam, putTeam, teamsOf } from './teams.ts'

/**
 * Attributes in a request that creates or changes an organization. A null `name` or `email` is
 * treated as blank.
 */
interface OrganizationInput
  extends Partial<Record<OrganizationSwitch, boolean>>,
    TextInput<
      | 'name'
      | 'email'
      | 'collaborator_auth_policy'
      | 'default_execution_mode'
      | 'owners_team_saml_role_id'
    > {
  /** Agent pool id. */
  readonly default_agent_pool?: string | null
  readonly cost_estimation_enabled?: boolean
  readonly session_timeout?: number
  readonly session_remember?: number
}

/**
 * Returns whether the caller may create organizations. Site admins always may. Other users may
 * create organizations only if the general setting `limit-user-organization-creation` is false.
 * Tokens of teams and organizations may not.
 */
export function mayCreateOrganizations(world: World, caller: Caller): boolean {
  if (isSiteAdmin(caller)) return true
  const limit = 'limit-user-organization-creation'
  return (
    caller.token.kind === 'user' &&
    settingsWithDefaults(world, 'general', { [limit]: true })[limit] === false
  )
}

/**
 * Creates an organization with the caller as owner. Throws 404 if the caller may not create
 * organizations, and 422 for invalid attributes.
 */
export function createOrganization(
  world: World,
  caller: Caller,
  input: OrganizationInput,
): Organization {
  if (!mayCreateOrganizations(world, caller)) throw refuse('not-found')
  const validatedOrganization = validate(world, input)
  return world.write(() => {
    const organization = putOrganization(world, validatedOrganization)
    const members = [caller.user.id]
    addTeam(world, { organization: organization.name, name: ownersTeam, members })
    return organization
  })
}

/**
 * Changes the given members of an organization. A new name is also set in all objects of the
 * organization. Throws 422 for invalid attributes.
 */
export function changeOrganization(
  world: World,
  before: Organization,
  input: OrganizationInput,
): Organization {
  const updatedOrganization = { ...before, ...validate(world, input, before) }
  return world.write(() => {
    if (updatedOrganization.name !== before.name)
      moveOrganizationData(world, before.name, updatedOrganization.name)
    world.table(organizations).put(updatedOrganization.name, updatedOrganization)
    return updatedOrganization
  })
}

/** Deletes an organization and all objects that belong to it. */
export function deleteOrganization(world: World, organization: Organization): void {
  const { name } = organization
  world.write(() => {
    for (const module of modulesUnder(world, name)) deleteModule(world, module)
    dropOauthClients(world, name)
    dropVcsEvents(world, name)
    dropWorkspaces(world, name)
    dropProjects(world, name)
    dropSshKeys(world, name)
    dropVariableSets(world, name)
    for (const { id } of agentPoolsOf(world, name)) {
      dropTokens(world, { kind: 'agent-pool', owner: id })
      dropAgents(world, id)
    }
    dropAgentPools(world, name)
    dropTasks(world, name)
    dropProviders(world, name)
    dropPolicySets(world, name)
    dropPolicies(world, name)
    const teams = teamsOf(world, name)
    for (const team of teams) {
      dropTokens(world, { kind: 'team', owner: team.id })
      dropAccessOfTeam(world, team.id)
      dropTeam(world, team)
    }
    dropMemberships(world, name)
    dropTokens(world, { kind: 'organization', owner: name })
    dropServiceUsers(world, organization, teams)
    world.table(organizations).delete(name)
  })
}

function moveOrganizationData(world: World, before: string, name: string): void {
  for (const module of modulesUnder(world, before)) {
    dropModule(world, module)
    moveDependentData(world, module.id, name)
    const isPrivate = module.registry_name === 'private'
    putModule(world, {
      ...module,
      organization: name,
      namespace: isPrivate ? name : module.namespace,
    })
  }
  moveMemberships(world, before, name)
  for (const team of teamsOf(world, before)) putTeam(world, { ...team, organization: name })
  for (const token of tokensOf(world, { kind: 'organization', owner: before })) {
    removeToken(world, token)
    addToken(world, { ...token, owner: name })
  }
  moveOauthClients(world, before, name)
  moveVcsEvents(world, before, name)
  noCodeRows.move(world, before, name)
  moveProjects(world, before, name)
  moveWorkspaces(world, before, name)
  moveSshKeys(world, before, name)
  moveVariableSets(world, before, name)
  moveAgentPools(world, before, name)
  moveTasks(world, before, name)
  moveProviders(world, before, name)
  movePolicySets(world, before, name)
  movePolicies(world, before, name)
  world.table(organizations).delete(before)
}

const switchNames = Object.keys(switchDefaults) as OrganizationSwitch[]
const authPolicies = ['password', 'two_factor_mandatory'] as const
const executionModes = ['remote', 'local', 'agent'] as const

type ValidatedOrganization = Omit<Organization, 'external_id' | 'created_at'>

function validate(
  world: World,
  input: OrganizationInput,
  before?: Organization,
): ValidatedOrganization {
  const violations = new Violations()

  const name = updatedText(input.name, before?.name)
  if (isBlank(name)) violations.add('name', 'blank')
  else if (!isPlainName(name)) violations.add('name', 'invalid')
  else if (name !== before?.name && world.table(organizations).has(name)) {
    violations.add('name', 'taken')
  }
  const email = updatedText(input.email, before?.email)
  if (isBlank(email)) violations.add('email', 'blank')

  const policy = input.collaborator_auth_policy ?? before?.collaborator_auth_policy ?? 'password'
  const collaborator_auth_policy = authPolicies.find((allowed) => allowed === policy)
  if (collaborator_auth_policy === undefined) {
    violations.add('collaborator-auth-policy', 'not-listed')
  }
  const mode = input.default_execution_mode ?? before?.default_execution_mode ?? 'remote'
  const default_execution_mode = executionModes.find((allowed) => allowed === mode)
  if (default_execution_mode === undefined) {
    violations.add('default-execution-mode', 'not-listed')
  }
  const keptPool = default_execution_mode === 'agent' ? before?.default_agent_pool : null
  const { default_agent_pool = keptPool ?? null } = input
  if (default_agent_pool !== null) {
    if (default_execution_mode !== 'agent') {
      violations.add('default-agent-pool', 'pool-without-agents')
    } else if (agentPoolWithId(world, default_agent_pool)?.organization !== before?.name) {
      violations.add('default-agent-pool', 'invalid')
    }
  }
  if (
    violations.hasAny ||
    collaborator_auth_policy === undefined ||
    default_execution_mode === undefined
  ) {
    throw violations.refusal()
  }
  return {
    name,
    email,
    cost_estimation_enabled:
      input.cost_estimation_enabled ?? before?.cost_estimation_enabled ?? false,
    session_timeout: input.session_timeout ?? before?.session_timeout ?? null,
    session_remember: input.session_remember ?? before?.session_remember ?? null,
    collaborator_auth_policy,
    default_execution_mode,
    default_agent_pool,
    owners_team_saml_role_id:
      input.owners_team_saml_role_id === undefined
        ? (before?.owners_team_saml_role_id ?? null)
        : input.owners_team_saml_role_id,
    ...switchesOf(input, before),
  }
}

type Switches = Readonly<Record<OrganizationSwitch, boolean>>

function switchesOf(input: OrganizationInput, before: Organization | undefined): Switches {
  const switches: Record<OrganizationSwitch, boolean> = { ...switchDefaults }
  for (const name of switchNames) switches[name] = input[name] ?? before?.[name] ?? switches[name]
  return switches
}
