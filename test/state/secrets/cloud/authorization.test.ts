import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { parseAuthorization } from '../../../../state/secrets/cloud/signature.ts'

/** Returns the parameters of a header as an object. */
const read = (text: string) => Object.fromEntries(parseAuthorization(text))

/** Returns why a header is refused. */
function failureReason(text: string): string {
  try {
    parseAuthorization(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    expect([error.kind, error.message]).toEqual(['denied', 'Cloud authentication failed'])
    expect(error.rule).toBe('login-authorization-form')
    return String(error.detail['why']).replace('the authorization header is malformed: ', '')
  }
  throw new Error('it was taken')
}

const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,8}$/)
const parameters = fc.uniqueArray(fc.tuple(name, fc.string({ unit: 'binary' })), {
  selector: ([each]) => each.toLowerCase(),
  minLength: 1,
  maxLength: 6,
})
const blanks = fc.stringMatching(/^[ \t]{0,2}$/)
const bareValue = /^[^\s",\\]+$/

describe('behaviour/secrets#api-cloud: the authorization header', () => {
  test('the form of the specification', () => {
    const header =
      'Signature version="1",headers="date (request-target) host",keyId="t/u/f",algorithm="rsa-sha256",signature="QUJD+/8="'
    expect(read(header)).toEqual({
      version: '1',
      headers: 'date (request-target) host',
      keyid: 't/u/f',
      algorithm: 'rsa-sha256',
      signature: 'QUJD+/8=',
    })
  })

  test('behaviour/secrets#cloud-login (3): parameters in any order and quoting are parsed to their values', () => {
    const quotings = fc.array(fc.tuple(fc.boolean(), blanks, blanks), {
      minLength: 6,
      maxLength: 6,
    })
    fc.assert(
      fc.property(parameters, quotings, (list, how) => {
        const parts = list.map(([key, value], at) => {
          const [bare = false, before = '', after = ''] = how[at] ?? []
          const quoted = `"${value.replace(/[\\"]/g, '\\$&')}"`
          const text = bare && bareValue.test(value) ? value : quoted
          return `${before}${key}${after}=${before}${text}${after}`
        })
        expect(read(`Signature ${parts.join(',')}`)).toEqual(
          Object.fromEntries(list.map(([key, value]) => [key.toLowerCase(), value])),
        )
      }),
    )
  })

  test('the order of parameters does not matter', () => {
    fc.assert(
      fc.property(parameters, (list) => {
        const header = (all: typeof list) =>
          `Signature ${all.map(([key, value]) => `${key}=${JSON.stringify(value.replace(/[^a-z]/g, 'x'))}`).join(',')}`
        expect(read(header(list.toReversed()))).toEqual(read(header(list)))
      }),
    )
  })

  test('any text is either parsed or refused', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'Signature =,"\\\t\nak1/') })
    fc.assert(
      fc.property(noise, fc.boolean(), (text, start) => {
        const header = (start ? 'Signature ' : '') + text
        try {
          expect(parseAuthorization(header).size).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
        }
      }),
    )
  })

  // choice/secrets#cloud-authorization-form
  test.each([
    ['another scheme', 'Bearer abc', 'it does not begin with "Signature"'],
    ['nothing', '', 'it does not begin with "Signature"'],
    ['the scheme alone', 'Signature', 'it does not begin with "Signature"'],
    ['no parameter', 'Signature ', 'there is no parameter at character 11'],
    ['no value', 'Signature a', 'there is no parameter at character 11'],
    ['an empty bare value', 'Signature a=,b=1', 'there is no parameter at character 11'],
    ['an open quote', 'Signature a="1', 'there is no parameter at character 11'],
    ['a comma at the end', 'Signature a="1",', 'there is no parameter at character 17'],
    ['two commas', 'Signature a="1",,b="2"', 'there is no parameter at character 17'],
    ['no comma', 'Signature a="1" b="2"', 'there is no parameter at character 11'],
    ['one twice', 'Signature a="1",A="2"', 'the parameter A is there twice'],
  ])('%s', (_, text, reason) => expect(failureReason(text)).toBe(reason))

  // choice/secrets#cloud-authorization-form
  test('an oversized header is refused at once', () => {
    expect(failureReason(`Signature a="${'\\"'.repeat(1_000_000)}`)).toBe(
      'it is longer than 65536 characters',
    )
    expect(failureReason(`Signature a="${'\\\\'.repeat(32_000)}`)).toBe(
      'there is no parameter at character 11',
    )
  })
})
