import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'

async function startedServer(): Promise<Understudy> {
  const understudy = await createUnderstudy()
  onTestFinished(() => understudy.close())
  return understudy
}

describe('behaviour/program#journal: names in matchers', () => {
  const unknown = {
    service: '/match/service is not a service: "secret"; did you mean secrets?',
    operation: '/match/operation is not an operation: "kv2ReadDta"; did you mean kv2ReadData?',
  }

  test.each([
    ['find', { match: { service: 'secret' } }, unknown.service],
    ['find', { match: { operation: 'kv2ReadDta' } }, unknown.operation],
    ['wait', { match: { operation: 'kv2ReadDta' }, timeout: 0 }, unknown.operation],
    ['verify', { match: { operation: 'kv2ReadDta' }, count: { exactly: 0 } }, unknown.operation],
    [
      'verify',
      { sequence: [{ service: 'mesh' }, { service: 'mesh', operation: 'kv2ReadData' }] },
      '/sequence/1/operation is not an operation of mesh: "kv2ReadData"',
    ],
  ])('%s %j: 400, instead of an answer about no request', async (call, body, problem) => {
    const understudy = await startedServer()
    const reply = await understudy.inject({
      method: 'POST',
      url: `/_mock/requests/${call}`,
      payload: body,
    })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().problems).toEqual([problem])
  })

  test('the filters of a listing, faults and presets also refuse them', async () => {
    const understudy = await startedServer()
    const listing = await understudy.inject('/_mock/requests?service=nope')
    expect([listing.statusCode, listing.json().problems]).toEqual([
      400,
      ['/service is not a service: "nope"'],
    ])
    expect((await understudy.inject('/_mock/requests?outcome=nope')).statusCode).toBe(400)
    const misspelled = await understudy.inject('/_mock/requests?servce=mesh')
    expect([misspelled.statusCode, misspelled.json().problems]).toEqual([
      400,
      ['query parameter servce is unknown; did you mean service?'],
    ])
    const post = (path: string, payload: object) =>
      understudy.inject({ method: 'POST', url: `/_mock/faults${path}`, payload })
    const match = { service: 'secret' }
    const fault = await post('', { match, action: { status: 500 } })
    const preset = await post('/presets/any-unavailable', { match })
    expect([fault, preset].map(({ statusCode }) => statusCode)).toEqual([400, 400])
    expect(fault.json().problems).toEqual([unknown.service])
    expect((await understudy.inject('/_mock/faults')).json().faults).toEqual([])
    const { requests } = understudy.world()
    expect(() => requests.find({ service: 'nope' })).toThrow('/service is not a service: "nope"')
  })
})
