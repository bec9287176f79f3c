import { describe, expect, test } from 'vitest'
import { failureOf, frozenScheduler, requireSuccess } from '../support.ts'

type Client = Awaited<ReturnType<typeof frozenScheduler>>['scheduler']

const dialects = ['neutral', 'vendor'] as const

/** A job file with one block of most kinds. */
const file = `job "shop" {
  meta { owner = "team" }
  ui {
    description = "Shop"
    link {
      label = "wiki"
      url   = "https://wiki.example.com"
    }
  }
  group "api" {
    count = 2
    network {
      mode = "bridge"
      port "http" {}
    }
    service {
      name = "api"
      port = "9001"
      connect {
        sidecar_service {
          proxy {
            upstreams {
              destination_name = "db"
              local_bind_port  = 5432
            }
          }
        }
      }
      check {
        type     = "http"
        path     = "/health"
        interval = "10s"
        timeout  = "2s"
        expose   = true
      }
    }
    disconnect { lost_after = "1h" }
    scaling { max = 5 }
    task "main" {
      driver = "docker"
      config { image = "api:1" }
      vault { role = "api" }
      identity {
        name = "aws"
        aud  = ["s3"]
        ttl  = "1h"
      }
      template {
        data        = "x"
        destination = "local/x"
        change_mode = "signal"
      }
      artifact { source = "https://example.com/a.zip" }
      action "hello" { command = "/bin/echo" }
      scaling "cpu" { max = 500 }
    }
  }
  group "native" {
    network {
      port "db" { static = 5432 }
    }
    service {
      name     = "db"
      port     = "db"
      provider = "nomad"
      weights { passing = 3 }
    }
    task "db" { driver = "mock_driver" }
  }
  group "gateway" {
    network { mode = "bridge" }
    service {
      name = "gw"
      port = "8080"
      connect {
        gateway {
          ingress {
            listener {
              port = 8080
              service { name = "api" }
            }
          }
        }
      }
    }
  }
}`

async function parse(client: Client, Canonicalize: boolean) {
  const { body } = await requireSuccess(client.post('jobs/parse', { JobHCL: file, Canonicalize }))
  return body
}

async function plannedChange(client: Client, Job: unknown): Promise<string> {
  const { body } = await requireSuccess(client.post('job/shop/plan', { Job, Diff: true }))
  return body.Diff.Type
}

