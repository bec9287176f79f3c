import { match, strictEqual } from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TerraformSandbox } from './terraform-sandbox.ts'
import type { Trial } from './terraform-trials.ts'

/** Part of a state file that the imports need. */
export interface StateFile {
  readonly resources: readonly {
    readonly mode: string
    readonly type: string
    readonly name: string
    readonly instances: readonly { readonly attributes: { readonly id: string } }[]
  }[]
}

/** Configuration with resources of all areas that a provider serves. */
export interface ResourceConfiguration {
  /** Folder below `terraform/`, whose variable `step` is `first` or `second`. */
  readonly folder: string
  readonly resources: number
  /** Pattern of the number of resources that the second step changes. */
  readonly changes: RegExp
  /** Returns the ids for the import, by address, of the resources that can be imported. */
  importIds(state: StateFile): Readonly<Record<string, string>>
  /**
   * Addresses of resources that the provider writes again after their import, because they have
   * secrets that no reply contains, or arguments that exist only in the configuration.
   */
  readonly changedByImport: readonly string[]
}

/** Returns the id of the resource at an address; empty if the state does not have it. */
export function idOf({ resources }: StateFile, address: string): string {
  const found = resources.find(
    ({ mode, type, name }) => mode === 'managed' && `${type}.${name}` === address,
  )
  return found?.instances[0]?.attributes.id ?? ''
}

const apply = ['apply', '-no-color', '-auto-approve'] as const
const changed = '-var=step=second'

/**
 * Returns the trials of a provider on a configuration with all areas. Each continues from the one
 * before.
 */
export function resourceTrials(
  configuration: ResourceConfiguration,
): Readonly<Record<string, Trial>> {
  const { folder, resources, changes, importIds, changedByImport } = configuration
  /** Runs the command, and throws unless its output matches. */
  const run = async ({ call }: TerraformSandbox, output: RegExp, ...argv: string[]) => {
    const { text } = await call(folder, ...argv)
    match(text, output)
    return text
  }
  /** Throws unless a plan has no changes. */
  const planNothing = async ({ call }: TerraformSandbox, ...flags: string[]) => {
    const { code, text } = await call(folder, 'plan', '-no-color', '-detailed-exitcode', ...flags)
    match(text, /No changes\. Your infrastructure matches the configuration\./)
    strictEqual(code, 0)
  }
  return {
    async 'every area: apply, and an empty second plan'(sandbox) {
      const added = new RegExp(`Resources: ${resources} added, 0 changed, 0 destroyed`)
      await run(sandbox, added, ...apply)
      await planNothing(sandbox)
    },
    async 'every area: changes, and an empty plan after them'(sandbox) {
      const updated = new RegExp(`Resources: 0 added, ${changes.source} changed, 0 destroyed`)
      await run(sandbox, updated, ...apply, changed)
      await planNothing(sandbox, changed)
    },
    async 'every area: import'(sandbox) {
      const { text } = await sandbox.call(folder, 'state', 'pull')
      const ids = importIds(JSON.parse(text))
      const blocks = Object.entries(ids).map(
        ([to, id]) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`,
      )
      const file = join(sandbox.folder, folder, 'import.tf')
      writeFileSync(file, blocks.join(''))
      await sandbox.call(folder, 'state', 'rm', ...Object.keys(ids))
      const planned = `${blocks.length} to import, 0 to add, ${changedByImport.length} to change, 0 to destroy`
      const plan = await run(sandbox, new RegExp(planned), 'plan', '-no-color', changed)
      for (const address of changedByImport) match(plan, new RegExp(`# ${address} will be updated`))
      await run(sandbox, /Apply complete!/, ...apply, changed)
      rmSync(file)
      await planNothing(sandbox, changed)
    },
    async 'every area: destroy'(sandbox) {
      const destroyed = new RegExp(`Destroy complete! Resources: ${resources} destroyed\\.`)
      await run(sandbox, destroyed, 'destroy', '-no-color', '-auto-approve', changed)
    },
  }
}
