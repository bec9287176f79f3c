import { match, strictEqual } from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TerraformSandbox } from './terraform-sandbox.ts'
import type { Trial } from './terraform-trials.ts'

/** Number of resources in the folder `terraform/provider`. */
const resources = 65

/** Resources with secrets that no reply contains, so that an import writes them again. */
const secretive = [
  'tfe_notification_configuration.hook',
  'tfe_organization_run_task.scan',
  'tfe_project_notification_configuration.hook',
]

/** Resources that are imported, with the ids that the provider's documentation asks for. */
const importIds = (id: (address: string) => string): Readonly<Record<string, string>> => ({
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
  'tfe_project_notification_configuration.hook': id('tfe_project_notification_configuration.hook'),
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
})

/** Part of a state file that the imports need. */
interface StateFile {
  readonly resources: readonly {
    readonly mode: string
    readonly type: string
    readonly name: string
    readonly instances: readonly { readonly attributes: { readonly id: string } }[]
  }[]
}

/** Runs the command in the configuration with every resource, and throws unless it ends so. */
async function run({ call }: TerraformSandbox, ends: RegExp, ...argv: string[]): Promise<string> {
  const { text } = await call('provider', ...argv)
  match(text, ends)
  return text
}

const apply = ['apply', '-no-color', '-auto-approve'] as const
const changed = '-var=step=second'

/** Throws unless a plan has no changes. */
async function planNothing({ call }: TerraformSandbox, ...flags: string[]): Promise<void> {
  const { code, text } = await call('provider', 'plan', '-no-color', '-detailed-exitcode', ...flags)
  match(text, /No changes\. Your infrastructure matches the configuration\./)
  strictEqual(code, 0)
}

/** Trials of the provider on a configuration with all areas. Each continues from the one before. */
export const allResourceTrials: Readonly<Record<string, Trial>> = {
  async 'every area: apply, and an empty second plan'(sandbox) {
    await run(
      sandbox,
      new RegExp(`Resources: ${resources} added, 0 changed, 0 destroyed`),
      ...apply,
    )
    await planNothing(sandbox)
  },
  async 'every area: changes, and an empty plan after them'(sandbox) {
    await run(sandbox, /Resources: 0 added, 2\d changed, 0 destroyed/, ...apply, changed)
    await planNothing(sandbox, changed)
  },
  async 'every area: import'(sandbox) {
    const { text } = await sandbox.call('provider', 'state', 'pull')
    const state: StateFile = JSON.parse(text)
    const ids = importIds((address) => {
      const found = state.resources.find(
        ({ mode, type, name }) => mode === 'managed' && `${type}.${name}` === address,
      )
      return found?.instances[0]?.attributes.id ?? ''
    })
    const blocks = Object.entries(ids).map(
      ([to, id]) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`,
    )
    const file = join(sandbox.folder, 'provider/import.tf')
    writeFileSync(file, blocks.join(''))
    await sandbox.call('provider', 'state', 'rm', ...Object.keys(ids))
    const planned = `${blocks.length} to import, 0 to add, ${secretive.length} to change, 0 to destroy`
    const plan = await run(sandbox, new RegExp(planned), 'plan', '-no-color', changed)
    for (const address of secretive) match(plan, new RegExp(`# ${address} will be updated`))
    await run(sandbox, /Apply complete!/, ...apply, changed)
    rmSync(file)
    await planNothing(sandbox, changed)
  },
  async 'every area: destroy'(sandbox) {
    const destroyed = new RegExp(`Destroy complete! Resources: ${resources} destroyed\\.`)
    await run(sandbox, destroyed, 'destroy', '-no-color', '-auto-approve', changed)
  },
}
