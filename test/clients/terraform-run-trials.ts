import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TerraformSandbox } from './terraform-sandbox.ts'

/** Runs a command in a configuration, and throws unless it ends with 0. */
async function succeed(sandbox: TerraformSandbox, configuration: string, ...argv: string[]) {
  const { code, text } = await sandbox.call(configuration, ...argv)
  strictEqual(code, 0, text)
  return text
}

const apply = ['apply', '-no-color', '-auto-approve']

async function workspaceId(sandbox: TerraformSandbox, name: string): Promise<string> {
  const { id } = await sandbox.ask('GET', `organizations/example-org/workspaces/${name}`)
  return String(id)
}

/** Trials of runs and states, by capability. Each one continues from the state of the one before. */
export const runTrials: Readonly<Record<string, (sandbox: TerraformSandbox) => Promise<void>>> = {
  async 'cloud: init, plan, apply, output'(sandbox) {
    await succeed(sandbox, 'runs', 'init', '-no-color')
    const plan = await succeed(sandbox, 'runs', 'plan', '-no-color')
    match(
      plan,
      /# terraform_data\.it will be created[\s\S]*Plan: 1 to add, 0 to change, 0 to destroy\./,
    )
    const applied = await succeed(sandbox, 'runs', ...apply)
    match(applied, /terraform_data\.it: Creation complete after 0s \[id=\d+\]/)
    match(applied, /Apply complete! Resources: 1 added, 0 changed, 0 destroyed\.\n\nOutputs:\n/)
    const { greeting: output, secret } = JSON.parse(
      await succeed(sandbox, 'runs', 'output', '-json'),
    )
    deepStrictEqual([output.value, secret.value, secret.sensitive], ['hello x', 'hunter2', true])
    const again = await succeed(sandbox, 'runs', 'plan', '-no-color', '-detailed-exitcode')
    match(again, /No changes\. Your infrastructure matches the configuration\./)
  },
  async 'cloud: a saved plan is shown and applied'(sandbox) {
    await succeed(sandbox, 'runs', 'plan', '-no-color', '-var=name=y', '-out=saved.tfplan')
    match(
      await succeed(sandbox, 'runs', 'show', '-no-color', 'saved.tfplan'),
      /planned and saved \(confirmable\)/,
    )
    const shown = JSON.parse(await succeed(sandbox, 'runs', 'show', '-json', 'saved.tfplan'))
    strictEqual(shown.output_changes.greeting.after, 'hello y')
    match(
      await succeed(sandbox, 'runs', 'apply', '-no-color', 'saved.tfplan'),
      /greeting = "hello y"/,
    )
  },
  async 'cloud: state list, pull, push, mv'(sandbox) {
    match(await succeed(sandbox, 'runs', 'state', 'list'), /^terraform_data\.it$/m)
    const pulled = JSON.parse(await succeed(sandbox, 'runs', 'state', 'pull'))
    const pushed = JSON.stringify({ ...pulled, serial: pulled.serial + 5 })
    writeFileSync(join(sandbox.folder, 'runs/pushed.json'), pushed)
    await succeed(sandbox, 'runs', 'state', 'push', 'pushed.json')
    const { serial } = JSON.parse(await succeed(sandbox, 'runs', 'state', 'pull'))
    ok(serial > pulled.serial)
    writeFileSync(
      join(sandbox.folder, 'runs/foreign.json'),
      JSON.stringify({ ...pulled, lineage: 'x' }),
    )
    notStrictEqual((await sandbox.call('runs', 'state', 'push', 'foreign.json')).code, 0)
    await succeed(sandbox, 'runs', 'state', 'mv', 'terraform_data.it', 'terraform_data.other')
    const moved = await succeed(sandbox, 'runs', ...apply)
    match(moved, /Resources: 1 added, 0 changed, 1 destroyed\./)
    const replaced = await succeed(sandbox, 'runs', ...apply, '-replace=terraform_data.it')
    match(replaced, /it: Destruction complete after 0s\nterraform_data\.it: Creating\.\.\./)
  },
  async 'cloud: a plan that fails, and an apply'(sandbox) {
    const plan = await sandbox.call('runs', 'plan', '-no-color', '-var=mock_result=error')
    deepStrictEqual([plan.code, /│ Error: The plan failed/.test(plan.text)], [1, true])
    const fails = ['-replace=terraform_data.it', '-var=mock_result=apply_error']
    const failed = await sandbox.call('runs', ...apply, ...fails)
    deepStrictEqual([failed.code, /│ Error: The apply failed/.test(failed.text)], [1, true])
    await succeed(sandbox, 'runs', ...apply)
  },
  async 'cloud: runs that are canceled and discarded'(sandbox) {
    const wait = ['-no-color', '-var=wait_time=20s']
    const text = await sandbox.interrupt('runs', 'Initializing plugins', 'plan', ...wait)
    match(text, /Interrupt received\.\n[\s\S]*Gracefully shutting down/)
    await succeed(sandbox, 'runs', 'plan', '-no-color', '-var=name=z', '-out=late.tfplan')
    const { remote_plan_format: format, run_id: run } = JSON.parse(sandbox.read('runs/late.tfplan'))
    strictEqual(format, 1)
    await sandbox.act(`runs/${run}/actions/discard`)
    const late = await sandbox.call('runs', 'apply', '-no-color', 'late.tfplan')
    deepStrictEqual([late.code, /discarded/.test(late.text)], [1, true])
  },
  async 'cloud: force-unlock, destroy'(sandbox) {
    await sandbox.act(`workspaces/${await workspaceId(sandbox, 'runs')}/actions/lock`)
    const unlock = ['force-unlock', '-force', 'example-org/runs']
    match(await succeed(sandbox, 'runs', ...unlock), /successfully unlocked/)
    const destroyed = await succeed(sandbox, 'runs', 'destroy', '-no-color', '-auto-approve')
    match(destroyed, /Destroy complete! Resources: 1 destroyed\./)
  },
  async 'cloud: -target, import, -refresh-only, -destroy'(sandbox) {
    await succeed(sandbox, 'targets', 'init', '-no-color')
    const targeted = await succeed(sandbox, 'targets', ...apply, '-target=terraform_data.it')
    match(targeted, /Resources: 1 added, 0 changed, 0 destroyed\./)
    await succeed(sandbox, 'targets', 'import', '-no-color', 'terraform_data.other', 'one')
    match(
      await succeed(sandbox, 'targets', 'state', 'list'),
      /^terraform_data\.it\nterraform_data\.other$/m,
    )
    match(
      await succeed(sandbox, 'targets', ...apply, '-refresh-only'),
      /Your infrastructure still matches the configuration\./,
    )
    match(
      await succeed(sandbox, 'targets', 'plan', '-no-color', '-destroy'),
      /Plan: 0 to add, 0 to change, 2 to destroy\./,
    )
    const destroyed = await succeed(sandbox, 'targets', ...apply, '-destroy')
    match(destroyed, /Destroy complete! Resources: 2 destroyed\./)
  },
  async 'cloud: workspaces by tag'(sandbox) {
    await sandbox.ask('POST', 'organizations/example-org/workspaces', {
      data: { type: 'workspaces', attributes: { name: 'tagged-1', 'tag-names': ['app'] } },
    })
    await succeed(sandbox, 'tagged', 'init', '-no-color')
    await succeed(sandbox, 'tagged', 'workspace', 'new', 'tagged-2')
    match(await succeed(sandbox, 'tagged', 'workspace', 'list'), / tagged-1\n\* tagged-2\n/)
    await succeed(sandbox, 'tagged', 'workspace', 'select', 'tagged-1')
    await succeed(sandbox, 'tagged', 'workspace', 'delete', 'tagged-2')
    ok(!(await succeed(sandbox, 'tagged', 'workspace', 'list')).includes('tagged-2'))
  },
  async 'remote backend: workspaces, plan, apply, output, destroy'(sandbox) {
    await sandbox.call('backend', 'init', '-no-color')
    await succeed(sandbox, 'backend', 'workspace', 'new', 'dev')
    const applied = await succeed(sandbox, 'backend', ...apply)
    match(
      applied,
      / {2}# terraform_data\.it will be created\n\nPlan: 1 to add, 0 to change, 0 to destroy\./,
    )
    match(applied, /Apply complete! Resources: 1 added, 0 changed, 0 destroyed\./)
    match(await succeed(sandbox, 'backend', 'output', '-no-color'), /greeting += "hello x"/)
    match(await succeed(sandbox, 'backend', 'destroy', '-no-color', '-auto-approve'), /1 destroyed/)
    await succeed(sandbox, 'backend', 'workspace', 'new', 'prod')
    await succeed(sandbox, 'backend', 'workspace', 'delete', 'dev')
    match(await succeed(sandbox, 'backend', 'workspace', 'list'), /^\* prod$/m)
  },
}
