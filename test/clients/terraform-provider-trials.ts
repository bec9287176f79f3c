import { idOf, type StateFile } from './terraform-resource-trials.ts'

/** Resources with secrets that no reply contains, so that an import writes them again. */
const secretive = [
  'tfe_notification_configuration.hook',
  'tfe_organization_run_task.scan',
  'tfe_project_notification_configuration.hook',
]

/** Returns the resources to import, with the ids that the provider's documentation asks for. */
function importIds(state: StateFile): Readonly<Record<string, string>> {
  const id = (address: string) => idOf(state, address)
  return {
    'tfe_agent_pool.open': id('tfe_agent_pool.open'),
    'tfe_agent_pool_allowed_workspaces.pool': id('tfe_agent_pool.pool'),
    'tfe_notification_configuration.hook': id('tfe_notification_configuration.hook'),
    'tfe_organization.wide': 'wide',
    'tfe_organization_membership.member': id('tfe_organization_membership.member'),
    'tfe_organization_run_task.scan': 'wide/scan',
    'tfe_organization_run_task_global_settings.scan': 'wide/scan',
    'tfe_policy.sentinel': `wide/${id('tfe_policy.sentinel')}`,
    'tfe_policy_set.sentinel': id('tfe_policy_set.sentinel'),
    'tfe_policy_set_parameter.limit': `${id('tfe_policy_set.sentinel')}/${id('tfe_policy_set_parameter.limit')}`,
    'tfe_project.apps': id('tfe_project.apps'),
    'tfe_project_notification_configuration.hook': id(
      'tfe_project_notification_configuration.hook',
    ),
    'tfe_project_settings.apps': id('tfe_project.apps'),
    'tfe_registry_gpg_key.signer': `wide/${id('tfe_registry_gpg_key.signer')}`,
    'tfe_registry_provider.private': 'wide/private/wide/cloud',
    'tfe_run_trigger.network': id('tfe_run_trigger.network'),
    'tfe_team.developers': `wide/${id('tfe_team.developers')}`,
    'tfe_team_access.fixed': `wide/app/${id('tfe_team_access.fixed')}`,
    'tfe_team_notification_configuration.developers': id(
      'tfe_team_notification_configuration.developers',
    ),
    'tfe_team_project_access.fixed': id('tfe_team_project_access.fixed'),
    'tfe_terraform_version.one': id('tfe_terraform_version.one'),
    'tfe_variable.plain': `wide/app/${id('tfe_variable.plain')}`,
    'tfe_variable.shared': `wide/${id('tfe_variable_set.shared')}/${id('tfe_variable.shared')}`,
    'tfe_variable_set.shared': id('tfe_variable_set.shared'),
    'tfe_workspace.app': id('tfe_workspace.app'),
    'tfe_workspace_run_task.scan': 'wide/app/scan',
    'tfe_workspace_settings.app': id('tfe_workspace.app'),
    'tfe_workspace_variable_set.shared': 'wide/network/shared',
  }
}

/** Settings of the trials of the platform's provider. */
export const platformConfiguration = {
  folder: 'provider',
  resources: 65,
  changes: /2\d/,
  importIds,
  changedByImport: secretive,
}
