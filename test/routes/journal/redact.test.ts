import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../../routes/journal/fingerprint.ts'
import { holdsSecrets, redact, redactAt, redactByShape } from '../../../routes/journal/redact.ts'
import { list, map, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct, vendorNamed } from '../../../state/kernel/shape/members.ts'

const fingerprint = (value: string) => `<${value}>`

describe('behaviour/program#journal: nothing secret is shown', () => {
  test('a fingerprint is fp: and twelve hex digits of HMAC-SHA256 by the seed', () => {
    // printf %s geheim | openssl dgst -sha256 -hmac test
    expect(fingerprintOf('test')('geheim')).toBe('fp:321d7e343471')
  })

  test('all texts and numbers of a secret value are redacted; empty values stay', () => {
    expect(redact({ a: 'x', b: [1, '', null, true], c: { d: 'y' } }, fingerprint)).toEqual({
      a: '<x>',
      b: ['<1>', '', null, true],
      c: { d: '<y>' },
    })
  })

  const shape = struct({
    name: text,
    key: vendorNamed('Unlock', secret(text)),
    rows: list(nullable(struct({ token: secret(text), id: text }))),
    more: map(union(text, struct({ pin: secret(text) }))),
  })

  test('marked members are redacted, under any of their names and in any case', () => {
    const value = {
      name: 'n',
      KEY: 'k',
      unlock: 'u',
      other: 'o',
      rows: [{ token: 't', id: 'i' }, null],
      more: { a: 'plain', b: { pin: 'p' } },
    }
    expect(redactByShape(value, shape, fingerprint)).toEqual({
      name: 'n',
      KEY: '<k>',
      unlock: '<u>',
      other: 'o',
      rows: [{ token: '<t>', id: 'i' }, null],
      more: { a: 'plain', b: { pin: '<p>' } },
    })
  })

  test('a shape reports whether it marks anything as secret', () => {
    expect([holdsSecrets(shape), holdsSecrets(struct({ a: text }))]).toEqual([true, false])
  })

  test.each([
    [[''], 'x', '<x>'],
    [['a/b'], { a: { b: 'x', c: 'y' } }, { a: { b: '<x>', c: 'y' } }],
    [['a/*'], { a: ['x', 'y'], b: 'z' }, { a: ['<x>', '<y>'], b: 'z' }],
    [['*/b'], [{ b: 'x' }, { b: 'y', c: 'z' }], [{ b: '<x>' }, { b: '<y>', c: 'z' }]],
    [['a/**'], { a: { b: { c: 'x' } } }, { a: { b: { c: '<x>' } } }],
    [['a/b'], { a: 'text' }, { a: 'text' }],
  ])('locations %j', (places, value, shown) => {
    expect(redactAt(value, places, fingerprint)).toEqual(shown)
  })
})
