import { match, ok, strictEqual } from 'node:assert/strict'
import { archiveOf } from '../support/platform/archives.ts'
import { runTrials } from './terraform-run-trials.ts'
import type { TerraformSandbox } from './terraform-sandbox.ts'

/** Function that throws unless the client behaves as it does against the real platform. */
export type Trial = (sandbox: TerraformSandbox) => Promise<void>

const test = (sandbox: TerraformSandbox, ...argv: string[]) =>
  sandbox.call('module', 'test', '-no-color', `-cloud-run=${sandbox.module}`, ...argv)

/** Trials of the command, by capability. */
export const commandTrials: Readonly<Record<string, Trial>> = {
  async 'test: runs that pass'(sandbox) {
    const { code, text } = await test(sandbox)
    match(
      text,
      /main\.tftest\.hcl\.\.\. in progress\n {2}greets\.\.\. pass\n {2}again\.\.\. pass\n/,
    )
    match(
      text,
      /tearing down\ntests\/main\.tftest\.hcl\.\.\. pass\n\nSuccess! 2 passed, 0 failed\.\n/,
    )
    strictEqual(code, 0)
  },
  async 'test: a run that fails has its diagnostic'(sandbox) {
    const { code, text } = await test(sandbox, '-var=mock_result=fail')
    match(text, /greets\.\.\. fail\n╷\n│ Error: Test assertion failed\n/)
    match(text, /on tests\/main\.tftest\.hcl line 1, in run "greets":\n│ +1: run "greets" \{\n/)
    match(text, /again\.\.\. pass\n[\s\S]*Failure! 1 passed, 1 failed\.\n/)
    strictEqual(code, 1)
  },
  async 'test: a run that errors'(sandbox) {
    const { code, text } = await test(sandbox, '-var=mock_result=error')
    match(text, /│ Error: Test run errored\n/)
    ok(!text.includes('passed,'))
    strictEqual(code, 1)
  },
  async 'test: filters'(sandbox) {
    const none = await test(sandbox, '-filter=tests/none.tftest.hcl')
    match(none.text, /Success! 0 passed, 0 failed\.\n/)
    const one = await test(sandbox, '-filter=tests/main.tftest.hcl')
    match(one.text, /Success! 2 passed, 0 failed\.\n/)
  },
  async 'test: as JSON'(sandbox) {
    const { text } = await test(sandbox, '-json')
    const lines = text.trim().split('\n')
    const types = lines.map((line) => JSON.parse(line).type)
    for (const type of ['test_abstract', 'test_file', 'test_run', 'test_summary']) {
      ok(types.includes(type), `${type} in ${types}`)
    }
  },
  async 'test: an interrupt lets the run under way finish'(sandbox) {
    const flags = ['-no-color', `-cloud-run=${sandbox.module}`, '-var=wait_time=10s']
    const text = await sandbox.interrupt('module', 'in progress', 'test', ...flags)
    match(
      text,
      /Interrupt received\.\nPlease wait for Terraform to exit or data loss may occur\.\n/,
    )
    match(text, /greets\.\.\. pass\n {2}again\.\.\. skip\n/)
    match(text, /Success! 1 passed, 0 failed, 1 skipped\.\n/)
  },
  async 'init: a module of the registry'(sandbox) {
    await publish(sandbox)
    const { code, text } = await sandbox.call('user', 'init', '-no-color')
    match(text, /Downloading .*\/example-org\/hello\/aws 1\.2\.0 for hello\.\.\./)
    strictEqual(code, 0)
    match(sandbox.read('user/.terraform/modules/hello/main.tf'), /hello \$\{var\.name\}/)
  },
  async 'init: a workspace of the platform'(sandbox) {
    const { code } = await sandbox.call('cloud', 'init', '-no-color')
    strictEqual(code, 0)
    const { text } = await sandbox.call('cloud', 'workspace', 'list')
    match(text, /\* one\n/)
    await sandbox.ask('GET', 'organizations/example-org/workspaces/one')
  },
  ...runTrials,
}

/**
 * Trials of the provider, by capability. Each trial continues from the state that the previous one
 * left.
 */
export const providerTrials: Readonly<Record<string, Trial>> = {
  async 'organization, team, tokens, modules, variables, settings, project, workspace'(sandbox) {
    const { code, text } = await sandbox.call('platform', 'apply', '-no-color', '-auto-approve')
    match(text, /Apply complete! Resources: 12 added, 0 changed, 0 destroyed\./)
    strictEqual(code, 0)
  },
  async 'the second plan is empty'(sandbox) {
    const { code, text } = await sandbox.call('platform', 'plan', '-no-color', '-detailed-exitcode')
    match(text, /No changes\. Your infrastructure matches the configuration\./)
    strictEqual(code, 0)
  },
  async 'all of it is taken away'(sandbox) {
    const { code, text } = await sandbox.call('platform', 'destroy', '-no-color', '-auto-approve')
    match(text, /Destroy complete! Resources: 12 destroyed\./)
    strictEqual(code, 0)
  },
}

/** Publishes version 1.2.0 of the module `hello`. */
async function publish(sandbox: TerraformSandbox): Promise<void> {
  const registry = 'organizations/example-org/registry-modules'
  const attributes = { name: 'hello', provider: 'aws', 'registry-name': 'private' }
  await sandbox.ask('POST', registry, { data: { type: 'registry-modules', attributes } })
  const version = await sandbox.ask('POST', `${registry}/private/example-org/hello/aws/versions`, {
    data: { type: 'registry-module-versions', attributes: { version: '1.2.0' } },
  })
  const { upload } = version['links'] as { readonly upload: string }
  await sandbox.upload(upload, archiveOf({ 'main.tf': sandbox.read('module/main.tf') }))
}
