import { doesNotMatch, match, strictEqual } from 'node:assert/strict'
import { firstId, waitForOutput } from './nomad-output.ts'
import { type CommandTrial, outputOf } from './trials.ts'

const gone = `job "gone" {
  type = "batch"
  group "g" {
    task "t" {
      driver = "mock_driver"
      config { run_for = "1ms" }
    }
  }
}
`

const served = `job "served" {
  update { min_healthy_time = "10ms" }
  group "g" {
    migrate { min_healthy_time = "10ms" }
    task "t" {
      driver = "mock_driver"
      config { run_for = "24h" }
    }
  }
}
`

const pool = `node_pool "big" {
  description = "large ones"
}
`

/**
 * Trials of the command's operator features (behaviour/scheduler#node-endpoints,
 * behaviour/scheduler#variables and behaviour/scheduler#operator), run after the trials of jobs.
 */
export const nomadOperatorTrials: Readonly<Record<string, CommandTrial>> = {
  async 'var put, get, list and purge'(sandbox) {
    match(await outputOf(sandbox, 'var', 'put', 'app/db', 'user=ada', 'pass=x'), /"user": "ada"/)
    strictEqual(await outputOf(sandbox, 'var', 'get', '-item', 'user', 'app/db'), 'ada')
    match(await outputOf(sandbox, 'var', 'list', '-out=terse'), /^app\/db$/m)
    const index = /"ModifyIndex": (\d+)/.exec(await outputOf(sandbox, 'var', 'get', 'app/db'))?.[1]
    const again = await sandbox.call('var', 'put', 'app/db', 'user=bob')
    strictEqual(again.code, 1)
    match(again.text, new RegExp(`check-index \\(0\\) does not match .* index \\(${index}\\)`))
    await outputOf(sandbox, 'var', 'put', `-check-index=${index}`, 'app/db', 'user=bob')
    const purged = await outputOf(sandbox, 'var', 'purge', 'app/db')
    match(purged, /Successfully purged variable "app\/db"!/)
    const { code, text } = await sandbox.call('var', 'get', 'app/db')
    strictEqual(code, 1)
    match(text, /Variable not found/)
  },
  async 'var lock: gets the error that locks are not supported'(sandbox) {
    const { code, text } = await sandbox.call('var', 'lock', 'app/lock', 'true')
    strictEqual(code, 1)
    match(text, /501 \(variable locks are not played\)/)
  },
  async 'system gc: jobs that are done are gone'(sandbox) {
    sandbox.write('gone.nomad.hcl', gone)
    await outputOf(sandbox, 'job', 'run', 'gone.nomad.hcl')
    await waitForOutput(sandbox, /gone {2,}batch {2,}50 {2,}dead/, 'job', 'status')
    await outputOf(sandbox, 'system', 'gc')
    const jobs = await outputOf(sandbox, 'job', 'status')
    doesNotMatch(jobs, /^gone /m)
    match(jobs, /^made /m)
  },
  async 'system reconcile summaries'(sandbox) {
    strictEqual(await outputOf(sandbox, 'system', 'reconcile', 'summaries'), '')
  },
  async 'operator scheduler get-config and set-config'(sandbox) {
    const read = () => outputOf(sandbox, 'operator', 'scheduler', 'get-config')
    const set = (...flags: string[]) =>
      sandbox.call('operator', 'scheduler', 'set-config', ...flags)
    match(await read(), /Scheduler Algorithm {11}= binpack\nMemory Oversubscription {7}= false/)
    const missed = await set('-check-index=999', '-scheduler-algorithm=spread')
    strictEqual(missed.code, 1)
    match(missed.text, /check-index 999 does not match/)
    strictEqual((await set('-scheduler-algorithm=spread', '-memory-oversubscription=true')).code, 0)
    match(await read(), /Scheduler Algorithm {11}= spread\nMemory Oversubscription {7}= true/)
    strictEqual(
      (await set('-scheduler-algorithm=binpack', '-memory-oversubscription=false')).code,
      0,
    )
  },
  async 'operator root keyring list, rotate and remove'(sandbox) {
    const keyring = (...argv: string[]) => outputOf(sandbox, 'operator', 'root', 'keyring', ...argv)
    const first = /^([0-9a-f-]{36}) +active/m.exec(await keyring('list', '-verbose'))?.[1] ?? ''
    match(await keyring('rotate', '-now', '-full'), /^[0-9a-f]{8} +active/m)
    match(await keyring('rotate', '-prepublish', '1h'), /^[0-9a-f]{8} +prepublished/m)
    match(await keyring('list', '-verbose'), new RegExp(`^${first} +inactive`, 'm'))
    match(await keyring('remove', first), /Removed encryption key/)
    doesNotMatch(await keyring('list', '-verbose'), new RegExp(first))
  },
  async 'operator metrics, raft list-peers and autopilot health'(sandbox) {
    const { Gauges } = JSON.parse(await outputOf(sandbox, 'operator', 'metrics'))
    match(JSON.stringify(Gauges), /"nomad\.client\.allocations\.running"/)
    match(await outputOf(sandbox, 'operator', 'raft', 'list-peers'), /leader +true +3/)
    match(await outputOf(sandbox, 'operator', 'autopilot', 'health'), /^Healthy: true/m)
  },
  async 'agent-info, and the node that the agent is'(sandbox) {
    match(await outputOf(sandbox, 'agent-info'), /known_servers = 127\.0\.0\.1:4647/)
    match(await outputOf(sandbox, 'node', 'status', '-self'), /^Eligibility {5}= eligible/m)
  },
  async 'node eligibility: off and on again'(sandbox) {
    const id = await firstId(sandbox, 'node', 'status', '-json')
    const off = await outputOf(sandbox, 'node', 'eligibility', '-disable', id)
    match(off, /scheduling eligibility set: ineligible for scheduling/)
    match(await outputOf(sandbox, 'node', 'status', id), /Eligibility {5}= ineligible/)
    const on = await outputOf(sandbox, 'node', 'eligibility', '-enable', id)
    match(on, /scheduling eligibility set: eligible for scheduling/)
  },
  async 'node drain: followed to its end, and set and unset'(sandbox) {
    sandbox.write('served.nomad.hcl', served)
    await outputOf(sandbox, 'job', 'run', 'served.nomad.hcl')
    const rows = JSON.parse(await outputOf(sandbox, 'job', 'allocs', '-json', 'served'))
    const id = String(rows[0]?.NodeID)
    const drained = await outputOf(sandbox, 'node', 'drain', '-enable', '-yes', '-m', 'upkeep', id)
    match(
      drained,
      /drain strategy set\n[\s\S]*marked for migration\n[\s\S]*Drain complete for node/,
    )
    const status = await outputOf(sandbox, 'node', 'status', id)
    match(status, /Eligibility {5}= ineligible/)
    match(status, /Drain {6}Node drain complete\n.*Drain {6}Node drain strategy set/)
    const unset = await outputOf(sandbox, 'node', 'drain', '-disable', '-yes', id)
    match(unset, /drain strategy unset/)
    await outputOf(sandbox, 'node', 'eligibility', '-enable', id)
    await outputOf(sandbox, 'job', 'stop', '-detach', '-purge', 'served')
  },
  async 'node pools are applied, listed and deleted'(sandbox) {
    sandbox.write('big.nomad.hcl', pool)
    const applied = await outputOf(sandbox, 'node', 'pool', 'apply', 'big.nomad.hcl')
    match(applied, /Successfully applied node pool "big"!/)
    match(await outputOf(sandbox, 'node', 'pool', 'list'), /big {6}large ones/)
    match(await outputOf(sandbox, 'node', 'pool', 'info', 'big'), /Description = large ones/)
    match(await outputOf(sandbox, 'node', 'pool', 'nodes', 'default'), /eligible +ready/)
    match(await outputOf(sandbox, 'node', 'pool', 'jobs', 'default'), /made {2,}batch/)
    const deleted = await outputOf(sandbox, 'node', 'pool', 'delete', 'big')
    match(deleted, /Successfully deleted node pool "big"!/)
  },
}