describe('behaviour/scheduler#canonical-form: one job, many spellings', () => {
  test.for(dialects)(
    '%s: a parsed file and a job that was read change nothing',
    async (dialect) => {
      const { scheduler: client } = await frozenScheduler({ dialect })
      const parsed = await parse(client, false)
      await requireSuccess(client.post('jobs', { Job: parsed }))
      const { body: read } = await client.get('job/shop')
      for (const Job of [parsed, await parse(client, true), read]) {
        expect(await plannedChange(client, Job)).toBe('None')
        await requireSuccess(client.post('jobs', { Job }))
        expect((await client.get('job/shop')).body).toEqual(read)
      }
      expect(await plannedChange(client, { ...read, Priority: 51 })).toBe('Edited')
    },
  )

  test.for([
    ['neutral', 'mesh'],
    ['vendor', 'consul'],
  ] as const)(
    '%s: a default in words of the dialect is the default',
    async ([dialect, Provider]) => {
      const { scheduler: client } = await frozenScheduler({ dialect })
      const jobWith = (service: object) => ({
        ID: 'shop',
        TaskGroups: [
          {
            Name: 'g',
            Services: [{ Name: 's', ...service }],
            Tasks: [{ Name: 't', Driver: 'exec' }],
          },
        ],
      })
      await requireSuccess(client.post('jobs', { Job: jobWith({}) }))
      expect(await plannedChange(client, jobWith({ Provider }))).toBe('None')
      await requireSuccess(client.post('jobs', { Job: jobWith({ Provider }) }))
      expect((await client.get('job/shop')).body.Version).toBe(0)
    },
  )

  test.for([
    ['neutral', 'mesh'],
    ['vendor', 'consul'],
  ] as const)('%s: differences have the words of the dialect', async ([dialect, provider]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const task = { Name: 't', Driver: 'exec' }
    const jobWith = (Services: object[]) => ({
      ID: 'shop',
      TaskGroups: [{ Name: 'g', Services, Tasks: [task] }],
    })
    await requireSuccess(client.post('jobs', { Job: jobWith([]) }))
    const Job = jobWith([{ Name: 's' }])
    const { body: plan } = await client.post('job/shop/plan', { Job, Diff: true })
    await requireSuccess(client.post('jobs', { Job }))
    const { body: versions } = await client.get('job/shop/versions?diffs=true')
    for (const diff of [plan.Diff, versions.Diffs[0]]) {
      const service = diff.TaskGroups[0].Objects.find(
        ({ Name }: { Name: string }) => Name === 'Service',
      )
      expect(service.Fields).toContainEqual({
        Type: 'Added',
        Name: 'Provider',
        Old: '',
        New: provider,
        Annotations: null,
      })
    }
  })

  test('canonical parsing does not change policies of tasks', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const [group] = (await parse(client, true)).TaskGroups
    const [policy] = group.Tasks[0].ScalingPolicies
    expect(policy).toMatchObject({ Type: 'vertical_cpu', Enabled: null, Min: null, Max: 500 })
    expect(group.Scaling).toMatchObject({
      Type: 'horizontal',
      Enabled: true,
      Min: 2,
      Namespace: '',
      CreateIndex: 0,
    })
    expect([group.Consul, group.Tasks[0].Identity]).toEqual([
      { Namespace: '', Cluster: 'default', Partition: '' },
      null,
    ])
  })

  test('a plan counts the tasks and ports that registering adds', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Job = await parse(client, false)
    const { body } = await requireSuccess(client.post('job/shop/plan', { Job, Diff: true }))
    const tasks = (name: string) =>
      body.Diff.TaskGroups.find(({ Name }: { Name: string }) => Name === name).Tasks.map(
        ({ Name }: { Name: string }) => Name,
      )
    expect([tasks('api'), tasks('gateway')]).toEqual([
      ['connect-proxy-api', 'main'],
      ['connect-ingress-gw'],
    ])
  })
})

describe('behaviour/scheduler#conventions: types inside blocks of the mesh and of identities', () => {
  const upstreams = [{ LocalBindPort: 'x' }]
  const connect = { SidecarService: { Proxy: { Upstreams: upstreams } } }

  test.for([
    [
      { Services: [{ Connect: connect }] },
      'string into Go struct field ConsulUpstream.Job.TaskGroups.Services.Connect.SidecarService.Proxy.Upstreams.LocalBindPort of type int',
    ],
    [
      { Tasks: [{ Identity: { TTL: 'x' } }] },
      'string into Go struct field WorkloadIdentity.Job.TaskGroups.Tasks.Identity.TTL of type time.Duration',
    ],
    [
      { Tasks: [{ Actions: [{ Args: 'x' }] }] },
      'string into Go struct field Action.Job.TaskGroups.Tasks.Actions.Args of type []string',
    ],
    [
      { Disconnect: { Replace: 1 } },
      'number into Go struct field DisconnectStrategy.Job.TaskGroups.Disconnect.Replace of type bool',
    ],
    [
      { Tasks: [{ Resources: { NUMA: [] } }] },
      'array into Go struct field Resources.Job.TaskGroups.Tasks.Resources.NUMA of type api.NUMAResource',
    ],
  ] as const)('%j', async ([group, text]) => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const Job = { ID: 'a', TaskGroups: [group] }
    for (const path of ['jobs', 'job/a/plan', 'validate/job']) {
      const refused = await failureOf(client.post(path, { Job }))
      expect(refused).toEqual([400, `json: cannot unmarshal ${text}`])
    }
  })
})
