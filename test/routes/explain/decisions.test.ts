import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { choicesByRule as ofMesh } from '../../../routes/mesh/explained/index.ts'
import { choicesByRule as ofPlatform } from '../../../routes/platform/explained/index.ts'
import { choicesByRule as ofScheduler } from '../../../routes/scheduler/explained/index.ts'
import { choicesByRule as ofSecrets } from '../../../routes/secrets/explained/index.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { messagesOf } from '../../support/documentation/messages.ts'

const apis = [
  ['secrets', ofSecrets],
  ['platform', ofPlatform],
  ['mesh', ofMesh],
  ['scheduler', ofScheduler],
] as const

const callers = {
  secrets: { 'x-secrets-token': 'root' },
  platform: { authorization: 'Bearer site-admin-token' },
  mesh: { 'x-mesh-token': 'mesh-management-token' },
  scheduler: { 'x-sched-token': 'scheduler-management-token' },
}

const deep = `${'['.repeat(1100)}${']'.repeat(1100)}`
const deepJob = `{"Job":{"TaskGroups":[{"Tasks":[{"Config":{"a":${deep}}}]}]}}`

async function started() {
  const running = await createUnderstudy({ seed: 'decisions' })
  onTestFinished(() => running.close())
  return running
}

/** Returns the ids of the rules that the message tables and the sources of an API declare. */
async function rulesOf(api: string): Promise<Set<string>> {
  const sources = [`state/${api}`, `routes/${api}`].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  )
  const declared = sources.flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/^ +'?([a-z][a-z0-9-]*)'?: \{|rule: '([a-z-]+)'/gm),
  ])
  const messages = await messagesOf(api)
  const inSources = declared.map(([, worded, particular]) => worded ?? particular ?? '')
  return new Set([...messages.map(({ rule }) => rule), ...inSources])
}

describe('the decisions behind refusals (behaviour/program#explanations)', () => {
  test.each(apis)('of %s name existing rules', async (api, choicesByRule) => {
    expect([...(await rulesOf(api))]).toEqual(expect.arrayContaining(Object.keys(choicesByRule)))
  })

  test.each(apis)('of %s name choices of its coverage', async (api, choicesByRule) => {
    const running = await started()
    const coverage = (await running.inject('/_mock/coverage')).json()
    const choices = coverage.services
      .filter(({ name }: { name: string }) => name === api)
      .flatMap((service: { choices: { id: string }[] }) => service.choices)
      .map(({ id }: { id: string }) => id)
    expect(choices).toEqual(expect.arrayContaining(Object.values(choicesByRule)))
  })

  test.each([
    ['secrets', 'POST', '/v1/sys/namespaces/a/b', '{}', 'namespace-names'],
    ['platform', 'POST', '/api/v2/admin/sms-settings/verify', '', 'sms-verify-order'],
    ['mesh', 'PUT', '/v1/namespace', '{', 'broken-json-texts'],
    ['scheduler', 'POST', '/v1/jobs', deepJob, 'scheduler-depth-of-bodies'],
  ] as const)('of %s are reported after %s %s', async (api, method, url, payload, decision) => {
    const running = await started()
    await running.inject({ method, url, headers: callers[api], payload })
    expect((await running.inject('/_mock/explain/r1')).json()).toMatchObject({ decision })
  })
})
