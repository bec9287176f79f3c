import type { InParts } from '../kernel/parts.ts'
import { bool, list, map, name, text, word } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { inputMembers } from '../kernel/shape/schema.ts'
import type { InputOf } from '../kernel/shape/values.ts'
import { type LoadPart, loadUntilRefused } from '../kernel/worlds/document-loading.ts'
import type { World } from '../kernel/worlds/world.ts'
import { ensureOrganizationUser, ensureTeamUser } from './accounts/service-users.ts'
import { type ApiToken, addToken, apiTokens } from './accounts/tokens.ts'
import { addUser, type User, userNamed } from './accounts/users.ts'
import {
  loadConnection,
  loadMembership,
  loadNotification,
  loadPolicy,
  loadPolicySet,
  loadTask,
} from './fixtures/integrations.ts'
import {
  fixtureCaller,
  loadAgentPool,
  loadPoolScope,
  loadProject,
  loadSshKey,
  loadVariableSet,
} from './fixtures/organization-objects.ts'
import { type Pointer, withPointer } from './fixtures/pointers.ts'
import { loadGpgKey, loadProvider, loadProviderVersion } from './fixtures/providers.ts'
import { workspaceMembers } from './fixtures/shapes.ts'
import { loadWorkspace, loadWorkspaceReferences } from './fixtures/workspaces.ts'
import { refuse } from './messages.ts'
import { moduleNamed, newModule, putModule } from './modules/modules.ts'
import { testConfigAfter } from './modules/test-config.ts'
import { newModuleVersion } from './modules/versions.ts'
import { isBlank, isModuleName, isPlainName, isProviderName, isVersion } from './names.ts'
import { syncNoCodeModule } from './no-code/no-code-modules.ts'
import { archivePieces, putContent } from './objects.ts'
import { type Organization, organizations, putOrganization } from './organizations/organizations.ts'
import { teamRights } from './organizations/team-changes.ts'
import { addTeam, ownersTeam, putTeam, type Team, teamNamed } from './organizations/teams.ts'
import { addRunOutcomeRule, runOutcomeRuleShape } from './runs/outcome-rules.ts'
import { createVariable } from './variables/variables.ts'
import { Violations } from './violations.ts'

const userFixture = struct({
  username: name,
  email: optional(name),
  siteAdmin: optional(bool),
  tokens: optional(described(list(name), 'Fixed bearer tokens')),
})

const teamFixture = struct({
  name,
  members: optional(described(list(name), 'Usernames')),
  visibility: optional(word('secret', 'organization')),
  rights: optional(described(list(word(...teamRights)), 'Rights of the team')),
  token: optional(described(name, 'Bearer token of the team')),
})

const variableFixture = struct({
  key: text,
  value: optional(text),
  description: optional(text),
  sensitive: optional(bool),
})

const moduleFixture = struct({
  name,
  provider: name,
  versions: optional(
    described(list(name), 'Published versions; `1.0.0` if left out, pending if empty'),
  ),
  testConfig: optional(
    struct({
      testsEnabled: optional(bool),
      agentExecutionMode: optional(word('remote', 'agent')),
      agentPoolId: optional(name),
    }),
  ),
  variables: optional(list(variableFixture)),
  files: optional(described(map(text), 'Files of the published versions, by path')),
  noCode: optional(described(bool, 'Whether the module is a no-code module')),
})

const organizationFixture = struct({
  name,
  email: optional(name),
  costEstimation: optional(bool),
  token: optional(described(name, 'Bearer token of the organization')),
  teams: optional(list(teamFixture)),
  modules: optional(list(moduleFixture)),
  ...workspaceMembers,
})

const fixturesShape = struct({
  users: optional(described(list(userFixture), 'Users by name, with their tokens')),
  organizations: optional(
    described(
      list(organizationFixture),
      'Organizations with teams, private modules and the variables of their tests',
    ),
  ),
  outcomes: optional(
    described(list(runOutcomeRuleShape), 'Outcomes of runs; the first matching rule applies'),
  ),
})

export type UserFixture = InputOf<typeof userFixture>

export type TeamFixture = InputOf<typeof teamFixture>

/** An environment variable for the test runs of a module, in the short form of fixtures. */
export type VariableFixture = InputOf<typeof variableFixture>

export type ModuleFixture = InputOf<typeof moduleFixture>

export type OrganizationFixture = InputOf<typeof organizationFixture>

/**
 * Platform part of a fixtures document in short form (behaviour/platform#seeds). Loading adds the
 * objects of the document to the start state. If a user, organization, team or module already
 * exists, loading changes the attributes that the document contains, and adds team members, rights
 * and module versions. A module without `versions` gets the version 1.0.0.
 */
export type PlatformFixtures = InputOf<typeof fixturesShape>

