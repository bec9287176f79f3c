import { describe, expect, test } from 'vitest'
import { aclScheduler, exampleJob, failureOf, type Members } from '../support.ts'

const denied = [403, 'Permission denied']

const submit = 'namespace "default" { capabilities = ["submit-job"] }'

/** Returns a job with one group and one task, which have the given members. */
function jobWith(group: Members, task: Members = {}): Members {
  const plain = { Name: 'redis', Driver: 'docker', Config: { image: 'redis:7' } }
  return exampleJob({
    TaskGroups: [{ Name: 'cache', ...group, Tasks: [{ ...plain, ...task }] }],
  })
}

const hostVolume = (change: Members = {}) =>
  jobWith({ Volumes: { data: { Name: 'data', Type: 'host', Source: 'data-a', ...change } } })

const csiVolume = jobWith({
  Volumes: {
    data: {
      Name: 'data',
      Type: 'csi',
      Source: 'data-a',
      AccessMode: 'single-node-writer',
      AttachmentMode: 'file-system',
    },
  },
})

const plugin = jobWith({}, { CSIPluginConfig: { ID: 'plug', Type: 'node', MountDir: '/csi' } })

/** A job that reads a volume, and mounts it so that the host sees further mounts in it. */
const bidirectional = jobWith(
  { Volumes: { data: { Name: 'data', Type: 'host', Source: 'data-a', ReadOnly: true } } },
  {
    VolumeMounts: [{ Volume: 'data', Destination: '/data', PropagationMode: 'bidirectional' }],
  },
)

const csiMount = 'namespace "default" { capabilities = ["csi-mount-volume"] }'
const csiRegister = 'namespace "default" { capabilities = ["csi-register-plugin"] }'

describe('rights on volumes (behaviour/scheduler#auth)', () => {
  test.each([
    ['a host volume', hostVolume(), ['host_volume "data-a" { policy = "write" }']],
    ['a host volume by pattern', hostVolume(), ['host_volume "data-*" { policy = "write" }']],
    ['reading', hostVolume({ ReadOnly: true }), ['host_volume "data-a" { policy = "read" }']],
    [
      'reading with the right to write',
      hostVolume({ ReadOnly: true }),
      ['host_volume "data-a" { capabilities = ["mount-readwrite"] }'],
    ],
    ['a mount to the host', bidirectional, ['host_volume "*" { policy = "write" }']],
    ['a cluster volume', csiVolume, [csiMount, 'plugin { policy = "read" }']],
    ['a plugin', plugin, [csiRegister]],
  ])('%s is registered with the right', async (_, job, rules) => {
    const { holder } = await aclScheduler()
    const { client } = await holder(submit, ...rules)
    expect((await client.post('jobs', { Job: job })).text).toContain('EvalID')
  })

  test.each([
    ['a host volume without a rule', hostVolume(), []],
    ['another volume', hostVolume(), ['host_volume "data-b" { policy = "write" }']],
    ['reading alone', hostVolume(), ['host_volume "data-a" { policy = "read" }']],
    [
      'deny by name',
      hostVolume(),
      ['host_volume "*" { policy = "write" }', 'host_volume "data-a" { policy = "deny" }'],
    ],
    ['reading without a rule', hostVolume({ ReadOnly: true }), ['node { policy = "write" }']],
    ['a mount to the host', bidirectional, ['host_volume "data-a" { policy = "read" }']],
    ['a cluster volume, no plugins', csiVolume, [csiMount]],
    ['a cluster volume, plugins listed', csiVolume, [csiMount, 'plugin { policy = "list" }']],
    ['a cluster volume, no mounts', csiVolume, ['plugin { policy = "read" }']],
    ['a plugin', plugin, ['namespace "default" { policy = "write" }']],
  ])('registering %s is refused, and planning it is not', async (_, job, rules) => {
    const { holder, manager } = await aclScheduler()
    const { client } = await holder(submit, ...rules)
    expect(await failureOf(client.post('jobs', { Job: job }))).toEqual(denied)
    expect((await manager.get('job/example')).status).toBe(404)
    expect((await client.post('job/example/plan', { Job: job })).status).toBe(200)
    expect((await manager.post('jobs', { Job: job })).status).toBe(200)
  })

  test('a revert is checked like a registration', async () => {
    const { holder, manager } = await aclScheduler()
    await manager.post('jobs', { Job: hostVolume() })
    await manager.post('jobs', { Job: exampleJob() })
    const sent = { JobID: 'example', JobVersion: 0 }
    const { client } = await holder(submit)
    expect(await failureOf(client.post('job/example/revert', sent))).toEqual(denied)
    const allowed = await holder(submit, 'host_volume "data-a" { policy = "write" }')
    expect((await allowed.client.post('job/example/revert', sent)).status).toBe(200)
  })
})
