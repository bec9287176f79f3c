import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { exampleJob, failureOf, frozenScheduler, type Members } from '../support.ts'

const texts: Readonly<Record<DialectName, string>> = { neutral: 'Mesh', vendor: 'Consul Connect' }

describe.each<DialectName>(['neutral', 'vendor'])(
  'refused services in the mesh (behaviour/scheduler#connect; %s)',
  (dialect) => {
    const [group] = exampleJob()['TaskGroups'] as readonly Members[]
    const job = (members: Members) => exampleJob({ TaskGroups: [{ ...group, ...members }] })
    const service = { Name: 'api', PortLabel: '80' }
    const withoutBridge = job({
      Networks: [{ Mode: 'host' }],
      Services: [{ ...service, Connect: { SidecarService: {} } }],
    })
    const incomplete = job({
      Networks: [{ Mode: 'bridge' }],
      Services: [{ ...service, TaskName: 'x', Connect: { Native: true } }],
    })

    test('a sidecar needs a bridge network, to register, plan and validate', async () => {
      const { scheduler: client } = await frozenScheduler({ dialect })
      const error = `${texts[dialect]} sidecar requires bridge network, found "host" in group "cache"`
      const refusal = [500, `1 error occurred:\n\t* ${error}\n\n`]
      expect(await failureOf(client.post('jobs', { Job: withoutBridge }))).toEqual(refusal)
      expect(await failureOf(client.post('job/example/plan', { Job: withoutBridge }))).toEqual(
        refusal,
      )
      const { body } = await client.post('validate/job', { Job: withoutBridge })
      expect(body.ValidationErrors).toEqual([error])
      expect((await client.get('jobs')).body).toEqual([])
    })

    test('a service of an unknown task ends registering, planning and validating', async () => {
      const { scheduler: client } = await frozenScheduler({ dialect })
      const kind = dialect === 'vendor' ? 'Consul Connect Native' : 'mesh native'
      const refusal = [
        500,
        `error in job mutator connect: task x named by ${kind} service cache->api does not exist`,
      ]
      for (const path of ['jobs', 'job/example/plan', 'validate/job'])
        expect(await failureOf(client.post(path, { Job: incomplete }))).toEqual(refusal)
    })
  },
)
