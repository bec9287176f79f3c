import { describe, expect, onTestFinished, test } from 'vitest'
import { compare, httpTarget } from '../../../src/cli/compare/compare.ts'
import type { ComparedApi } from '../../../src/cli/compare/compared-api.ts'
import { type Answer, type ComparedRequest, sendAll } from '../../../src/cli/compare/request.ts'
import { comparedScheduler } from '../../../src/cli/compare/scheduler.ts'
import { comparedSecrets } from '../../../src/cli/compare/secrets.ts'
import { readConfig } from '../../../src/cli/config.ts'
import { startServer } from '../../../src/cli/server.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { Ids } from '../../../state/kernel/worlds/ids.ts'
import { type Alteration, alteringProxy } from '../../support/altering-proxy.ts'

type Exchange = readonly [request: ComparedRequest, answer: Answer]

const isServed = ({ status }: Answer) => status >= 200 && status < 300

/** Sends the first sequences of a seed to a mock, and returns requests with replies. */
async function exchanges(
  api: ComparedApi,
  runs: number,
): Promise<readonly (readonly Exchange[])[]> {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    apiPorts: { [api.name]: 0 },
    options: api.setUp.options,
    fixtures: api.setUp.fixtures ?? {},
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  const target = httpTarget('mock', understudy.world().apiUrl(api.name), api.token, api)
  const [random, sequences] = [new Ids('a'), api.sequences(6)]
  const all: (readonly Exchange[])[] = []
  for (let run = 0; run < runs; run++) {
    const requests = sequences(random)
    const answers = await sendAll(target, [...api.before, ...requests, ...api.after], api)
    await api.cleanUp?.(target, answers)
    all.push(
      requests.map((request, at) => {
        const answer = answers[api.before.length + at]
        if (answer === undefined) throw new Error('every request has a reply')
        return [request, answer] as const
      }),
    )
  }
  return all
}

/** Returns the operations that fewer than 5 requests of the sequences reached. */
function rarelyServed(all: readonly (readonly Exchange[])[]) {
  const counts = new Map<string, number>()
  for (const [{ operation }, answer] of all.flat()) {
    counts.set(operation, (counts.get(operation) ?? 0) + (isServed(answer) ? 1 : 0))
  }
  return Object.fromEntries([...counts].filter(([, count]) => count < 5))
}

/** Returns true if a sequence reads a key after a write of it. */
function readsWhatItWrote(exchanged: readonly Exchange[]): boolean {
  return exchanged.some(
    ([{ operation, path }, answer], at) =>
      /^(?:kv1Read|kv2ReadData|cubbyholeRead)$/.test(operation) &&
      isServed(answer) &&
      exchanged
        .slice(0, at)
        .some(
          ([earlier, reply]) =>
            /^(?:kv1Write|kv2WriteData|cubbyholeWrite)$/.test(earlier.operation) &&
            isServed(reply) &&
            earlier.path === path.split('?')[0],
        ),
  )
}

function refusesCas(exchanged: readonly Exchange[]): boolean {
  return exchanged.some(([, { body }]) =>
    JSON.stringify(body ?? '').includes('check-and-set parameter did not match'),
  )
}

/** Returns true if a sequence reads version 1 of a key after it was deleted and undeleted. */
function restoresVersion(exchanged: readonly Exchange[]): boolean {
  const servedAt = (pattern: RegExp) =>
    exchanged.findIndex(([{ operation }, answer]) => pattern.test(operation) && isServed(answer))
  const deleted = servedAt(/^kv2DeleteVersions$/)
  return deleted >= 0 && servedAt(/^kv2UndeleteVersions$/) > deleted
}

/** Changes that the proxy makes to replies, by the kind of difference that must be reported. */
const planted: Readonly<Record<string, Alteration>> = {
  'kv1Delete: status 204 → 202': ({ method, path }, reply) =>
    method === 'DELETE' && /\/understudy-kv1\/[^?]/.test(path) && reply.status === 204
      ? { ...reply, status: 202 }
      : reply,
  'kv2WriteData: 400.errors.0': (_, reply) => ({
    ...reply,
    body: reply.body.replace('did not match the current version', 'did not match'),
  }),
  'kv2ReadMetadata: 200.data.oldest_version': ({ method, path }, reply) =>
    method === 'GET' && path.includes('/metadata/')
      ? { ...reply, body: reply.body.replace(/"oldest_version":\d+,/, '') }
      : reply,
  'kv2ReadData: 200.data.metadata.version': ({ method, path }, reply) =>
    method === 'GET' && path.includes('/data/')
      ? { ...reply, body: reply.body.replace(/"version":2\b/, '"version":1') }
      : reply,
  'cubbyholeList: 200.data.keys.0': ({ method, path }, reply) =>
    method === 'LIST' && path.includes('/cubbyhole')
      ? { ...reply, body: reply.body.replace(/"keys":\["/, '"keys":["z') }
      : reply,
}

describe('behaviour/program#comparison-depth: comparison', { timeout: 240_000 }, () => {
  test('sequences to the secrets API read, refuse and restore the data that they wrote', async () => {
    const all = await exchanges(comparedSecrets('vendor'), 500)
    expect(all.filter(readsWhatItWrote).length).toBeGreaterThanOrEqual(125)
    expect(all.filter(refusesCas).length).toBeGreaterThanOrEqual(50)
    expect(all.filter(restoresVersion).length).toBeGreaterThanOrEqual(25)
    expect(rarelyServed(all)).toEqual({})
  })

  test('sequences to the jobs API reach each operation', async () => {
    expect(rarelyServed(await exchanges(comparedScheduler({ dialect: 'vendor' }), 500))).toEqual({})
  })

  test('no sequence changes keys or settings of the whole server', () => {
    const random = new Ids('b')
    const sequences = comparedSecrets('vendor').sequences(6)
    const paths = Array.from({ length: 1000 }, () => sequences(random)).flat()
    const global = /^sys\/(?:rotate|rekey|generate-root|seal|unseal|step-down|audit\b|config\/cors)/
    expect(paths.filter(({ path }) => global.test(path))).toEqual([])
  })

  test('five planted differences are found in 200 sequences, and the exit code is 1', async () => {
    const understudy = await createUnderstudy({
      ...{ dialect: 'vendor', apiPorts: { secrets: 0 } },
      options: { secrets: { start: 'bare' } },
    })
    onTestFinished(() => understudy.close())
    await understudy.listen()
    const url = await alteringProxy(understudy.world().apiUrl('secrets'), (request, reply) =>
      Object.values(planted).reduce((altered, alter) => alter(request, altered), reply),
    )
    const argv = ['compare', `--against=${url}`, '--token=root', '--sequences=200', '--seed=a']
    const config = await readConfig(argv, {}, false)
    if ('help' in config || 'version' in config) throw new Error('expected a configuration')
    let stdout = ''
    const output = {
      write(text: string) {
        stdout += text
      },
    }
    const caller = { stdout: output, stderr: { write: () => undefined }, on: () => undefined }
    expect(await compare(config, caller, startServer)).toBe(1)
    for (const kind of Object.keys(planted)) expect(stdout).toContain(`${kind}\n`)
  })
})
