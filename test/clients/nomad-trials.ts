import { match, ok, strictEqual } from 'node:assert/strict'
import { firstId, waitForOutput } from './nomad-trial.ts'
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

/** What the command can do, by capability; each goes on from those before. */
export const nomadTrials: Readonly<Record<string, CommandTrial>> = {
  async 'job init, validate: the sample is valid'(workplace) {
    await outputOf(workplace, 'job', 'init', '-short')
    match(await outputOf(workplace, 'job', 'validate', file), /Job validation successful/)
  },
  async 'job plan: everything is created'(workplace) {
    const { code, text } = await workplace.call('job', 'plan', file)
    strictEqual(code, 1)
    match(text, /\+ Task Group: "cache" \(1 create\)\n {2}\+ Task: "redis" \(forces create\)/)
    match(text, /All tasks successfully allocated\.\n\nJob Modify Index: 0/)
  },
  async 'job run: the deployment is followed to its end'(workplace) {
    const text = await outputOf(workplace, 'job', 'run', file)
    match(text, /Evaluation within deployment: "[0-9a-f]{8}"/)
    match(text, /Allocation "[0-9a-f]{8}" created: node "[0-9a-f]{8}", group "cache"/)
    match(text, /finished with status "complete"/)
    match(text, /Status {6}= successful\nDescription = Deployment completed successfully/)
    match(text, /cache {7}1 {8}1 {7}1 {8}0/)
  },
  async 'job status: summary, deployment and allocations'(workplace) {
    const text = await outputOf(workplace, 'job', 'status', 'example')
    match(text, /cache {7}0 {7}0 {9}1 {8}0/)
    match(text, /Latest Deployment\nID {10}= [0-9a-f]{8}\nStatus {6}= successful/)
    match(text, /cache {7}0 {8}run {6}running/)
  },
  async 'alloc status: addresses, resources and events'(workplace) {
    const id = await firstId(workplace, 'job', 'allocs', '-json', 'example')
    const text = await outputOf(workplace, 'alloc', 'status', id)
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
  async 'deployment and eval status'(workplace) {
    const deployment = await firstId(workplace, 'deployment', 'list', '-json')
    match(await outputOf(workplace, 'deployment', 'status', deployment), /Status {6}= successful/)
    const evaluation = await firstId(workplace, 'eval', 'list', '-json')
    match(await outputOf(workplace, 'eval', 'status', evaluation), /Placement Failures = false/)
  },
  async 'job history, scale and revert: versions with their differences'(workplace) {
    await outputOf(workplace, 'job', 'scale', '-detach', 'example', 'cache', '2')
    const history = await outputOf(workplace, 'job', 'history', '-p', 'example')
    match(history, /Version {5}= 1\n[\s\S]*\+\/- Count: "1" => "2"/)
    match(await outputOf(workplace, 'job', 'scaling-events', 'example'), /cache {7}2 {6}1/)
    await outputOf(workplace, 'job', 'revert', '-detach', 'example', '0')
    match(await outputOf(workplace, 'job', 'history', 'example'), /Version {5}= 2\n/)
  },
  async 'job inspect: the job as it is kept'(workplace) {
    const { Job } = JSON.parse(await outputOf(workplace, 'job', 'inspect', 'example'))
    strictEqual(Job.ID, 'example')
    ok('VaultToken' in Job)
  },
  async 'job stop: it is dead'(workplace) {
    await outputOf(workplace, 'job', 'stop', '-detach', 'example')
    await waitForOutput(workplace, /example {2}service {2}50 +dead \(stopped\)/, 'job', 'status')
  },
  async 'job dispatch: a child with the ports of its network'(workplace) {
    workplace.write('made.nomad.hcl', dispatched)
    await outputOf(workplace, 'job', 'run', 'made.nomad.hcl')
    const missing = await workplace.call('job', 'dispatch', 'made')
    match(missing.text, /Dispatch did not provide required meta keys: \[who\]/)
    const text = await outputOf(workplace, 'job', 'dispatch', '-meta', 'who=me', 'made')
    const child = /Dispatched Job ID = (\S+)/.exec(text)?.[1] ?? ''
    match(await outputOf(workplace, 'job', 'status', 'made'), /Dispatched Jobs\nID +Status\nmade\//)
    const id = await firstId(workplace, 'job', 'allocs', '-json', child)
    const status = await outputOf(workplace, 'alloc', 'status', id)
    match(status, /Allocation Addresses \(mode = "bridge"\):/)
    match(status, /\*web {3}yes {6}[\d.]+:8080\n\*same {2}yes {6}[\d.]+:(\d{5}) -> \1/)
  },
  async 'node status: all of them and one'(workplace) {
    const text = await outputOf(workplace, 'node', 'status')
    strictEqual(text.match(/eligible +ready/g)?.length, 3)
    const id = await firstId(workplace, 'node', 'status', '-json')
    match(await outputOf(workplace, 'node', 'status', id), /Driver Status {3}= .*docker/)
  },
  async 'namespaces are applied, listed and deleted'(workplace) {
    await outputOf(workplace, 'namespace', 'apply', '-description', 'ours', 'team')
    match(await outputOf(workplace, 'namespace', 'list'), /team {5}ours/)
    match(await outputOf(workplace, 'namespace', 'status', 'team'), /Description {12}= ours/)
    await outputOf(workplace, 'namespace', 'delete', 'team')
  },
  async 'ACL policies, tokens and roles'(workplace) {
    workplace.write('p.hcl', 'namespace "default" {\n  policy = "read"\n}\n')
    await outputOf(workplace, 'acl', 'policy', 'apply', '-description', 'd', 'reader', 'p.hcl')
    match(await outputOf(workplace, 'acl', 'policy', 'list'), /reader {2}d/)
    match(await outputOf(workplace, 'acl', 'policy', 'info', 'reader'), /policy = "read"/)
    const token = await outputOf(workplace, 'acl', 'token', 'create', '-name=t', '-policy=reader')
    match(token, /Policies {5}= \[reader\]/)
    await outputOf(workplace, 'acl', 'role', 'create', '-name=r', '-policy=reader')
    match(await outputOf(workplace, 'acl', 'role', 'list'), /r {5}<none> {7}reader/)
    match(await outputOf(workplace, 'acl', 'token', 'self'), /Type {9}= management/)
  },
  async 'server members and status'(workplace) {
    match(await outputOf(workplace, 'server', 'members'), /alive {3}true {4}3/)
    match(await outputOf(workplace, 'status'), /made {2,}batch\/parameterized/)
  },
}
