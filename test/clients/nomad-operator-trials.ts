import { doesNotMatch, match, strictEqual } from 'node:assert/strict'
import { firstId, waitForOutput } from './nomad-trial.ts'
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

/** What the command can do for operators (behaviour/scheduler#node-endpoints, behaviour/scheduler#variables and behaviour/scheduler#operator), after all that is about jobs. */
export const nomadOperatorTrials: Readonly<Record<string, CommandTrial>> = {
  async 'var put, get, list and purge'(workplace) {
    match(await outputOf(workplace, 'var', 'put', 'app/db', 'user=ada', 'pass=x'), /"user": "ada"/)
    strictEqual(await outputOf(workplace, 'var', 'get', '-item', 'user', 'app/db'), 'ada')
    match(await outputOf(workplace, 'var', 'list', '-out=terse'), /^app\/db$/m)
    const index = /"ModifyIndex": (\d+)/.exec(
      await outputOf(workplace, 'var', 'get', 'app/db'),
    )?.[1]
    const again = await workplace.call('var', 'put', 'app/db', 'user=bob')
    strictEqual(again.code, 1)
    match(again.text, new RegExp(`check-index \\(0\\) does not match .* index \\(${index}\\)`))
    await outputOf(workplace, 'var', 'put', `-check-index=${index}`, 'app/db', 'user=bob')
    const purged = await outputOf(workplace, 'var', 'purge', 'app/db')
    match(purged, /Successfully purged variable "app\/db"!/)
    const { code, text } = await workplace.call('var', 'get', 'app/db')
    strictEqual(code, 1)
    match(text, /Variable not found/)
  },
  async 'var lock: is told that locks are not played'(workplace) {
    const { code, text } = await workplace.call('var', 'lock', 'app/lock', 'true')
    strictEqual(code, 1)
    match(text, /501 \(variable locks are not played\)/)
  },
  async 'system gc: jobs that are done are gone'(workplace) {
    workplace.write('gone.nomad.hcl', gone)
    await outputOf(workplace, 'job', 'run', 'gone.nomad.hcl')
    await waitForOutput(workplace, /gone {2,}batch {2,}50 {2,}dead/, 'job', 'status')
    await outputOf(workplace, 'system', 'gc')
    const jobs = await outputOf(workplace, 'job', 'status')
    doesNotMatch(jobs, /^gone /m)
    match(jobs, /^made /m)
  },
  async 'system reconcile summaries'(workplace) {
    strictEqual(await outputOf(workplace, 'system', 'reconcile', 'summaries'), '')
  },
  async 'operator scheduler get-config and set-config'(workplace) {
    const read = () => outputOf(workplace, 'operator', 'scheduler', 'get-config')
    const set = (...flags: string[]) =>
      workplace.call('operator', 'scheduler', 'set-config', ...flags)
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
  async 'operator root keyring list, rotate and remove'(workplace) {
    const keyring = (...argv: string[]) =>
      outputOf(workplace, 'operator', 'root', 'keyring', ...argv)
    const first = /^([0-9a-f-]{36}) +active/m.exec(await keyring('list', '-verbose'))?.[1] ?? ''
    match(await keyring('rotate', '-now', '-full'), /^[0-9a-f]{8} +active/m)
    match(await keyring('rotate', '-prepublish', '1h'), /^[0-9a-f]{8} +prepublished/m)
    match(await keyring('list', '-verbose'), new RegExp(`^${first} +inactive`, 'm'))
    match(await keyring('remove', first), /Removed encryption key/)
    doesNotMatch(await keyring('list', '-verbose'), new RegExp(first))
  },
  async 'operator metrics, raft list-peers and autopilot health'(workplace) {
    const { Gauges } = JSON.parse(await outputOf(workplace, 'operator', 'metrics'))
    match(JSON.stringify(Gauges), /"nomad\.client\.allocations\.running"/)
    match(await outputOf(workplace, 'operator', 'raft', 'list-peers'), /leader +true +3/)
    match(await outputOf(workplace, 'operator', 'autopilot', 'health'), /^Healthy: true/m)
  },
  async 'agent-info, and the node that the agent is'(workplace) {
    match(await outputOf(workplace, 'agent-info'), /known_servers = 127\.0\.0\.1:4647/)
    match(await outputOf(workplace, 'node', 'status', '-self'), /^Eligibility {5}= eligible/m)
  },
  async 'node eligibility: off and on again'(workplace) {
    const id = await firstId(workplace, 'node', 'status', '-json')
    const off = await outputOf(workplace, 'node', 'eligibility', '-disable', id)
    match(off, /scheduling eligibility set: ineligible for scheduling/)
    match(await outputOf(workplace, 'node', 'status', id), /Eligibility {5}= ineligible/)
    const on = await outputOf(workplace, 'node', 'eligibility', '-enable', id)
    match(on, /scheduling eligibility set: eligible for scheduling/)
  },
  async 'node drain: followed to its end, and set and unset'(workplace) {
    workplace.write('served.nomad.hcl', served)
    await outputOf(workplace, 'job', 'run', 'served.nomad.hcl')
    const rows = JSON.parse(await outputOf(workplace, 'job', 'allocs', '-json', 'served'))
    const id = String(rows[0]?.NodeID)
    const drained = await outputOf(
      workplace,
      'node',
      'drain',
      '-enable',
      '-yes',
      '-m',
      'upkeep',
      id,
    )
    match(
      drained,
      /drain strategy set\n[\s\S]*marked for migration\n[\s\S]*Drain complete for node/,
    )
    const status = await outputOf(workplace, 'node', 'status', id)
    match(status, /Eligibility {5}= ineligible/)
    match(status, /Drain {6}Node drain complete\n.*Drain {6}Node drain strategy set/)
    const unset = await outputOf(workplace, 'node', 'drain', '-disable', '-yes', id)
    match(unset, /drain strategy unset/)
    await outputOf(workplace, 'node', 'eligibility', '-enable', id)
    await outputOf(workplace, 'job', 'stop', '-detach', '-purge', 'served')
  },
  async 'node pools are applied, listed and deleted'(workplace) {
    workplace.write('big.nomad.hcl', pool)
    const applied = await outputOf(workplace, 'node', 'pool', 'apply', 'big.nomad.hcl')
    match(applied, /Successfully applied node pool "big"!/)
    match(await outputOf(workplace, 'node', 'pool', 'list'), /big {6}large ones/)
    match(await outputOf(workplace, 'node', 'pool', 'info', 'big'), /Description = large ones/)
    match(await outputOf(workplace, 'node', 'pool', 'nodes', 'default'), /eligible +ready/)
    match(await outputOf(workplace, 'node', 'pool', 'jobs', 'default'), /made {2,}batch/)
    const deleted = await outputOf(workplace, 'node', 'pool', 'delete', 'big')
    match(deleted, /Successfully deleted node pool "big"!/)
  },
}
