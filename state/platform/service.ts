import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { addToken, apiTokens } from './accounts/tokens.ts'
import { addUser, users } from './accounts/users.ts'
import { agentPools } from './agents/agent-pools.ts'
import { agents, agentTransition } from './agents/agents.ts'
import { assessments } from './assessments/assessments.ts'
import { provisionModule } from './auto-provision.ts'
import { versionJobs } from './configuration-versions/configuration-version-machine.ts'
import { configurationVersions } from './configuration-versions/configuration-versions.ts'
import { versionTransition } from './configuration-versions/transitions.ts'
import { sentRequests } from './deliveries/sent-requests.ts'
import { loadPlatformFixtures, platformFixtures } from './fixtures.ts'
import { modules } from './modules/modules.ts'
import { oauthClients } from './modules/oauth-clients.ts'
import { moduleUploads } from './modules/versions.ts'
import { noCodeModules } from './no-code/no-code-modules.ts'
import { notificationConfigurations } from './notifications/configurations.ts'
import { reminderJobs } from './notifications/workspace-messages.ts'
import { contents, objects } from './objects.ts'
import { optionsOf, platformOptions } from './options.ts'
import { membershipTransition } from './organizations/membership-changes.ts'
import { memberships } from './organizations/memberships.ts'
import { organizations, putOrganization } from './organizations/organizations.ts'
import { addTeam, ownersTeam, teams } from './organizations/teams.ts'
import { policyEvaluations } from './policies/evaluations.ts'
import { policies } from './policies/policies.ts'
import { policyChecks } from './policies/policy-checks.ts'
import { policySets } from './policies/policy-sets.ts'
import { policySetVersions } from './policies/set-versions.ts'
import { policyCheckTransition } from './policies/transitions.ts'
import { projects } from './projects/projects.ts'
import { gpgKeys } from './providers/gpg-keys.ts'
import { registryProviders } from './providers/providers.ts'
import { rateLimitEnforcement } from './rate-limit.ts'
import { taskResultJobs } from './run-tasks/stage-moves.ts'
import { taskResults, taskStages } from './run-tasks/stages.ts'
import { runTasks, workspaceTasks } from './run-tasks/tasks.ts'
import { taskResultTransition } from './run-tasks/transitions.ts'
import { runTriggers } from './run-triggers/run-triggers.ts'
import { runTriggerJobs } from './run-triggers/triggered-runs.ts'
import { costEstimates } from './runs/cost-estimates.ts'
import { runJobs } from './runs/moves.ts'
import { runOutcomeRules } from './runs/outcome-rules.ts'
import { runPlans } from './runs/planning.ts'
import { currentRuns } from './runs/queue.ts'
import { workspaceReadmes } from './runs/readmes.ts'
import { runComments, runEvents } from './runs/run-events.ts'
import { rescheduleRuns } from './runs/run-schedule.ts'
import { appliedBlocks } from './runs/run-state.ts'
import { runs } from './runs/runs.ts'
import { runTransition } from './runs/transitions.ts'
import { outbox, outboxNumber } from './settings/outbox.ts'
import { adminSettings } from './settings/settings.ts'
import { toolVersions } from './settings/tool-versions.ts'
import { sshKeys } from './ssh-keys/ssh-keys.ts'
import { managedResources } from './states/managed-resources.ts'
import { stateVersionJobs } from './states/state-machine.ts'
import { stateContents, stateOutputs, stateVersions } from './states/state-versions.ts'
import { stateVersionTransition } from './states/transitions.ts'
import { organizationTags } from './tags/organization-tags.ts'
import { teamAccess } from './team-access/team-access.ts'
import { testRuns } from './test-runs/test-runs.ts'
import { testRunJobs } from './test-runs/timing.ts'
import { testRunTransition } from './test-runs/transitions.ts'
import { variableSets } from './variable-sets/variable-sets.ts'
import { variables } from './variables/variables.ts'
import { vcsEvents } from './vcs/vcs-events.ts'
import { workspaces } from './workspaces/workspaces.ts'

