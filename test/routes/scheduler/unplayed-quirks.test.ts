import { expect, test } from 'vitest'
import {
  exampleJob,
  failureOf,
  frozenScheduler,
  parameterizedJob,
  register,
  requireSuccess,
} from './support.ts'

// choice/scheduler#scheduler-evaluations-by-prefix
test('the evaluations of a job are its own (behaviour/scheduler#jobs)', async () => {
  const { scheduler: client } = await frozenScheduler()
  for (const ID of ['web', 'web-2']) await register(client, exampleJob({ ID }))
  const { body } = await client.get('job/web/evaluations')
  expect(body.map(({ JobID }: { JobID: string }) => JobID)).toEqual(['web'])
})

// choice/scheduler#scheduler-stable-version
test('a stable version does not replace the job (behaviour/scheduler#beyond)', async () => {
  const { scheduler: client } = await frozenScheduler()
  for (const Priority of [50, 60]) await register(client, exampleJob({ Priority }))
  const body = { JobID: 'example', JobVersion: 0, Stable: true }
  await requireSuccess(client.post('job/example/stable', body))
  expect((await client.get('job/example')).body).toMatchObject({ Version: 1, Priority: 60 })
})

// choice/scheduler#scheduler-payload-of-versions
test('versions show the payload as it was sent (behaviour/scheduler#versions)', async () => {
  const { scheduler: client } = await frozenScheduler()
  await register(client, parameterizedJob())
  const Payload = Buffer.from('some input').toString('base64')
  const dispatched = await requireSuccess(client.post('job/param/dispatch', { Payload }))
  const path = `job/${encodeURIComponent(dispatched.body.DispatchedJobID)}`
  expect((await client.get(path)).body.Payload).toBe(Payload)
  expect((await client.get(`${path}/versions`)).body.Versions[0].Payload).toBe(Payload)
})

// choice/scheduler#scheduler-null-in-lists
test('null in a list of objects is an empty object (behaviour/scheduler#bodies)', async () => {
  const { scheduler: client } = await frozenScheduler()
  const errors = (TaskGroups: readonly unknown[]) =>
    failureOf(client.post('jobs', { Job: exampleJob({ TaskGroups }) }))
  expect(await errors([null])).toEqual(await errors([{}]))
  const mounted = (mount: object) => [
    { Name: 'g', Tasks: [{ Name: 't', Driver: 'docker', VolumeMounts: [mount] }] },
  ]
  expect(await errors(mounted({ Volume: 'v' }))).toEqual(
    await errors(mounted({ Volume: 'v', Destination: '' })),
  )
})

// choice/scheduler#scheduler-scaling-diff
test('an unchanged scaling policy is not edited (behaviour/scheduler#diff)', async () => {
  const { scheduler: client } = await frozenScheduler()
  const Policy = { check: [{ avg: [{ query: 'cpu', strategy: [{ target: 70 }] }] }] }
  const Tasks = [{ Name: 't', Driver: 'docker', Config: { image: 'a' } }]
  const Job = exampleJob({ TaskGroups: [{ Name: 'g', Tasks, Scaling: { Max: 5, Policy } }] })
  await register(client, Job)
  const { body } = await requireSuccess(client.post('job/example/plan', { Job, Diff: true }))
  expect(body.Diff.Type).toBe('None')
})
