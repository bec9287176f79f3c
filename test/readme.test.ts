import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createUnderstudy } from '../src/index.ts'
import { readmeFile } from './support/docs.ts'
import { examplesOf, runExamples } from './support/readme.ts'

const readme = readFileSync(readmeFile, 'utf8')

describe('DESIGN section 1: a newcomer can follow the README', () => {
  test('its examples print what it shows, to the byte', { timeout: 180_000 }, async () => {
    const examples = examplesOf(readme)
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(
      new Set(['sh', 'bash', 'ts', 'vitest']),
    )
    expect(await runExamples(examples)).toEqual(examples.map(({ shown }) => shown ?? ''))
  })

  test('its fixtures load and say what the text around them says', async () => {
    const [, document = ''] = /<!-- fixtures -->\n```yaml\n([\s\S]*?)```/.exec(readme) ?? []
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
    const told = TaskStates.t.Events.map(
      (event: { DisplayMessage: string }) => event.DisplayMessage,
    )
    expect(told).toContain('Exit Code: 137')
    expect(TaskStates.t.State).toBe('running')
  })
})