/** Names of the organization and module in a fresh world (behaviour/program#fresh-world). */
const seedNames = {
  organization: 'example-org',
  module: { namespace: 'example-org', name: 'network', provider: 'cloud1' },
} as const

/**
 * Creates the start state: an organization with two teams and a published module, and three users
 * with their tokens.
 */
function seedPlatform(world: World): void {
  const { siteAdminToken, ownerToken, memberToken } = optionsOf(world)
  const { organization, module } = seedNames
  const admin = addUser(world, { username: 'site-admin', site_admin: true })
  const owner = addUser(world, { username: 'owner' })
  const member = addUser(world, { username: 'member' })
  for (const [text, { id }] of [
    [siteAdminToken, admin],
    [ownerToken, owner],
    [memberToken, member],
  ] as const) {
    addToken(world, { kind: 'user', owner: id, user: id, text })
  }
  putOrganization(world, { name: organization, email: 'owner@example.com' })
  addTeam(world, { organization, name: ownersTeam, members: [owner.id] })
  addTeam(world, { organization, name: 'developers', members: [member.id] })
  provisionModule(world, { organization, registry_name: 'private', ...module })
}

/** The mock of Terraform Enterprise as a service of a world. */
export const platformService = {
  name: 'platform',
  tables: [
    users,
    organizations,
    memberships,
    projects,
    workspaces,
    organizationTags,
    sshKeys,
    teams,
    teamAccess,
    agentPools,
    agents,
    runTasks,
    workspaceTasks,
    taskStages,
    taskResults,
    apiTokens,
    oauthClients,
    modules,
    moduleUploads,
    noCodeModules,
    adminSettings,
    rateLimitEnforcement,
    variables,
    variableSets,
    configurationVersions,
    stateVersions,
    stateContents,
    stateOutputs,
    managedResources,
    objects,
    contents,
    testRuns,
    runs,
    currentRuns,
    runEvents,
    runComments,
    runPlans,
    runOutcomeRules,
    appliedBlocks,
    runTriggers,
    gpgKeys,
    registryProviders,
    toolVersions,
    policies,
    policySets,
    policySetVersions,
    notificationConfigurations,
    policyChecks,
    assessments,
    workspaceReadmes,
    policyEvaluations,
    costEstimates,
    outbox,
    sentRequests,
    vcsEvents,
    outboxNumber,
  ],
  retiredTables: [
    'usernames',
    'team-names',
    'token-texts',
    'token-owners',
    'oauth-client-keys',
    'module-keys',
    'variable-keys',
    'configuration-version-keys',
    'uploaded-versions',
    'test-run-keys',
    'open-test-runs',
  ],
  options: platformOptions,
  fixtures: platformFixtures,
  jobs: {
    ...testRunJobs,
    ...versionJobs,
    ...stateVersionJobs,
    ...runJobs,
    ...runTriggerJobs,
    ...taskResultJobs,
    ...reminderJobs,
  },
  transitions: [
    testRunTransition,
    versionTransition,
    stateVersionTransition,
    runTransition,
    taskResultTransition,
    membershipTransition,
    policyCheckTransition,
    agentTransition,
  ],
  seed: seedPlatform,
  load: loadPlatformFixtures,
  reschedule: rescheduleRuns,
  info: platformInfo,
} as const satisfies ServiceDefinition

/** The platform's part of `/_mock/info` (behaviour/program#fresh-world). */
export interface PlatformInfo {
  readonly organization: string
  readonly module: { readonly namespace: string; readonly name: string; readonly provider: string }
  readonly tokens: {
    readonly siteAdmin: string
    readonly owner: string
    readonly member: string
  }
}

/** Returns the names and tokens of the start state. */
function platformInfo(world: World): PlatformInfo {
  const { siteAdminToken: siteAdmin, ownerToken: owner, memberToken: member } = optionsOf(world)
  return { ...seedNames, tokens: { siteAdmin, owner, member } }
}
