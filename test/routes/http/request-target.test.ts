import { describe, expect, test } from 'vitest'
import { originForm } from '../../../routes/http/request-target.ts'

describe('DESIGN.md section 3: request targets (RFC 9112 section 3.2)', () => {
  test.each([
    ['/v1/kv/a?list=true', '/v1/kv/a?list=true'],
    ['/http://mock.test/a', '/http://mock.test/a'],
    ['http://mock.test/v1/kv/a', '/v1/kv/a'],
    ['HTTPS://[::1]:4600/v1/kv?list=true', '/v1/kv?list=true'],
    ['http://mock.test', '/'],
    ['http://mock.test?help=1', '/?help=1'],
    ['http://mock.test//v1', '//v1'],
    ['*', '*'],
    ['mock.test:443', 'mock.test:443'],
    ['', ''],
  ])('%j is %j', (target, expected) => {
    expect(originForm(target)).toBe(expected)
  })
})