/**
 * JSON Schemas of the members of `PlatformFixtures`. A document must match the schemas before it is
 * loaded.
 */
export const platformFixtures = inputMembers(fixturesShape)

/**
 * Loads fixtures in short form. Yields after each user and, inside an organization, after most
 * objects, so that a large document does not block other work. A mistake that the schema cannot
 * detect is refused with its JSON pointer.
 */
export function* loadPlatformFixtures(
  world: World,
  fixtures: PlatformFixtures,
  part: LoadPart = loadUntilRefused,
): InParts<void> {
  for (const [index, user] of (fixtures.users ?? []).entries()) {
    part(() => withPointer(['users', index], () => loadUser(world, user)))
    yield
  }
  for (const [index, organization] of (fixtures.organizations ?? []).entries()) {
    const pointer = ['organizations', index]
    const loadedOrganization = part(() =>
      withPointer(pointer, () => loadOrganization(world, organization)),
    )
    if (loadedOrganization === undefined) continue
    for (const [number, team] of withOwnersTeam(world, organization).entries()) {
      part(() =>
        withPointer([...pointer, 'teams', number], () =>
          loadTeam(world, loadedOrganization.name, team),
        ),
      )
    }
    for (const [number, module] of (organization.modules ?? []).entries()) {
      part(() =>
        withPointer([...pointer, 'modules', number], () =>
          loadModule(world, loadedOrganization.name, module),
        ),
      )
    }
    yield* loadWorkspaceMembers(world, loadedOrganization, organization, (location, load) =>
      part(() => withPointer([...pointer, ...location], load)),
    )
  }
  for (const rule of fixtures.outcomes ?? []) part(() => addRunOutcomeRule(world, rule))
}

/**
 * Loads the projects, workspaces and other objects of an organization, each after the objects that
 * it depends on. Yields after each object except providers and their versions, so that other
 * requests are served.
 */
function* loadWorkspaceMembers(
  world: World,
  organization: Organization,
  fixture: OrganizationFixture,
  part: (location: Pointer, load: () => void) => void,
): InParts<void> {
  const { name } = organization
  const { projects, agentPools, sshKeys, workspaces, variableSets } = fixture
  const caller = () => fixtureCaller(world, organization)
  function* loadEach<Each>(
    member: string,
    list: readonly Each[] = [],
    load: (each: Each) => void,
  ): InParts<void> {
    for (const [number, each] of list.entries()) {
      part([member, number], () => load(each))
      yield
    }
  }
  yield* loadEach('projects', projects, (each) => loadProject(world, name, each))
  yield* loadEach('agentPools', agentPools, (each) => loadAgentPool(world, name, each))
  yield* loadEach('sshKeys', sshKeys, (each) => loadSshKey(world, name, each))
  yield* loadEach('connections', fixture.connections, (each) => loadConnection(world, name, each))
  yield* loadEach('memberships', fixture.memberships, (each) =>
    loadMembership(world, caller(), name, each),
  )
  yield* loadEach('workspaces', workspaces, (each) => loadWorkspace(world, caller(), name, each))
  yield* loadEach('agentPools', agentPools, (each) => loadPoolScope(world, name, each))
  yield* loadEach('variableSets', variableSets, (each) =>
    loadVariableSet(world, caller(), name, each),
  )
  yield* loadEach('tasks', fixture.tasks, (each) => loadTask(world, name, each))
  yield* loadEach('policies', fixture.policies, (each) => loadPolicy(world, name, each))
  yield* loadEach('policySets', fixture.policySets, (each) => loadPolicySet(world, name, each))
  yield* loadEach('gpgKeys', fixture.gpgKeys, (each) => loadGpgKey(world, name, each))
  for (const [number, provider] of (fixture.providers ?? []).entries()) {
    part(['providers', number], () => loadProvider(world, name, provider))
    for (const [index, version] of (provider.versions ?? []).entries()) {
      part(['providers', number, 'versions', index], () =>
        loadProviderVersion(world, name, provider, version),
      )
    }
  }
  const { notificationConfigurations: notifications } = fixture
  yield* loadEach('notificationConfigurations', notifications, (each) =>
    loadNotification(world, name, each),
  )
  yield* loadEach('workspaces', workspaces, (each) =>
    loadWorkspaceReferences(world, caller(), name, each),
  )
}

function loadUser(world: World, { username, email, siteAdmin, tokens = [] }: UserFixture): void {
  const existing = userNamed(world, username)
  const attributes = {
    ...(email === undefined ? {} : { email }),
    ...(siteAdmin === undefined ? {} : { site_admin: siteAdmin }),
  }
  const user = addUser(world, { ...existing, username, ...attributes })
  for (const token of tokens) loadToken(world, token, { kind: 'user', owner: user.id, user })
}

