import { describe, expect, test } from 'vitest'
import { stringifyJson } from '../../../../state/kernel/deep-json.ts'
import { scheduledPlane } from '../control/scheduler-plane.ts'
import { failureOf, requireSuccess } from '../support.ts'

const largest = 9223372036854775807n

/** Returns the body of a registration or plan whose durations and sizes need all 64 bits. */
function bodyOf(more: object = {}, group: object = {}): string {
  return stringifyJson({
    ...more,
    Job: {
      ID: 'long',
      TaskGroups: [
        {
          Name: 'g',
          Count: 1,
          Update: { Stagger: largest, ProgressDeadline: largest, HealthyDeadline: largest - 1n },
          RestartPolicy: { Attempts: 1, Interval: largest, Delay: 1n + 2n ** 53n, Mode: 'fail' },
          Scaling: { Enabled: true, Min: 0, Max: largest },
          Tasks: [
            {
              Name: 't',
              Driver: 'mock',
              KillTimeout: largest - 2n,
              Resources: { CPU: 1n + 2n ** 54n, MemoryMB: 3n + 2n ** 55n },
            },
          ],
          ...group,
        },
      ],
    },
  })
}

/** Returns the integers of a JSON text that a number would round, in order. */
function longIntegers(text: string): readonly string[] {
  return (text.match(/(?<![\w"-])[1-9]\d{15,}(?!\w)/g) ?? []).filter(
    (each) => String(Number(each)) !== each,
  )
}

describe('whole numbers of 64 bits over HTTP (behaviour/scheduler#integers)', () => {
  test('every digit comes back from reads, plans, events, policies and state documents', async () => {
    const { ask, client, inWorld, advance } = await scheduledPlane()
    await requireSuccess(client.post('jobs', bodyOf()))
    advance(60_000)
    const { text } = await requireSuccess(client.get('job/long'))
    const sent = longIntegers(bodyOf())
    expect(sent).toHaveLength(9)
    expect(new Set(longIntegers(text))).toEqual(new Set(sent))

    const plan = await requireSuccess(client.post('job/long/plan', bodyOf({ Diff: true })))
    expect(plan.body.Diff.Type).toBe('None')
    expect((await requireSuccess(client.post('jobs', bodyOf()))).body.Warnings).toBe('')
    expect((await client.get('job/long')).body.Version).toBe(0)

    const [policy] = (await client.get('scaling/policies')).body
    expect((await client.get(`scaling/policy/${policy.ID}`)).text).toContain(`"Max":${largest}`)
    const [{ ID }] = (await client.get('job/long/allocations')).body
    const allocation = (await client.get(`allocation/${ID}?pretty`)).text
    expect(allocation).toContain(`"CpuShares": ${1n + 2n ** 54n}`)
    expect(allocation).toContain(`"KillTimeout": ${largest - 2n}`)

    const document = (await ask('GET', '/state')).text
    expect(longIntegers(document)).toEqual([])
    await ask('POST', '/worlds', { id: 'copy' })
    expect((await ask('PUT', '/worlds/copy/state', document)).status).toBe(204)
    expect((await ask('GET', '/worlds/copy/state')).text).toBe(document)
    expect((await inWorld('copy').get('job/long')).text).toBe((await client.get('job/long')).text)
    const copied = (await inWorld('copy').get(`allocation/${ID}?pretty`)).text
    expect(longIntegers(copied)).toEqual(longIntegers(allocation))
  })

  test('a difference in the last digit is a change, and shows both', async () => {
    const { client } = await scheduledPlane()
    await requireSuccess(client.post('jobs', bodyOf()))
    const changed = bodyOf({ Diff: true }, { ShutdownDelay: largest - 3n })
    const { text } = await requireSuccess(client.post('job/long/plan', changed))
    expect(text).toContain(`"Name":"ShutdownDelay","Old":"","New":"${largest - 3n}"`)
  })

  test('texts name the number that was sent', async () => {
    const { client } = await scheduledPlane()
    await requireSuccess(client.post('jobs', bodyOf()))
    const index = 2n ** 53n + 1n
    expect(
      await failureOf(client.post('jobs', bodyOf({ EnforceIndex: true, JobModifyIndex: index }))),
    ).toEqual([
      500,
      expect.stringContaining(`Enforcing job modify index ${index}: job exists with conflicting`),
    ])
    expect(
      await failureOf(
        client.post('job/long/revert', stringifyJson({ JobID: 'long', JobVersion: index })),
      ),
    ).toEqual([500, `job "long" in namespace "default" at version ${index} not found`])
  })

  test('a text in a document must be a long integer', async () => {
    const { ask, client } = await scheduledPlane()
    await requireSuccess(client.post('jobs', bodyOf()))
    const document = (await ask('GET', '/state')).text
    const mistaken = document.replaceAll(`"${largest - 2n}"`, '"soon"')
    const reply = await ask('PUT', '/state', mistaken)
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('KillTimeout must match pattern')
  })
})
