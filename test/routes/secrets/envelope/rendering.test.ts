import { describe, expect, test } from 'vitest'
import { secretsDialect } from '../../../../routes/secrets/dialect/dialect.ts'
import {
  renderOutcome,
  type SecretsOutcome,
  spreadOutcome,
} from '../../../../routes/secrets/envelope/outcome.ts'

const requestId = 'd5b45e2e-f8d1-4a8c-9e0f-6c1b4b0c1f2a'

const render = (outcome: SecretsOutcome, dialect: 'neutral' | 'vendor') => {
  let drawn = 0
  const ids = {
    uuid: () => {
      drawn++
      return requestId
    },
  }
  const { status, text } = renderOutcome(outcome, ids, secretsDialect(dialect))
  return { status, text, drawn }
}

const enveloped = (data: string, warnings: string, repeated?: string) =>
  `{"request_id":"${requestId}","lease_id":"","renewable":false,"lease_duration":0,"data":${data},"wrap_info":null,"warnings":${warnings},"auth":null${repeated === undefined ? '' : `,${repeated}`}}`

describe('behaviour/secrets#body-kinds: bare here, in an envelope in the reference', () => {
  test('neutral: the bare body, for which no request id is drawn', () => {
    expect(render(spreadOutcome({ password: 'a"b' }), 'neutral')).toEqual({
      status: 200,
      text: '{"password":"a\\"b"}',
      drawn: 0,
    })
  })

  test('vendor: an envelope, the keys of data repeated at top level where that is asked', () => {
    const outcome = spreadOutcome({ policy: 'p' })
    const text = enveloped('{"policy":"p"}', 'null')
    expect(render(outcome, 'vendor')).toEqual({ status: 200, text, drawn: 1 })
    expect(render({ ...outcome, repeatsKeys: true } as SecretsOutcome, 'vendor').text).toBe(
      enveloped('{"policy":"p"}', 'null', '"policy":"p"'),
    )
  })

  test("vendor: the reference's own data where it differs", () => {
    const outcome = spreadOutcome({ keys: { f: 'k' } }, { keys: { f: ['k'] }, keys_base64: {} })
    expect(render(outcome, 'neutral').text).toBe('{"keys":{"f":"k"}}')
    expect(render(outcome, 'vendor').text).toBe(
      enveloped('{"keys":{"f":["k"]},"keys_base64":{}}', 'null'),
    )
  })

  test('only an envelope has room for warnings', () => {
    const outcome: SecretsOutcome = {
      kind: 'spread',
      body: { a: 1 },
      referenceData: { a: 1 },
      warnings: [{ rule: 'w', template: 'w', params: {} }],
    }
    expect(render(outcome, 'neutral').text).toBe('{"a":1}')
    expect(render(outcome, 'vendor').text).toBe(enveloped('{"a":1}', '["w"]'))
  })
})
