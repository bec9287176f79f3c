import { describe, expect, onTestFinished, test } from 'vitest'
import { hasTooManyFields, hasTooManyValues } from '../../../routes/http/body-limit.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(numbers(count).map((at) => [`key-${at}`, 'value'])))

const form = (count: number) =>
  numbers(count)
    .map((at) => `a${at}=1`)
    .join('&')

describe('behaviour/program#bounds: number of values in a body', () => {
  test('is at most 50,000 if the body is longer than 640 KiB', () => {
    expect([keys(50_000), keys(50_001)].map(hasTooManyValues)).toEqual([false, true])
    expect(hasTooManyValues(Buffer.from(` \r\n\t${keys(60_000)}`))).toBe(true)
    expect(hasTooManyValues(JSON.stringify(numbers(60_000)))).toBe(false)
    expect(hasTooManyValues(JSON.stringify(numbers(200_000)))).toBe(true)
  })

  test('ignores commas in strings and in bodies other than JSON', () => {
    const commas = ','.repeat(700_000)
    expect(hasTooManyValues(JSON.stringify({ a: `"\\${commas}` }))).toBe(false)
    expect(hasTooManyValues(commas)).toBe(false)
    expect(hasTooManyValues(`{"a": "open ${commas}`)).toBe(false)
  })

  test('applies to the fields of a form as well', () => {
    expect([form(50_000), form(50_001)].map(hasTooManyFields)).toEqual([false, true])
  })

  test('is refused by each API like a body that is too long; the control plane accepts a whole world', async () => {
    const running = await createUnderstudy({ seed: 'test' })
    onTestFinished(() => running.close())
    const large = keys(60_000)
    const ask = async (method: 'POST' | 'PUT', url: string, payload = large, type = 'json') => {
      const headers = { 'content-type': `application/${type}`, 'x-secrets-token': 'root' }
      const reply = await running.inject({ method, url, headers, payload })
      return [reply.statusCode, reply.body.slice(0, 60)]
    }
    const tooLarge = [413, '{"errors":["error parsing JSON"]}']
    expect(await ask('POST', '/v1/kv/a')).toEqual(tooLarge)
    const ofForm = await ask('POST', '/v1/kv/a', form(60_000), 'x-www-form-urlencoded')
    expect(ofForm).toEqual(tooLarge)
    expect((await ask('POST', '/api/v2/organizations'))[0]).toBe(413)
    expect(await ask('PUT', '/v1/namespace')).toEqual([413, 'Request body is too large'])
    expect(await ask('PUT', '/v1/jobs')).toEqual([413, 'Request body is too large'])
    expect((await ask('PUT', '/_mock/state'))[0]).toBe(400)
    expect((await ask('POST', '/_mock/worlds'))[0]).toBe(400)
    expect((await ask('PUT', '/_mock/worlds/w'))[0]).toBe(400)
    for (const url of ['/_mock/faults', '/_mock/requests/find', '/_mock/reset']) {
      expect((await ask('POST', url))[0]).toBe(413)
    }
    expect((await ask('PUT', '/_mock/transitions'))[0]).toBe(413)
  })
})