function loadToken(
  world: World,
  bearer: string,
  { user, ...owner }: Pick<ApiToken, 'kind' | 'owner'> & { readonly user: User },
): void {
  if (world.table(apiTokens).has(bearer)) throw refuse('fixture-token-in-use', { token: bearer })
  addToken(world, { ...owner, user: user.id, text: bearer })
}

function loadOrganization(world: World, fixture: OrganizationFixture): Organization {
  if (!isPlainName(fixture.name)) throw refuse('fixture-name-wrong', { attribute: 'Name' })
  const { costEstimation, email } = fixture
  const organization = putOrganization(world, {
    email: `owner@${fixture.name}.example.com`,
    ...world.table(organizations).get(fixture.name),
    name: fixture.name,
    ...(email === undefined ? {} : { email }),
    ...(costEstimation === undefined ? {} : { cost_estimation_enabled: costEstimation }),
  })
  if (fixture.token !== undefined) {
    const user = ensureOrganizationUser(world, organization)
    loadToken(world, fixture.token, { kind: 'organization', owner: organization.name, user })
  }
  return organization
}

/**
 * Returns the teams of an organization in the document. If neither the document nor the world has
 * an owners team, adds an owners team with the start state's user `owner` as its member. The added
 * team has no members if that user does not exist.
 */
function withOwnersTeam(world: World, { name: organization, teams = [] }: OrganizationFixture) {
  const hasOwners =
    teamNamed(world, organization, ownersTeam) !== undefined ||
    teams.some((team) => team.name === ownersTeam)
  const defaultOwner = userNamed(world, 'owner') === undefined ? [] : ['owner']
  return hasOwners ? teams : [...teams, { name: ownersTeam, members: defaultOwner }]
}

function loadTeam(world: World, organization: string, fixture: TeamFixture): void {
  if (isBlank(fixture.name)) throw refuse('fixture-name-wrong', { attribute: 'Name' })
  const existing = teamNamed(world, organization, fixture.name)
  const before: Team = existing ?? addTeam(world, { organization, name: fixture.name })
  const memberIds = (fixture.members ?? []).map((username) => {
    const user = userNamed(world, username)
    if (user === undefined) throw refuse('user-unknown', { name: username })
    return user.id
  })
  const rights = Object.fromEntries((fixture.rights ?? []).map((right) => [right, true]))
  const team = putTeam(world, {
    ...before,
    members: [...new Set([...before.members, ...memberIds])],
    visibility: fixture.visibility ?? before.visibility,
    organization_access: { ...before.organization_access, ...rights },
  })
  if (fixture.token !== undefined) {
    loadToken(world, fixture.token, {
      kind: 'team',
      owner: team.id,
      user: ensureTeamUser(world, team),
    })
  }
}

function loadModule(world: World, organization: string, fixture: ModuleFixture): void {
  const { name, provider, versions = ['1.0.0'], testConfig, variables = [] } = fixture
  if (!isModuleName(name)) throw refuse('fixture-name-wrong', { attribute: 'Name' })
  if (!isProviderName(provider)) throw refuse('fixture-name-wrong', { attribute: 'Provider' })
  const moduleName = {
    organization,
    registry_name: 'private',
    namespace: organization,
    name,
    provider,
  } as const
  const before = moduleNamed(world, moduleName) ?? newModule(world, moduleName)
  const existingVersions = before.versions.map(({ version }) => version)
  const published = [...new Set(versions)]
    .filter((version) => !existingVersions.includes(version))
    .map((version) => {
      if (!isVersion(version)) throw refuse('fixture-name-wrong', { attribute: 'Version' })
      return newModuleVersion(world, version, { status: 'ok', source: 'published' })
    })
  const violations = new Violations()
  const test_config = testConfigAfter(
    world,
    before.test_config,
    testConfig && {
      ...(testConfig.testsEnabled === undefined ? {} : { tests_enabled: testConfig.testsEnabled }),
      agent_execution_mode: testConfig.agentExecutionMode ?? null,
      ...(testConfig.agentPoolId === undefined ? {} : { agent_pool_id: testConfig.agentPoolId }),
    },
    violations,
  )
  const { first: violation } = violations
  if (violation !== undefined) {
    throw refuse('fixture-attribute-wrong', { attribute: violation.attribute, problem: violation })
  }
  const all = [...before.versions, ...published]
  const status = all.some((version) => version.status === 'ok') ? 'setup_complete' : 'pending'
  const { files, noCode: no_code = before.no_code } = fixture
  const module = putModule(world, { ...before, versions: all, status, test_config, no_code })
  syncNoCodeModule(world, module)
  for (const { id } of published) {
    if (files !== undefined) putContent(world, id, archivePieces(files))
  }
  for (const variable of variables) {
    createVariable(world, module.id, { ...variable, category: 'env' })
  }
}
