import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createUnderstudy } from '../src/embedding/index.ts'
import { exampleChains, readDocument } from './support/documentation/docs.ts'
import { examplesOf, runExamples } from './support/documentation/readme.ts'

describe('behaviour/program#what-it-is: a newcomer can follow the documents', () => {
  test.each(exampleChains.map((documents) => [documents.length, documents] as const))(
    'the examples of %i documents print what they show, to the byte',
    { timeout: 180_000 },
    async (_, documents) => {
      const examples = documents.flatMap((document) => examplesOf(readDocument(document)))
      expect(examples.length).toBeGreaterThan(1)
      expect(await runExamples(examples)).toEqual(
        examples.map(({ documentedOutput }) => documentedOutput ?? ''),
      )
    },
  )

  test('the fixtures of the readme load and contain the values that the text around them names', async () => {
    const [, document = ''] =
      /<!-- fixtures -->\n```yaml\n([\s\S]*?)```/.exec(readDocument('docs/guide/fixtures.md')) ?? []
    await using understudy = await createUnderstudy({ fixtures: parse(document) })
    const read = (path: string) =>
      understudy.inject({ url: `/v1/${path}`, headers: { 'x-secrets-token': 'reader-token' } })
    const [allowed, denied] = [await read('team/data/app/db'), await read('secret/data/app/db')]
    expect(allowed.json().data.data).toEqual({ password: 'hunter2', user: 'ada' })
    expect(denied.statusCode).toBe(403)
    expect(understudy.world().options().secrets.clusterName).toBe('staging')
    const world = understudy.world()
    world.clock.advance('20s')
    const [{ TaskStates }] = (await world.inject('/v1/job/flaky/allocations')).json()
    const eventMessages = TaskStates.t.Events.map(
      (event: { DisplayMessage: string }) => event.DisplayMessage,
    )
    expect(eventMessages).toContain('Exit Code: 137')
    expect(TaskStates.t.State).toBe('running')
  })
})
