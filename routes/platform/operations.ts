import { tokenOperations } from './accounts/tokens.ts'
import { userOperations } from './accounts/users.ts'
import { settingsActions } from './admin/actions.ts'
import { adminOrganizationOperations } from './admin/organizations.ts'
import { settingsOperations } from './admin/settings.ts'
import { toolVersionOperations } from './admin/tool-versions.ts'
import { adminUserOperations } from './admin/users.ts'
import { adminWorkspaceOperations } from './admin/workspaces.ts'
import { agentPoolOperations } from './agents/agent-pools.ts'
import { agentOperations } from './agents/agents.ts'
import { assessmentOperations } from './assessments/assessments.ts'
import { registryModuleOperations } from './modules/modules.ts'
import { oauthClientOperations } from './modules/oauth-clients.ts'
import { oauthTokenOperations } from './modules/oauth-tokens.ts'
import { variableOperations } from './modules/variables.ts'
import { noCodeModuleOperations } from './no-code/no-code-modules.ts'
import { noCodeWorkspaceOperations } from './no-code/no-code-workspaces.ts'
import { notificationOperations } from './notifications/notifications.ts'
import { operationsOn, type PlatformOperation } from './operation.ts'
import { featureSetOperations } from './organizations/feature-sets.ts'
import { membershipOperations } from './organizations/memberships.ts'
import { organizationOperations } from './organizations/organizations.ts'
import { teamOperations } from './organizations/teams.ts'
import { policyEvaluationOperations } from './policies/evaluations.ts'
import { policySetParameterOperations } from './policies/parameters.ts'
import { policyOperations } from './policies/policies.ts'
import { policyCheckOperations } from './policies/policy-checks.ts'
import { policySetOperations } from './policies/policy-sets.ts'
import { projectOperations } from './projects/projects.ts'
import { gpgKeyOperations, privateRegistryPrefix } from './providers/gpg-keys.ts'
import { providerOperations } from './providers/providers.ts'
import { taskStageOperations } from './run-tasks/stages.ts'
import { runTaskOperations } from './run-tasks/tasks.ts'
import { runTriggerOperations } from './run-triggers/run-triggers.ts'
import { costEstimateOperations } from './runs/cost-estimates.ts'
import { planOperations } from './runs/plans.ts'
import { runEventOperations } from './runs/run-events.ts'
import { runListOperations } from './runs/run-lists.ts'
import { runOperations } from './runs/runs.ts'
import { sshKeyOperations } from './ssh-keys/ssh-keys.ts'
import { stateOutputOperations } from './states/state-outputs.ts'
import { stateVersionOperations } from './states/state-versions.ts'
import { teamAccessOperations } from './team-access/team-access.ts'
import { configurationVersionOperations } from './test-runs/configuration-versions.ts'
import { testRunOperations } from './test-runs/test-runs.ts'
import { variableSetOperations } from './variable-sets/variable-sets.ts'
import { variableSetVariableOperations } from './variable-sets/variables.ts'
import { deprecatedVariableOperations } from './variables/deprecated-variables.ts'
import { workspaceVariableOperations } from './variables/workspace-variables.ts'
import { vcsEventOperations } from './vcs/vcs-events.ts'
import { consumerOperations } from './workspaces/consumers.ts'
import { lockOperations } from './workspaces/locks.ts'
import { organizationTagOperations } from './workspaces/organization-tags.ts'
import { workspaceResourceOperations } from './workspaces/resources.ts'
import { tagBindingOperations } from './workspaces/tag-bindings.ts'
import { workspaceTagOperations } from './workspaces/tags.ts'
import { workspaceOperations } from './workspaces/workspaces.ts'

/** Path prefix of everything except the object store and the registries. */
export const apiPrefix = '/api/v2'

const operation = operationsOn('anyone', () => undefined, 'behaviour/platform#ping')

/** Operation that clients use to detect the API by its response headers. */
const pingOperations = [
  operation('GET', '/ping', {
    id: 'ping',
    summary: 'Reply that the API exists.',
    run: () => undefined,
  }),
]

/** Operations below `apiPrefix`. */
export const platformOperations: readonly PlatformOperation[] = [
  ...pingOperations,
  ...variableOperations,
  ...testRunOperations,
  ...configurationVersionOperations,
  ...settingsOperations,
  ...settingsActions,
  ...adminOrganizationOperations,
  ...adminUserOperations,
  ...adminWorkspaceOperations,
  ...toolVersionOperations,
  ...featureSetOperations,
  ...userOperations,
  ...tokenOperations,
  ...organizationOperations,
  ...projectOperations,
  ...workspaceOperations,
  ...lockOperations,
  ...consumerOperations,
  ...workspaceResourceOperations,
  ...stateVersionOperations,
  ...stateOutputOperations,
  ...runOperations,
  ...runListOperations,
  ...runEventOperations,
  ...planOperations,
  ...runTriggerOperations,
  ...providerOperations,
  ...policyOperations,
  ...policySetOperations,
  ...policySetParameterOperations,
  ...policyCheckOperations,
  ...assessmentOperations,
  ...policyEvaluationOperations,
  ...costEstimateOperations,
  ...sshKeyOperations,
  ...workspaceVariableOperations,
  ...deprecatedVariableOperations,
  ...variableSetOperations,
  ...variableSetVariableOperations,
  ...workspaceTagOperations,
  ...tagBindingOperations,
  ...organizationTagOperations,
  ...teamOperations,
  ...membershipOperations,
  ...teamAccessOperations,
  ...agentPoolOperations,
  ...agentOperations,
  ...notificationOperations,
  ...runTaskOperations,
  ...taskStageOperations,
  ...oauthClientOperations,
  ...oauthTokenOperations,
  ...vcsEventOperations,
  ...registryModuleOperations,
  ...noCodeModuleOperations,
  ...noCodeWorkspaceOperations,
]

/** All operations of the platform API, by the prefix of their paths. */
export const operationsByPrefix: readonly {
  readonly prefix: string
  readonly operations: readonly PlatformOperation[]
}[] = [
  { prefix: apiPrefix, operations: platformOperations },
  { prefix: privateRegistryPrefix, operations: gpgKeyOperations },
]

export function operationsWithPaths(): PlatformOperation[] {
  return operationsByPrefix.flatMap(({ prefix, operations }) =>
    operations.map((each) => ({ ...each, path: prefix + each.path })),
  )
}
