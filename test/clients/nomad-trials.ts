import { match, ok, strictEqual } from 'node:assert/strict'
import { firstId, waitForOutput } from './nomad-output.ts'
import { type CommandTrial, outputOf } from './trials.ts'

const file = 'example.nomad.hcl'

const dispatched = `job "made" {
  type = "batch"
  parameterized { meta_required = ["who"] }
  group "g" {
    network {
      mode = "bridge"
      port "web" { static = 8080 }
      port "same" { to = -1 }
    }
    task "t" {
      driver = "mock_driver"
      config { run_for = "1ms" }
    }
  }
}
`

/**
 * Trials of the command, by capability. Each trial continues from the state that the previous one
 * left.
 */
export const nomadTrials: Readonly<Record<string, CommandTrial>> = {
  async 'job init, validate: the sample is valid'(sandbox) {
    await outputOf(sandbox, 'job', 'init', '-short')
    match(await outputOf(sandbox, 'job', 'validate', file), /Job validation successful/)
  },
  async 'job plan: everything is created'(sandbox) {
    const { code, text } = await sandbox.call('job', 'plan', file)
    strictEqual(code, 1)
    match(text, /\+ Task Group: "cache" \(1 create\)\n {2}\+ Task: "redis" \(forces create\)/)
    match(text, /All tasks successfully allocated\.\n\nJob Modify Index: 0/)
  },
  async 'job run: the deployment is followed to its end'(sandbox) {
    const text = await outputOf(sandbox, 'job', 'run', file)
    match(text, /Evaluation within deployment: "[0-9a-f]{8}"/)
    match(text, /Allocation "[0-9a-f]{8}" created: node "[0-9a-f]{8}", group "cache"/)
    match(text, /finished with status "complete"/)
    match(text, /Status {6}= successful\nDescription = Deployment completed successfully/)
    match(text, /cache {7}1 {8}1 {7}1 {8}0/)
  },
  async 'job status: summary, deployment and allocations'(sandbox) {
    const text = await outputOf(sandbox, 'job', 'status', 'example')
    match(text, /cache {7}0 {7}0 {9}1 {8}0/)
    match(text, /Latest Deployment\nID {10}= [0-9a-f]{8}\nStatus {6}= successful/)
    match(text, /cache {7}0 {8}run {6}running/)
  },
  async 'alloc status: addresses, resources and events'(sandbox) {
    const id = await firstId(sandbox, 'job', 'allocs', '-json', 'example')
    const text = await outputOf(sandbox, 'alloc', 'status', id)
    match(text, /Client Description {2}= Tasks are running/)
    match(text, /Deployment Health {3}= healthy/)
    match(
      text,
      /Allocation Addresses:\nLabel {2}Dynamic {2}Address\n\*db {4}yes {6}[\d.]+:\d{5} -> 6379/,
    )
    match(text, /CPU +Memory +Disk +Addresses\n\d+\/500 MHz +\d+ MiB\/256 MiB/)
    match(text, /Started {5}Task started by client/)
    match(text, /Received {4}Task received by client/)
  },
  async 'deployment and eval status'(sandbox) {
    const deployment = await firstId(sandbox, 'deployment', 'list', '-json')
    match(await outputOf(sandbox, 'deployment', 'status', deployment), /Status {6}= successful/)
    const evaluation = await firstId(sandbox, 'eval', 'list', '-json')
    match(await outputOf(sandbox, 'eval', 'status', evaluation), /Placement Failures = false/)
  },
  async 'job history, scale and revert: versions with their differences'(sandbox) {
    await outputOf(sandbox, 'job', 'scale', '-detach', 'example', 'cache', '2')
    const history = await outputOf(sandbox, 'job', 'history', '-p', 'example')
    match(history, /Version {5}= 1\n[\s\S]*\+\/- Count: "1" => "2"/)
    match(await outputOf(sandbox, 'job', 'scaling-events', 'example'), /cache {7}2 {6}1/)
    await outputOf(sandbox, 'job', 'revert', '-detach', 'example', '0')
    match(await outputOf(sandbox, 'job', 'history', 'example'), /Version {5}= 2\n/)
  },
  async 'job inspect: the job as it is kept'(sandbox) {
    const { Job } = JSON.parse(await outputOf(sandbox, 'job', 'inspect', 'example'))
    strictEqual(Job.ID, 'example')
    ok('VaultToken' in Job)
  },
  async 'job stop: it is dead'(sandbox) {
    await outputOf(sandbox, 'job', 'stop', '-detach', 'example')
    await waitForOutput(sandbox, /example {2}service {2}50 +dead \(stopped\)/, 'job', 'status')
  },
  async 'job dispatch: a child with the ports of its network'(sandbox) {
    sandbox.write('made.nomad.hcl', dispatched)
    await outputOf(sandbox, 'job', 'run', 'made.nomad.hcl')
    const missing = await sandbox.call('job', 'dispatch', 'made')
    match(missing.text, /Dispatch did not provide required meta keys: \[who\]/)
    const text = await outputOf(sandbox, 'job', 'dispatch', '-meta', 'who=me', 'made')
    const child = /Dispatched Job ID = (\S+)/.exec(text)?.[1] ?? ''
    match(await outputOf(sandbox, 'job', 'status', 'made'), /Dispatched Jobs\nID +Status\nmade\//)
    const id = await firstId(sandbox, 'job', 'allocs', '-json', child)
    const status = await outputOf(sandbox, 'alloc', 'status', id)
    match(status, /Allocation Addresses \(mode = "bridge"\):/)
    match(status, /\*web {3}yes {6}[\d.]+:8080\n\*same {2}yes {6}[\d.]+:(\d{5}) -> \1/)
  },
  async 'node status: all of them and one'(sandbox) {
    const text = await outputOf(sandbox, 'node', 'status')
    strictEqual(text.match(/eligible +ready/g)?.length, 3)
    const id = await firstId(sandbox, 'node', 'status', '-json')
    match(await outputOf(sandbox, 'node', 'status', id), /Driver Status {3}= .*docker/)
  },
  async 'namespaces are applied, listed and deleted'(sandbox) {
    await outputOf(sandbox, 'namespace', 'apply', '-description', 'ours', 'team')
    match(await outputOf(sandbox, 'namespace', 'list'), /team {5}ours/)
    match(await outputOf(sandbox, 'namespace', 'status', 'team'), /Description {12}= ours/)
    await outputOf(sandbox, 'namespace', 'delete', 'team')
  },
  async 'ACL policies, tokens and roles'(sandbox) {
    sandbox.write('p.hcl', 'namespace "default" {\n  policy = "read"\n}\n')
    await outputOf(sandbox, 'acl', 'policy', 'apply', '-description', 'd', 'reader', 'p.hcl')
    match(await outputOf(sandbox, 'acl', 'policy', 'list'), /reader {2}d/)
    match(await outputOf(sandbox, 'acl', 'policy', 'info', 'reader'), /policy = "read"/)
    const token = await outputOf(sandbox, 'acl', 'token', 'create', '-name=t', '-policy=reader')
    match(token, /Policies {5}= \[reader\]/)
    await outputOf(sandbox, 'acl', 'role', 'create', '-name=r', '-policy=reader')
    match(await outputOf(sandbox, 'acl', 'role', 'list'), /r {5}<none> {7}reader/)
    match(await outputOf(sandbox, 'acl', 'token', 'self'), /Type {9}= management/)
  },
  async 'server members and status'(sandbox) {
    match(await outputOf(sandbox, 'server', 'members'), /alive {3}true {4}3/)
    match(await outputOf(sandbox, 'status'), /made {2,}batch\/parameterized/)
  },
}
